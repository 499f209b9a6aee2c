"""One masking for each command, wherever it stands: in the table, echoed in the recording, at its prompt in the log.

Were they masked each by what was found there, a command would no longer be the same in all three, and the served
recording would prove less than the raw one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from argusic.evidence.asciicast import prompt_event, visible
from argusic.evidence.commands import CommandRow, read_commands
from argusic.evidence.redaction.masking import mask_of


class Echoed:
    """A command with its masks.

    Args:
        row: Its row of the table.
        starts_program: Whether it is what started the agent's own program.

    Attributes:
        masked: The numbers of its characters that are masked.
    """

    def __init__(self, row: CommandRow, *, starts_program: bool = False) -> None:
        self.row = row
        self.starts_program = starts_program
        self.masked: set[int] = set()

    def add(self, numbers: Iterable[int | None]) -> bool:
        """Mask characters, but no control characters; return whether any was not masked yet."""
        command = self.row.command
        new = {n for n in numbers if n is not None and command[n].isprintable() and command[n] != " "} - self.masked
        self.masked |= new
        return bool(new)

    def command(self) -> str:
        """Return the command with its masks."""
        if not self.masked:
            return self.row.command
        return "".join(
            mask_of(character).decode() if number in self.masked else character
            for number, character in enumerate(self.row.command)
        )

    def echo(self) -> str:
        """Return how the recording echoes it, unmasked."""
        return prompt_event(self.row.command)

    def origin(self, newline: str) -> list[int | None]:
        """Return for each character of the echo which character of the command it shows.

        Args:
            newline: What ends a line there: CR and LF in the recording, LF in the log.
        """
        return list(_origin(self.row.command.rstrip("\n"), newline, len(self.row.command)))


def _origin(command: str, newline: str, whole: int) -> Iterator[int | None]:
    yield from (None, None)
    for number, character in enumerate(command):
        if character == "\n":
            yield from (None for _ in newline + "> ")
        else:
            yield from (number for _ in visible(character))
    yield from (None for _ in range((whole - len(command)) * len(newline + "> ")))
    yield from (None for _ in newline)


def read_rows(path: Path) -> list[Echoed]:
    """Return the commands of a table, leaving out what cannot be read; none where there is no table.

    Where no row says that it started the agent's own program, the first did, if any.
    """
    if not path.is_file():
        return []
    rows = read_commands(path)
    start = next((row.number for row in rows if row.source == "program"), 1)
    return [Echoed(row, starts_program=row.number == start) for row in rows]
