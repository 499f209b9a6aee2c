"""Reads what the pages of the index are drawn from, out of a repository."""

from __future__ import annotations

from itertools import pairwise

from argusic.database.database import Database
from argusic.database.paths import ranking_path
from argusic.leaderboards.index.changes import Changes, changes
from argusic.leaderboards.index.comparing.compare import WAYS, compare
from argusic.leaderboards.index.comparing.comparison import Comparison
from argusic.leaderboards.index.comparing.repository import given_of, relative_ratings
from argusic.leaderboards.index.derive import index_at, prepared_for
from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.recorded import recorded
from argusic.leaderboards.index.standings import Index
from argusic.leaderboards.index.stored import facts_of, read_inputs
from argusic.records.index import RankingInputs
from argusic.records.index_ranking import Ranking
from argusic.site.index.contents import Contents


def gathered(database: Database) -> Contents | None:
    """Return everything that the pages show; None where the repository has no ranking of models.

    Raises:
        InputError: What the newest ranking is made from cannot be used.
        CheckFailed: Its fit came to no end.
    """
    inputs = read_inputs(database)
    if inputs is None:
        return None
    facts, ranking = facts_of(database), inputs.ranking
    index = index_at(facts, ranking, inputs.reference, inputs.addenda)
    return Contents(index, facts, ranking, compared(facts, ranking, index), _changes(database, index))


def compared(facts: Facts, ranking: RankingInputs, index: Index) -> Comparison:
    """Return the other ways to one number on the results of a ranking."""
    prepared = prepared_for(facts, ranking)
    return compare(given_of(facts, prepared, index), [*WAYS, *relative_ratings(facts, prepared)])


def _changes(database: Database, index: Index) -> tuple[Changes, ...]:
    """Return what each ranking changed, the newest first; older ones are as they were published."""
    newest = recorded(index)
    dates = [one.date for one in database.ranking_inputs() if one.date != newest.date]
    older = [database.read(path, Ranking) for date in dates if database.holds(path := ranking_path(date))]
    return tuple(reversed([changes(before, after) for before, after in pairwise([*older, newest])]))
