"""How the command line shows boards and verdicts: the derived files as tables."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from argusic.cli.output import printable
from argusic.database.database import Database
from argusic.database.paths import board_path, verdicts_path
from argusic.records.board import Board
from argusic.records.cycle import Cycle
from argusic.records.verdicts import Verdicts

#: The verdicts in words.
VERDICTS = {
    "runs": "runs",
    "runs_with_mocks": "runs with mocks",
    "could_not_verify": "could not verify",
    "not_yet_verified": "not yet verified",
}


def kinds_of(cycle: Cycle) -> list[str]:
    """Return the kinds of the cycle's subjects, sorted."""
    return sorted({entry.subject.split("/")[0] for entry in cycle.subjects})


def show_cycle(out: Console, base: Database, cycle: Cycle) -> None:
    """Print the verdicts and boards of a cycle, as the derived files have them."""
    for kind in kinds_of(cycle):
        # Nothing is derived for a kind that no agent but controls has run yet.
        if base.holds(verdicts_path(cycle.cycle, kind)):
            _show_verdicts(out, base, cycle.cycle, kind)
        if base.holds(board_path(cycle.cycle, kind)):
            _show_board(out, base, cycle.cycle, kind)


def _show_verdicts(out: Console, base: Database, cycle: str, kind: str) -> None:
    table = Table("subject", "verdict", "attempts", "decided by", title=f"Verdicts, {kind}", title_justify="left")
    for subject in base.read(verdicts_path(cycle, kind), Verdicts).subjects:
        decided = subject.decided_by
        table.add_row(
            subject.subject,
            VERDICTS[subject.verdict],
            str(len(subject.attempts)),
            f"{decided.agent}, {decided.run}" if decided else "",
        )
    out.print(table)


def _show_board(out: Console, base: Database, cycle: str, kind: str) -> None:
    columns = ("rank", "agent", "board score", "pass rate", "sets counted", "set aside", "invalid runs")
    table = Table(*columns, title=f"Board, {kind}", title_justify="left")
    for row in base.read(board_path(cycle, kind), Board).agents:
        rate = row.pass_rate
        aside = row.sets.unstable + row.sets.incomplete + row.sets.under_review
        table.add_row(
            str(row.rank or "-"),
            row.agent,
            f"{row.score.shown:g}" if row.score else printable(row.no_score or ""),
            f"{rate.passed} of {rate.valid}" if rate else "-",
            str(row.sets.counted),
            str(aside),
            str(row.attempts.invalid),
        )
    out.print(table)
