"""What moved between two rankings, and why: model by model, from what was published at both dates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from argusic.records.index_ranking import RankedModel, Ranking

#: Why a model moved, as far as its own results go: from nearest to farthest.
Cause = Literal[
    "new result", "changed result", "result gone", "benchmark entered", "benchmark left", "parameters", "reference"
]
#: Parameters and results that differ by less are the same: they are published with six digits.
_SAME: Final = 5e-7


@dataclass(frozen=True)
class Reason:
    """One reason for which a model moved.

    Attributes:
        cause: What it was. `parameters`: a benchmark was fitted anew because nothing holds it. `reference`: the scale
            is another, so that no benchmark is named.
        benchmark: On which benchmark; None for another reference.
    """

    cause: Cause
    benchmark: str | None


@dataclass(frozen=True)
class Moved:
    """A model that stands otherwise.

    Attributes:
        model: Its name.
        before: Its score then; None where it had none.
        after: Its score now; None where it has none.
        why: The reasons, the results of its own first.
        refused: Why it has no score now; None where it has one.
    """

    model: str
    before: float | None
    after: float | None
    why: tuple[Reason, ...]
    refused: str | None


@dataclass(frozen=True)
class Changes:
    """What differs between two rankings.

    Attributes:
        before: The date of the older one.
        after: That of the newer.
        references: The reference of each; None for a fit of its own.
        entered: Benchmarks that count now and did not, by id.
        left: Benchmarks that counted and do not any more, with the reason, by id.
        moved: Models whose score is another, the largest move first; then those that gained or lost one, by name.
        still: How many models have the same score at both.
    """

    before: str
    after: str
    references: tuple[str | None, str | None]
    entered: tuple[str, ...]
    left: tuple[tuple[str, str], ...]
    moved: tuple[Moved, ...]
    still: int


def changes(before: Ranking, after: Ranking) -> Changes:
    """Return what differs between an older and a newer ranking.

    Two of one date are the same ranking, derived before and after a table or a file was changed.

    Raises:
        ValueError: The older one is the newer.
    """
    if before.date > after.date:
        raise ValueError(f"{before.date} is after {after.date}")
    then, now = ({one.benchmark: one for one in made.benchmarks} for made in (before, after))
    reasons = {one.benchmark: one.reason for one in after.left_out}
    refitted = {
        name
        for name in then.keys() & now.keys()
        if abs(then[name].difficulty - now[name].difficulty) > _SAME
        or abs(then[name].discrimination - now[name].discrimination) > _SAME
    }
    other_scale = (before.reference, before.reference_sha256) != (after.reference, after.reference_sha256)
    old, new = ({one.model: one for one in made.models} for made in (before, after))
    moved, still = [], 0
    for name in sorted(old.keys() | new.keys()):
        first, second = old.get(name), new.get(name)
        scores = first.score if first else None, second.score if second else None
        if scores[0] == scores[1]:
            still += scores[0] is not None
            continue
        why = tuple(_reasons(first, second, set(then), set(now), set() if other_scale else refitted))
        scale = (Reason("reference", None),) if other_scale and None not in scores else ()
        moved.append(Moved(name, *scores, (*why, *scale), second.refused if second else None))
    return Changes(
        before.date,
        after.date,
        (before.reference, after.reference),
        tuple(sorted(now.keys() - then.keys())),
        tuple((name, reasons.get(name, "It has no result any more.")) for name in sorted(then.keys() - now.keys())),
        tuple(sorted(moved, key=_weight)),
        still,
    )


def _reasons(
    first: RankedModel | None, second: RankedModel | None, then: set[str], now: set[str], refitted: set[str]
) -> Iterator[Reason]:
    had, has = (dict(one.results) if one is not None else {} for one in (first, second))
    found: list[Reason] = []
    for name in sorted(had.keys() | has.keys()):
        if name not in had:
            found.append(Reason("new result" if name in then else "benchmark entered", name))
        elif name not in has:
            found.append(Reason("result gone" if name in now else "benchmark left", name))
        elif abs(had[name] - has[name]) > _SAME:
            found.append(Reason("changed result", name))
        elif name in refitted:
            found.append(Reason("parameters", name))
    order = ("new result", "changed result", "result gone", "benchmark entered", "benchmark left", "parameters")
    yield from sorted(found, key=lambda reason: order.index(reason.cause))


def _weight(one: Moved) -> tuple[float, str]:
    if one.before is None or one.after is None:
        return (1.0, one.model)
    return (-abs(one.after - one.before), one.model)
