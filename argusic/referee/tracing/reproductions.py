"""From the figures of a reproduction, and of how often a result was reproduced, down to the runs compared with.

What a reproduction says of its own runs is its maker's word: a chain ends there with their fingerprints, which the file
states, and on the other side with the evidence of the cycle's own runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from pathlib import PurePosixPath
from typing import Final

from argusic.database.paths import cycle_path, reproduction_path
from argusic.records.reproduction import Reproduction
from argusic.referee.reproducing.comparing import CellComparison
from argusic.referee.reproducing.counting import Reproduced, reproduced
from argusic.referee.reproducing.standing import Standing, standing
from argusic.referee.tracing import scores, stated
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Figures, Link, Value
from argusic.rules.agreement import Agreement
from argusic.rules.figures import exact, shown

_CLAIMED: Final = "what it says of its own runs is its maker's word; their fingerprints are in the file"
_RULE: Final = "compared again with the cycle's runs as they stand now, by the same rules on both sides"


def figures(ground: Ground, path: PurePosixPath) -> Figures:
    """Return every figure of a reproduction: what it states, and what follows from it."""
    record = ground.record(path, Reproduction)
    return {**stated.figures(ground, path, record), **_Compared(ground, path, record).figures()}


def figures_of_cycle(ground: Ground, cycle: str) -> Figures:
    """Return how often the results of a cycle were reproduced."""
    return _Counted(ground, cycle).figures()


class _Compared:
    """The chains of one reproduction."""

    def __init__(self, ground: Ground, path: PurePosixPath, record: Reproduction) -> None:
        self._ground, self._path, self._record = ground, path, record

    @cached_property
    def _found(self) -> Standing:
        self._ground.cycle(self._record.cycle)
        return standing(self._ground.database, self._record)

    def figures(self) -> Figures:
        """Return the figures that follow from the reproduction."""
        comparison = self._found.comparison
        found: Figures = {}
        for name, one in (("verdicts", comparison.verdict_agreement), ("outcomes", comparison.outcome_agreement)):
            found |= {figure: partial(self._whole, figure, value) for figure, value in _of_agreement(name, one)}
        counts: tuple[tuple[str, int], ...] = (
            ("inside", comparison.inside),
            ("outside", comparison.outside),
            ("compared", comparison.inside + comparison.outside),
            ("runs_again", sum(len(cell.runs) for cell in self._record.cells)),
            ("subjects", len(comparison.verdicts)),
            ("unpaired", comparison.unpaired),
            ("count_nowhere", comparison.left_out),
            ("unsettled", comparison.unsettled),
            ("since", self._found.since),
        )
        found |= {figure: partial(self._whole, figure, value) for figure, value in counts}
        for cell in comparison.cells:
            for step, value in _of_cell(cell):
                figure = f"{cell.subject}/{cell.agent}/{step}"
                found[figure] = partial(self._cell, cell, figure, value)
        return found

    def _whole(self, figure: str, value: Value) -> Link:
        cells = self._found.comparison.cells
        below = tuple(self._cell(cell, f"{cell.subject}/{cell.agent}/agreed", cell.agreed) for cell in cells)
        return self._link(figure, value, below)

    def _cell(self, cell: CellComparison, figure: str, value: Value) -> Link:
        named = next(one for one in self._record.cells if (one.subject, one.agent) == (cell.subject, cell.agent))
        runs = (self._ground.run_of(self._record.cycle, run) for run in named.original)
        return self._link(figure, value, tuple(scores.outcome(self._ground, run) for run in runs))

    def _link(self, figure: str, value: Value, below: tuple[Link, ...]) -> Link:
        return Link(
            what=f"{figure.replace('/', ' ').replace('_', ' ')} of a reproduction",
            value=value,
            file=str(self._path),
            sha256=self._ground.sha256(self._path),
            address=figure_at(self._path, figure),
            rule=_RULE,
            remarks=(_CLAIMED,),
            below=below,
        )


class _Counted:
    """The chains of how often a cycle's results were reproduced."""

    def __init__(self, ground: Ground, cycle: str) -> None:
        self._ground, self._cycle, self._path = ground, cycle, cycle_path(cycle)
        self._known: dict[str, Figures] = {}

    def figures(self) -> Figures:
        """Return the figures of each result, and of the cycle as a whole."""
        records = self._ground.database.reproductions(self._cycle)
        if not records:
            return {}
        standings = [standing(self._ground.database, record) for record in records]
        found: Figures = {"reproduced/times": partial(self._link, "reproduced/times", len(records), records)}
        people = len({record.by for record in records})
        found["reproduced/people"] = partial(self._link, "reproduced/people", people, records)
        for (subject, agent), one in reproduced(standings).items():
            own = [record for record in records if any((c.subject, c.agent) == (subject, agent) for c in record.cells)]
            for step, value in _of_result(one):
                figure = f"reproduced/{subject}/{agent}/{step}"
                found[figure] = partial(self._link, figure, value, own)
        return found

    def _link(self, figure: str, value: Value, records: Iterable[Reproduction]) -> Link:
        below = []
        for record in records:
            known = self._of(record.reproduction)
            step = figure.removeprefix("reproduced/").rpartition("/")[0]
            below.append(known[f"{step}/agreed" if step else "outcomes/agreed"]())
        return Link(
            what=f"{figure.replace('/', ' ')} in cycle {self._cycle}",
            value=value,
            file=str(self._path),
            sha256=self._ground.sha256(self._path),
            address=figure_at(self._path, figure),
            rule="counted from the reproductions that are written down; who made them is their own word",
            below=tuple(below),
        )

    def _of(self, reproduction: str) -> Figures:
        if reproduction not in self._known:
            self._known[reproduction] = figures(self._ground, reproduction_path(self._cycle, reproduction))
        return self._known[reproduction]


def _of_agreement(name: str, found: Agreement) -> Iterable[tuple[str, Value]]:
    yield f"{name}/pairs", found.pairs
    yield f"{name}/agreed", found.agreed
    yield f"{name}/subjects", found.clusters
    yield f"{name}/whole", found.whole
    for row, counts in zip(found.categories, found.table, strict=True):
        for column, count in zip(found.categories, counts, strict=True):
            yield f"{name}/table/{row}/{column}", count
    if found.kappa is not None:
        yield f"{name}/kappa", shown(found.kappa)
    for step, interval in (("kappa", found.interval), ("whole", found.whole_interval)):
        if interval is not None:
            yield f"{name}/{step}/low", interval.low
            yield f"{name}/{step}/high", interval.high


def _of_cell(cell: CellComparison) -> Iterable[tuple[str, Value]]:
    yield "compared", cell.compared
    yield "agreed", cell.agreed
    for step, side in (("first", cell.first), ("again", cell.again)):
        yield step, None if side.middle is None else scores.number(side.middle)
    if cell.spread is not None:
        yield "spread", cell.spread if isinstance(cell.spread, str) else scores.number(cell.spread)
    if cell.difference is not None:
        yield "difference", exact(cell.difference)


def _of_result(found: Reproduced) -> Iterable[tuple[str, Value]]:
    yield "times", found.times
    yield "people", found.people
    yield "agreed", found.agreed
    yield "compared", found.compared
