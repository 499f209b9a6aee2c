"""What would be derived otherwise if a change were merged: the derivations of the facts as they lie there now, beside
those of a commit. Nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeVar, get_args

from argusic.database.codec import parse_record
from argusic.database.database import Database
from argusic.database.git import Git
from argusic.database.inputs import INDEX_INPUT_FOLDERS, INPUT_FOLDERS, feeds
from argusic.database.paths import board_path, verdicts_path
from argusic.leaderboards.gather import Gathered, GroupId
from argusic.leaderboards.index.changes import changes
from argusic.records.base import Record
from argusic.records.board import Board, BoardRow, BoardSet
from argusic.records.difference import MOST_NAMED, Aspect, Changed, Difference, IndexChanged
from argusic.records.index_ranking import Ranking
from argusic.records.verdicts import SubjectVerdict, Verdicts
from argusic.referee.ranking import derived_ranking, rankings
from argusic.referee.recompute import derive

R = TypeVar("R", bound=Record)
_VERDICTS = PurePosixPath("leaderboards/verdicts")


@dataclass
class _Derived:
    """The derivations of some groups."""

    boards: dict[GroupId, Board] = field(default_factory=dict)
    verdicts: dict[GroupId, Verdicts] = field(default_factory=dict)


def difference(database: Database, base: str) -> Difference:
    """Return what would be derived otherwise than what `base` holds.

    Args:
        database: The database with the change.
        base: A git revision.

    Raises:
        InputError: `base` names no commit, the database is in no git repository, or nothing can be derived from it.
    """
    git = database.repository()
    commit = git.commit(base)
    gathered = Gathered(database)
    groups = _touched(git, commit, gathered)
    before, after = _Derived(), _Derived()
    for group in groups:
        made = derive(gathered, group, gathered.score_runs(group, {}))
        path = board_path(*group)
        _put(before.boards, group, git.show(commit, path), Board, path)
        _put(after.boards, group, made.get(path), Board, path)
        path = verdicts_path(*group)
        _put(before.verdicts, group, git.show(commit, path), Verdicts, path)
        _put(after.verdicts, group, made.get(path), Verdicts, path)
    found = [*_verdicts(before, after), *_boards(before, after), *_tested(git, commit, before, after)]
    order = {aspect: place for place, aspect in enumerate(get_args(Aspect))}
    found.sort(key=lambda one: (order[one.aspect], one.cycle or "", one.kind, one.agent or "", one.subject or ""))
    counts = dict(Counter(one.aspect for one in found))
    return Difference(changed=tuple(found[:MOST_NAMED]), counts=counts, index=_index(database, git, commit))


def _index(database: Database, git: Git, commit: str) -> IndexChanged | None:
    """Compare the newest ranking with that of the commit; None where nothing that feeds it changed."""
    ranked = rankings(database)
    if ranked is None or not git.changes(commit, *INDEX_INPUT_FOLDERS):
        return None
    after = parse_record(derived_ranking(database, ranked), Ranking, file=ranked.path)
    there = sorted(name for name in git.names(commit, ranked.path.parent) if name <= ranked.path.name)
    if not there:
        entered = tuple(one.benchmark for one in after.benchmarks)
        return IndexChanged(after=after.date, moved=after.ranked, largest=0.0, entered=entered, ranked=after.ranked)
    path = ranked.path.parent / there[-1]
    found = changes(parse_record(git.show(commit, path) or b"", Ranking, file=path), after)
    if not (found.moved or found.entered or found.left) and found.before == found.after:
        return None
    moves = [abs(one.after - one.before) for one in found.moved if one.after is not None and one.before is not None]
    return IndexChanged(
        before=found.before,
        after=found.after,
        moved=len(found.moved),
        largest=round(max(moves, default=0.0), 4),
        entered=found.entered,
        left=tuple(name for name, _ in found.left),
        ranked=after.ranked,
    )


def _put(into: dict[GroupId, R], group: GroupId, data: bytes | None, model: type[R], path: PurePosixPath) -> None:
    if data is not None:
        into[group] = parse_record(data, model, file=path)


def _touched(git: Git, commit: str, gathered: Gathered) -> list[GroupId]:
    """Return the groups whose derivations the change may alter."""
    fed = set()
    for change in git.changes(commit, *INPUT_FOLDERS):
        what = feeds(str(change.path))
        # Nothing that is published rests on a subject, an agent or an edition that was not there.
        if what is not None and not (what[0] is None and change.status == "A"):
            fed.add(what)
    return sorted(
        (cycle, kind)
        for cycle, kind in gathered.runs
        if not fed.isdisjoint([(None, None), (cycle, None), (None, kind), (cycle, kind)])
    )


def _verdicts(before: _Derived, after: _Derived) -> Iterator[Changed]:
    for (cycle, kind), then, now in _pairs(before.verdicts, after.verdicts):
        old, new = ({one.subject: one for one in made.subjects} if made else {} for made in (then, now))
        for subject, first, second in _pairs(old, new):
            values: tuple[tuple[Aspect, Callable[[SubjectVerdict], str | None]], ...] = (
                ("verdict", lambda one: one.verdict),
                ("review", _review),
            )
            for aspect, value in values:
                yield from _changed(aspect, first, second, value, cycle=cycle, kind=kind, subject=subject)


def _boards(before: _Derived, after: _Derived) -> Iterator[Changed]:
    for (cycle, kind), then, now in _pairs(before.boards, after.boards):
        old, new = ({row.agent: row for row in made.agents} if made else {} for made in (then, now))
        for agent, first, second in _pairs(old, new):
            values: tuple[tuple[Aspect, Callable[[BoardRow], str | None]], ...] = (
                ("rank", lambda row: str(row.rank) if row.rank is not None else None),
                ("score", lambda row: f"{row.score.shown:g}" if row.score is not None else None),
                ("pass rate", _rate),
            )
            for aspect, value in values:
                yield from _changed(aspect, first, second, value, cycle=cycle, kind=kind, agent=agent)
            sets = [{one.subject: one for one in row.subjects} if row else {} for row in (first, second)]
            for subject, one, other in _pairs(*sets):
                where = {"cycle": cycle, "kind": kind, "agent": agent, "subject": subject}
                yield from _changed("set", one, other, lambda held: held.state, **where)
                yield from _changed("median", one, other, _median, **where)


def _tested(git: Git, commit: str, before: _Derived, after: _Derived) -> Iterator[Changed]:
    """Compare how many subjects of a kind were ever tried, over all cycles."""
    for kind in sorted({kind for _, kind in (*before.verdicts, *after.verdicts)}):
        cycles = git.names(commit, _VERDICTS)
        standing: dict[GroupId, Verdicts] = {}
        for cycle in cycles:
            path = verdicts_path(cycle, kind)
            _put(standing, (cycle, kind), git.show(commit, path), Verdicts, path)
        counts = [
            len({ref for group, made in held.items() if group[1] == kind for ref in _tried(made)})
            for held in (standing, standing | after.verdicts)
        ]
        yield from _changed("tested", counts[0] or None, counts[1] or None, str, kind=kind)


def _tried(made: Verdicts) -> Iterator[str]:
    return (one.subject for one in made.subjects if one.attempts)


def _review(one: SubjectVerdict) -> str | None:
    if one.review is None:
        return None
    return "excluded" if one.review.excluded else "raised" if one.review.raised else "settled"


def _rate(row: BoardRow) -> str | None:
    return f"{row.pass_rate.passed} of {row.pass_rate.valid}" if row.pass_rate is not None else None


def _median(held: BoardSet) -> str | None:
    return f"{held.score.shown:g}" if held.score is not None else None


K = TypeVar("K")
V = TypeVar("V")


def _pairs(old: Mapping[K, V], new: Mapping[K, V]) -> Iterable[tuple[K, V | None, V | None]]:
    return [(key, old.get(key), new.get(key)) for key in dict.fromkeys((*old, *new))]


def _changed(
    aspect: Aspect, before: V | None, after: V | None, value: Callable[[V], str | None], **where: str
) -> Iterator[Changed]:
    then = value(before) if before is not None else None
    now = value(after) if after is not None else None
    if then != now:
        yield Changed.model_validate({"aspect": aspect, **where, "before": then, "after": now})
