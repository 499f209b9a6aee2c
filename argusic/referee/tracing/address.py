"""The address of a figure: the file that states it, and where in it. One grammar for every figure of every page.

`PATH#STEP/STEP/...`. PATH is a file of the database, or a folder whose files are counted, from the top. The steps are
names of fields; an item of a list goes by its name where it has one (an agent's id, a subject's address, a file's
name), else by its number from 1. `PATH` alone asks which figures the file has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from argusic.errors import InputError

_WHOLE = re.compile(
    r"(?P<path>[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*)/?(?:#(?P<figure>[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*)?)?"
)

#: The folders whose files are counted.
RUNS = PurePosixPath("runs")
SUBJECTS = PurePosixPath("pool/subjects")
CYCLES = PurePosixPath("pool/cycles")
VERDICTS = PurePosixPath("leaderboards/verdicts")


@dataclass(frozen=True)
class Address:
    """An address.

    Attributes:
        path: The file, or the folder.
        figure: What stands behind the `#`; empty where the file alone is named.
    """

    path: PurePosixPath
    figure: str

    def __str__(self) -> str:
        return f"{self.path}#{self.figure}" if self.figure else str(self.path)


def parse_address(text: str) -> Address:
    """Read an address.

    Raises:
        InputError: It is none.
    """
    match = _WHOLE.fullmatch(text.removeprefix("./"))
    if match is None or any(part in (".", "..") for part in re.split("[/#]", text.removeprefix("./"))):
        raise InputError(
            f"{text!r} is no address of a figure, PATH#FIGURE.",
            advice="One is leaderboards/boards/CYCLE/KIND.yaml#AGENT/score; PATH alone lists the figures of a file.",
        )
    return Address(PurePosixPath(match["path"]), match["figure"] or "")


def figure_at(path: PurePosixPath | str, *steps: str | int) -> str:
    """Return the address of a figure.

    Raises:
        ValueError: It would be none.
    """
    text = f"{path}#{'/'.join(map(str, steps))}"
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text!r} is no address of a figure")
    return text
