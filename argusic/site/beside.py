"""What was installed beside a subject, as the run's own commands listed it: names and versions, no addresses.

Servers and libraries rarely pin what they depend on, so what comes of a run can change with the day that it was made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from argusic.evidence.commands import CommandRow
from argusic.site.evidence import RunEvidence

#: Commands that list what is installed.
_LISTS: Final = re.compile(r"\bpip3? (list\b.*--format[= ]freeze|freeze\b)|\bnpm (ls|list)\b")
#: A name and a version as pip and npm write them.
_ENTRY: Final = re.compile(
    r"(?<![\w@/.-])(@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*(==|@)[0-9][A-Za-z0-9.!+_-]*(?![\w/:@])"
)
#: The most lines of one listing that are read, and entries that are shown.
_MOST: Final = 2_000


@dataclass(frozen=True)
class Beside:
    """One listing of what was installed.

    Attributes:
        row: The command that listed it.
        entries: Names with versions, each once, in order.
    """

    row: CommandRow
    entries: tuple[str, ...]


def installed_beside(evidence: RunEvidence) -> tuple[Beside, ...]:
    """Return what the commands of a run listed as installed; nothing where none did, or its log is not here."""
    rows = evidence.commands
    found = []
    for place, row in enumerate(rows, start=1):
        if row.exit_status == 0 and _LISTS.search(row.command):
            entries = _entries(evidence, row.log_line, rows[place].log_line if place < len(rows) else None)
            if entries:
                found.append(Beside(row, entries))
    return tuple(found)


def _entries(evidence: RunEvidence, first: int, end: int | None) -> tuple[str, ...]:
    """Return the entries of the log's lines from `first` to before `end`, counted from 1."""
    if evidence.log is None:
        return ()
    with evidence.log.open(encoding="utf-8", errors="replace", newline="\n") as log:
        # The first of them is the command itself.
        lines = list(islice(log, first, min(end - 1 if end is not None else first + _MOST, first + _MOST)))
    named = (match.group() for line in lines for match in _ENTRY.finditer(line))
    return tuple(dict.fromkeys(named))[:_MOST]
