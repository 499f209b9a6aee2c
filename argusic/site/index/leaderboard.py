"""The rows of the leaderboard: where each model is drawn, what its rank is worth, and what filters ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from argusic.leaderboards.index.facts import Category
from argusic.leaderboards.index.standings import DomainScore, ModelStanding, Range, Rank
from argusic.site.index.contents import Contents
from argusic.site.index.drawing import Axis


@dataclass(frozen=True)
class BoardRow:
    """A model that has a score.

    Attributes:
        standing: Its standing.
        overall: Its rank among all; None where there is none.
        among_open: Its rank among the open ones; None where it is not one of them.
        begins: Whether it is the first of its group among all.
        begins_open: Whether it is the first of its group among the open ones.
        published: The published range.
        other: The other one.
        drawn: Where the published range begins, and how long it is.
        drawn_other: The same of the other.
        dot: Where the score lies.
        categories: The categories in which a result of it counts, for the filter.
    """

    standing: ModelStanding
    overall: Rank | None
    among_open: Rank | None
    begins: bool
    begins_open: bool
    published: Range
    other: Range
    drawn: tuple[float, float]
    drawn_other: tuple[float, float]
    dot: float
    categories: str

    @property
    def domains(self) -> Mapping[Category, DomainScore]:
        """Its scores by category."""
        return self.standing.domains


def board_rows(contents: Contents, axis: Axis) -> tuple[BoardRow, ...]:
    """Return the rows of the models that have a score, the highest first."""
    made: list[BoardRow] = []
    last: dict[str, int] = {}
    for standing in contents.ranked:
        overall, among_open = standing.ranks.get("all"), standing.ranks.get("open")
        published, other = ranges(contents, standing)
        counted = {contents.facts.benchmarks[p.result.benchmark].category for p in standing.results if p.counts}
        made.append(
            BoardRow(
                standing=standing,
                overall=overall,
                among_open=among_open,
                begins=overall is not None and last.get("all") != overall.group,
                begins_open=among_open is not None and last.get("open") != among_open.group,
                published=published,
                other=other,
                drawn=axis.span(published),
                drawn_other=axis.span(other),
                dot=axis.at(standing.score),
                categories=" ".join(sorted(counted)),
            )
        )
        last.update({field: rank.group for field, rank in standing.ranks.items()})
    return tuple(made)


def ranges(contents: Contents, standing: ModelStanding) -> tuple[Range, Range]:
    """Return the published range of a model, and the other one."""
    both = (standing.conditional, standing.joint)
    return both if contents.index.published == "conditional" else both[::-1]
