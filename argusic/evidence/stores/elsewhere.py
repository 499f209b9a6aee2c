"""What a place elsewhere must do to keep evidence. It is trusted with nothing: whatever comes back is proven here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

#: The size in which content passes through memory.
PIECE = 1024 * 1024

#: Takes a file's digest and its content, and keeps it if the two agree.
Keep = Callable[[str, Iterable[bytes]], None]


class Here(NamedTuple):
    """A file that lies on this machine, proven."""

    sha256: str
    """Its digest."""
    size: int
    """Its size in bytes."""
    path: Path
    """Where it lies."""


class Elsewhere(Protocol):
    """A place elsewhere where files lie by their digest, whole or not at all.

    Every method asks again, within bounds, where asking again may help.

    Raises:
        EnvironmentLack: The place cannot be reached, refuses the credentials, is full, or asks to wait for too long.
        InputError: It is not there at all.
    """

    @property
    def name(self) -> str:
        """What it is called in a sentence: `the bucket NAME`."""

    def is_private(self) -> bool:
        """Return whether only those whom it lets in can read it. Sealed files go nowhere else."""

    def holds(self, wanted: Collection[str]) -> set[str]:
        """Return which of some digests it has, whole."""

    def send(self, cycle: str, files: Sequence[Here], sent: Callable[[Here], None]) -> None:
        """Keep files of a cycle that it does not have. `sent` is told of each that is there whole."""

    def fetch(self, wanted: Collection[str], keep: Keep) -> None:
        """Hand over the content of files, perhaps several at a time. What is not there is passed over."""

    def remove(self, sha256: str) -> None:
        """Remove a file and every older version of it. One that is not there is none the less gone.

        Raises:
            CheckFailed: It must not or cannot be removed by a program; the message says what a person must do.
        """
