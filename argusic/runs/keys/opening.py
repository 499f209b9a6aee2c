"""The key of one run, from its issue to its end: what the attempt holds while its agent works.

Whoever issues the key, the agent speaks to the gateway, which holds the key: so every agent has the same conditions,
and no key that outlives the run, or that others share, enters a sandbox. The one exception is an agent that calls its
maker's own service in that service's own way (`shared`), which its configuration discloses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.evidence.layout import EXCHANGES_NAME
from argusic.records.configuration import Configuration, KeyUsed, ModelUsed, OpenConfiguration
from argusic.records.usage import ModelUse
from argusic.runs.keys.access import IssuedKey, KeyRefused, ModelAccess
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.connection import place
from argusic.runs.keys.gateway import Gateway
from argusic.runs.keys.notes import Notes
from argusic.runs.keys.providers import REMOTE, provider_of, real_key


@dataclass
class RunKey:
    """The key of one run.

    Attributes:
        access: What the agent is given.
        secrets: Every credential that the run knows of, by a name that is none: to be masked wherever it shows.
        shared: Whether others use the same key.
        exchanges: Where the exchanges are written down; None where no gateway sees them.
    """

    access: ModelAccess
    secrets: dict[str, str] = field(repr=False)
    shared: bool
    exchanges: Path | None
    _use: Callable[[], ModelUse]
    _fault: Callable[[], str | None]
    problem: str | None = None
    """Why the key may still be there after its end, where that is so. The next sweep deletes it."""

    def use(self) -> ModelUse:
        """Return what the model took so far; whole after the end."""
        return self._use()

    @property
    def fault(self) -> str | None:
        """Why the exchanges are not written down whole, or None: a fault of ours, which makes the run invalid."""
        return self._fault()


def check(configuration: Configuration | OpenConfiguration) -> None:
    """Refuse a configuration whose key could not be capped or could not be had, before anything begins.

    Raises:
        InputError: It is one.
    """
    key, model = configuration.key, configuration.model
    if key.provider == "gateway" and model.price is None:
        raise InputError(
            f"the gateway cannot hold a cap for {model.name}, which has no price.",
            advice="Give its price, or say that its key is from `none` where it is a server of your own.",
        )
    if key.provider != "none" and key.variable is None:
        raise InputError(f"the configuration names no variable that holds the key of {key.provider}.")


@contextmanager
def key_of_run(
    database: Database,
    run: str,
    configuration: Configuration | OpenConfiguration,
    *,
    cap_usd: Decimal,
    expires: datetime,
    folder: Path,
    evidence: Path,
    environment: Mapping[str, str],
    issued: IssuedKey | None = None,
) -> Iterator[RunKey]:
    """Hold the key of a run. At the end, however it comes, the key is deleted and nobody is let in any more.

    Args:
        database: Where the run is made; its lock must be held by now (`work.begin`), or a sweep may take the key.
        run: The run.
        configuration: The agent's.
        cap_usd: What the run may spend.
        expires: When the key dies by itself.
        folder: The run's own, where the gateway's socket lies.
        evidence: Where the exchanges are written down, and nothing of that name is.
        environment: The host's.
        issued: The key, where an earlier job has issued it and handed it over; its deletion is that job's.

    Raises:
        InputError: The configuration's key could not be capped or could not be had at all.
        KeyRefused: There is no key to be had now: the run is queued and takes no number.
    """
    check(configuration)
    key, model = configuration.key, configuration.model
    if key.provider == "shared":
        own = real_key(key, environment)
        assert own is not None, "checked above"
        use = ModelUse(key="shared")
        yield RunKey(ModelAccess(model, model.url, own), {"shared key": own}, True, None, lambda: use, lambda: None)
        return
    with ExitStack() as stack:
        ended: list[str] = []
        if key.provider in REMOTE:
            if issued is None:
                issued = stack.enter_context(_issued(database, run, key, model, cap_usd, expires, environment, ended))
            real: str | None = issued.access.token
        else:
            real = real_key(key, environment)
        exchanges = evidence / EXCHANGES_NAME
        gateway = stack.enter_context(
            Gateway(
                model,
                real,
                issuer=_issuer(key),
                cap_usd=cap_usd,
                expires=expires,
                socket=stack.enter_context(place(folder)),
                exchanges=exchanges,
            )
        )
        secrets = {"token of the run": gateway.access.token, **({"model key": real} if real is not None else {})}
        held = RunKey(gateway.access, secrets, False, exchanges, gateway.use, lambda: gateway.fault)
        try:
            yield held
        finally:
            stack.close()
            held.problem = ended[0] if ended else None


@contextmanager
def _issued(
    database: Database,
    run: str,
    key: KeyUsed,
    model: ModelUsed,
    cap_usd: Decimal,
    expires: datetime,
    environment: Mapping[str, str],
    ended: list[str],
) -> Iterator[IssuedKey]:
    """Have a key of a service, and delete it at the end."""
    provider = provider_of(key, model.url, Aliases.of(database), environment)
    notes = Notes.of(database)
    notes.write(run, key, model, datetime.now(UTC).replace(microsecond=0), expires.replace(microsecond=0))
    issued: IssuedKey | None = None
    try:
        issued = provider.issue(run, model, cap_usd, expires)
        yield issued
    finally:
        # Without a key, or cut off while it was asked for, one may still have been made: that is the sweep's to find.
        if issued is not None:
            try:
                provider.revoke(issued.key)
                with suppress(OSError):
                    notes.remove(run)
            except KeyRefused as refused:
                ended.append(f"the key of the run is still there: {refused}")


def _issuer(key: KeyUsed) -> Literal["gateway", "litellm", "openrouter", "none"]:
    assert key.provider != "shared", "a shared key has no gateway"
    return key.provider
