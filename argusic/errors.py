"""The one error family of Argusic: what is wrong, where, and what to do about it.

The command line prints these without a traceback. Anything else that reaches a user is a bug.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True)
class Place:
    """Where something is wrong: a file, and where known its line (from 1) and the field in it."""

    file: PurePath | str
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        # A name may hold line breaks, and must not make two lines of one.
        file = str(self.file).replace("\n", "\\n").replace("\r", "\\r")
        text = f"{file}:{self.line}" if self.line else file
        return f"{text}: {self.field}" if self.field else text


class ArgusicError(Exception):
    """Base of everything a user can be told. `exit_code` is what the command line ends with.

    Args:
        what: One sentence that says what is wrong.
        place: Where, when it is in a file.
        advice: What to do about it, when there is something to do.
    """

    exit_code = 1

    def __init__(self, what: str, *, place: Place | None = None, advice: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.place = place
        self.advice = advice

    def __str__(self) -> str:
        text = f"{self.place}: {self.what}" if self.place else self.what
        return f"{text} {self.advice}" if self.advice else text


class InputError(ArgusicError):
    """Bad input: a file, an argument or a name that cannot be used as it is."""

    exit_code = 2


class CheckFailed(ArgusicError):
    """A check ran and found something wrong."""

    exit_code = 1


class EnvironmentLack(ArgusicError):
    """This machine cannot run what was asked, through no fault of the input."""

    exit_code = 3


@dataclass(frozen=True)
class Finding:
    """One thing that a check found wrong: where, and one sentence that says what."""

    place: Place
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"
