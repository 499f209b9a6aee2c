"""What a kind of subject is to the rest of Argusic. One module a kind, registered by being there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from argusic.pool.hosts import Host
from argusic.records.base import Part
from argusic.records.subject import Subject
from argusic.sandbox.protocol import Sandbox


class Resolved(NamedTuple):
    """A target that was looked up: who it is, and its newest pin."""

    name: str
    source: Part
    pin: Part
    summary: str | None
    notes: tuple[str, ...] = ()
    """What a user should know of it, such as changes that are not tested."""
    licence: str | None = None
    """Its licence as its own metadata states it, an SPDX expression where it is one."""
    languages: tuple[str, ...] = ()
    """What it is written in, as far as its metadata says."""
    readme: bool | None = None
    """Whether it has documentation to follow (a README, a card, a description); None where that was not looked up."""
    heavy_by: str | None = None
    """The host's own figure and the day it was asked, where that makes it heavy."""


@dataclass(frozen=True)
class Workshop:
    """What a kind may use to fetch.

    Attributes:
        cache: The content-addressed folder of fetched subjects, shared by all databases of this user.
        sandbox: Opens a short-lived sandbox with network for clients that run code of the subject.
        progress: Told in a few words what is being done.
        environment: The host's environment variables, which name other places to fetch from, such as `HF_ENDPOINT`.
        host: Whom to ask how large a repository is; None where nobody is asked.
        heavy_above_mb: The size in MB that only a larger repository is heavy by; None where there is no heavy tier.
    """

    cache: Path
    sandbox: Callable[[], Sandbox]
    progress: Callable[[str], None]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    host: Host | None = None
    heavy_above_mb: int | None = None


class SubjectKind(Protocol):
    """One kind of subject."""

    kind: str
    written: tuple[str, ...]
    """How a user writes a target of it, in capitals where something is to be filled in: `NAME==VERSION`."""

    def recognises(self, target: str) -> bool:
        """Return whether `target`, as a user types it after `argusic try`, can be of this kind."""

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look up a target and pin what is newest.

        Raises:
            InputError: There is no such thing.
            SubjectUnavailable: It could not be reached just now.
        """

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the cached pinned subject, fetching it first where it is not there. Verified either way.

        Raises:
            PinMismatch: What was found is not what was pinned. Nothing is kept.
            SubjectUnavailable: It could not be reached just now.
        """

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the subject into the empty host folder `folder`, which becomes the sandbox's subject folder."""

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return environment variables of the sandbox, such as where a client finds what was handed in."""

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of this subject: what it is, where it lies, what counts as running."""


class PinMismatch(Exception):
    """What was fetched is not what the cycle pinned."""


class SubjectUnavailable(Exception):
    """The subject could not be reached."""
