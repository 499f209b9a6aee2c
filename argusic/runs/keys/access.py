"""What an agent is given to reach its model, and who issues it: the contract between keys and agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Protocol

from argusic.records.configuration import ModelUsed


@dataclass(frozen=True)
class ModelAccess:
    """How one run reaches its model.

    Attributes:
        model: The model, with its settings.
        url: The base URL that a program of the host's uses, such as `http://127.0.0.1:9/v1`.
        token: What authorises it: good for this run alone. Never shown, logged or written.
        socket: The unix socket of the host's behind which the gateway answers, to be handed into the sandbox; None
            where the endpoint is reached over the network.
    """

    model: ModelUsed
    url: str
    token: str = field(repr=False)
    socket: Path | None = None


@dataclass(frozen=True)
class IssuedKey:
    """A key of one run.

    Attributes:
        key: The provider's name for it, which is no secret.
        run: The run that it was issued for.
        expires: When it dies by itself.
        access: What the agent is given.
    """

    key: str
    run: str
    expires: datetime
    access: ModelAccess


@dataclass(frozen=True)
class ListedKey:
    """A key that a provider knows of."""

    key: str
    run: str
    expires: datetime | None


class KeyProvider(Protocol):
    """Who issues keys."""

    name: str

    def issue(self, run: str, model: ModelUsed, cap_usd: Decimal, expires: datetime) -> IssuedKey:
        """Issue a key for `run` that can spend at most `cap_usd` US dollars on `model`, until `expires`.

        Raises:
            KeyRefused: There is no key to be had now. The run is queued, never given a shared one.
        """

    def revoke(self, key: str) -> None:
        """Delete a key. Deleting one that is gone is no error.

        Raises:
            KeyRefused: The provider did not confirm it.
        """

    def list(self) -> list[ListedKey]:
        """Return the keys of this repository's runs that the provider knows of."""


class KeyRefused(Exception):
    """A provider did not do what it was asked; the message says why, without any secret."""


class ModelUnavailable(Exception):
    """A model's endpoint gives no answer, through no doing of the agent's; the message says why, without any secret.

    Agents let it pass: it ends the attempt, which is then no complete one.
    """
