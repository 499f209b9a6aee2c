"""What the host of a repository reports of it: how large it is, and so whether it is heavy; its licence and language.

Who asks which host is not known here: whatever fetches for a kind is handed one thing to ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import NamedTuple, Protocol

from argusic.errors import ArgusicError


class Reported(NamedTuple):
    """What a host reports of a repository."""

    host: str
    """What it is called in a sentence."""
    size_kb: int
    """Its size in kB, of which a MB has 1,000."""
    licence: str | None = None
    """Its licence as an SPDX expression."""
    language: str | None = None
    """The language that most of it is written in."""


class Host(Protocol):
    """A host of repositories that says how large they are."""

    def reported(self, address: str) -> Reported | None:
        """Return what it reports of the repository at an address; None for one of another host.

        Raises:
            ArgusicError: It does not say.
        """


@dataclass(frozen=True)
class Figures:
    """What follows from what a host reports.

    Attributes:
        heavy_by: The host's own figure and the day it was asked, where that makes it heavy.
        licence: Its licence.
        languages: What it is written in.
        notes: What a user should know, such as that the host did not answer.
    """

    heavy_by: str | None = None
    licence: str | None = None
    languages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def figures(address: str, host: Host | None, above_mb: int | None) -> Figures:
    """Ask the host of a repository, where there is one to ask. That it does not answer is no error.

    Args:
        address: The repository's address.
        host: Who is asked; None where nobody is.
        above_mb: The size in MB that only a larger one is heavy by; None where the rules know no heavy tier.
    """
    if host is None:
        return Figures()
    try:
        said = host.reported(address)
    except ArgusicError as error:
        unknown = f"how large it is was not reported, so whether it is heavy is for you to say: {error}"
        return Figures(notes=(unknown.rstrip("."),))
    if said is None:
        return Figures()
    languages = () if said.language is None else (said.language,)
    today = datetime.now(UTC).date()
    return Figures(heavy_by(said, above_mb, today), said.licence, languages)


def heavy_by(said: Reported, above_mb: int | None, today: date) -> str | None:
    """Return why a repository is heavy; None where it is not.

    Args:
        said: What its host reports.
        above_mb: The size in MB that only a larger one is heavy by; None where the rules know no heavy tier.
        today: The day on which the host was asked.
    """
    if above_mb is None or said.size_kb <= above_mb * 1000:
        return None
    return f"{said.size_kb:,} kB as {said.host} reports it on {today.isoformat()}, more than {above_mb} MB"
