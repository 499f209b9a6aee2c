"""A change of what measurements rest on is in the changelog of the rules, from the first measurement on."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.database import Database
from argusic.errors import Finding, Place
from argusic.referee.changelog.comparing import Comparison
from argusic.referee.changelog.covering import misstated, uncovered
from argusic.referee.changelog.editions import wrong_editions
from argusic.referee.changelog.mixing import carried, mixed, posing
from argusic.referee.changelog.recomputing import derived_otherwise
from argusic.referee.methodology.page import PAGE


def check_changelog(database: Database, base: str) -> Iterator[Finding]:
    """Yield what was changed since `base` past the changelog of the rules.

    Before the first run there is nothing that a change could make incomparable, so nothing is asked for, but that code
    and evidence come apart, and that what is derived is left to the main branch.

    Raises:
        InputError: `base` names no commit, or the database is in no git repository.
    """
    git = database.repository()
    commit = git.commit(base)
    if not git.descends_from(commit):
        return  # The check of what is taken back says so.
    made = Comparison(database, git, commit)
    yield from mixed(made)
    yield from carried(made)
    yield from posing(made)
    if git.show(commit, PAGE) is not None and not database.holds(PAGE):
        yield Finding(Place(PAGE), "was removed, and with it what says in words how is measured.")
    if not made.begun:
        return
    yield from uncovered(made)
    yield from misstated(made)
    yield from wrong_editions(made)
    yield from derived_otherwise(made)
