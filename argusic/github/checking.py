"""Checking a pull request by the program as it is without it: of what it brings only data is read, and nothing run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argusic.database.database import Database
from argusic.database.laying_out import Commit
from argusic.errors import ArgusicError, Finding, InputError, Place
from argusic.records.difference import Difference
from argusic.referee.check import against, in_order, standing
from argusic.referee.difference import difference
from argusic.referee.pinpointing import pinpointed

#: The folder of the program.
PROGRAM: Final = "argusic"
#: Finding a line means reading a file again.
MOST_LOCATED: Final = 200


@dataclass(frozen=True)
class Checked:
    """What came of checking.

    Attributes:
        head: The commit that the pull request brings.
        base: The commit that it was compared with.
        findings: What is wrong with it, each with its line.
        by_this_program: What this program would not have, where the pull request changes the program: that of the
            pull request decides, in its own checks.
        difference: What would be derived otherwise; none where nothing could be derived.
    """

    head: str
    base: str
    findings: tuple[Finding, ...]
    by_this_program: tuple[Finding, ...] = ()
    difference: Difference | None = None


def check_commit(clone: Path, revision: str, base: str | None = None) -> Checked:
    """Check a commit of a clone, which need not be checked out there, and should not be.

    Args:
        clone: A clone that is trusted; it holds the commit and what it is compared with, and its files are not read.
        revision: The commit. Of a merge that GitHub made of a pull request, the first parent is what it is compared
            with, and the second one what the pull request brings.
        base: What it is compared with instead. For a commit that is no merge, by default the last commit that it has in
            common with what is checked out.

    Raises:
        InputError: There is no such commit, or nothing to compare it with.
    """
    commit = Commit(clone, revision)
    parents = commit.parents()
    merged = len(parents) == 2 and base is None
    compared = commit.commit(base) if base is not None else parents[0] if merged else commit.meeting_point()
    head = parents[1] if merged else commit.id
    if unfit := list(commit.unfit(compared)):
        return Checked(head, compared, tuple(in_order(unfit)))
    with tempfile.TemporaryDirectory(prefix="argusic-") as folder:
        try:
            database = commit.lay_out(Path(folder).resolve() / "laid-out")
        except InputError as error:
            return Checked(head, compared, (Finding(error.place or Place("."), f"cannot be laid out: {error.what}"),))
        return _check(database, head, compared)


def _check(database: Database, head: str, base: str) -> Checked:
    wrong = _found(lambda: against(database, base))
    tree = _found(lambda: standing(database))
    # Another program knows other files and other limits, and is judged by its own.
    changed = any(change.path.suffix == ".py" for change in database.repository().changes(base, PROGRAM))
    findings, noted = (wrong, tree) if changed else ([*wrong, *tree], [])
    try:
        derived = difference(database, base)
    except ArgusicError:
        derived = None  # Why is among what was found.
    return Checked(head, base, _located(database, findings, base), _located(database, noted, base), derived)


def _found(look: Callable[[], list[Finding]]) -> list[Finding]:
    """Return what a check found, or why it could not be made: what stops a check is wrong with the pull request."""
    try:
        return look()
    except ArgusicError as error:
        return [Finding(error.place or Place("."), error.what)]


def _located(database: Database, findings: Iterable[Finding], base: str) -> tuple[Finding, ...]:
    found = in_order(findings)
    located = [pinpointed(database, finding, base) for finding in found[:MOST_LOCATED]]
    return tuple(in_order([*located, *found[MOST_LOCATED:]]))
