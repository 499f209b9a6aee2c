"""The comparison of a reproduction with what it reproduces: a pure function of the runs of both sides.

Decision: the unit of an outcome is one attempt, the n-th valid one there beside the n-th valid one here, as attempts
are numbered everywhere. Which of equal attempts is compared with which is chance, and the pairs of one subject stand or
fall together: where the sureness of a figure is concerned, a subject counts as one. The unit of a verdict is one
subject, reached by the agents that were run again and by no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from argusic.records.edition import Edition
from argusic.referee.reproducing.sides import Side, SideRun
from argusic.rules.agreement import Agreement, Pair, agreement
from argusic.rules.rubric import OUTCOMES, Outcome
from argusic.rules.scored import ScoredRun
from argusic.rules.sets import RunSet, Spread, median, run_set
from argusic.rules.verdict import Chain, VerdictWord, verdict

#: What an attempt that counts can come to, in the order of the table.
CATEGORIES: Final = tuple(outcome for outcome in OUTCOMES if outcome != "invalid")
#: The verdicts that testing can end with, in the order of the table.
SETTLED: Final[tuple[VerdictWord, ...]] = ("runs", "runs_with_mocks", "could_not_verify")


@dataclass(frozen=True)
class CellSide:
    """One side of one agent on one subject.

    Attributes:
        outcomes: What its valid runs came to, by start.
        left_out: How many runs count nowhere: invalid, or held.
        middle: The middle score of its set, or of what valid runs there are; None without one.
        lines: The middle points of each line.
    """

    outcomes: tuple[Outcome, ...]
    left_out: int
    middle: Fraction | None
    lines: Mapping[str, Fraction]


@dataclass(frozen=True)
class CellComparison:
    """One agent on one subject, on both sides.

    Attributes:
        first: What the cycle published.
        again: What came out again.
        compared: How many pairs of attempts there are.
        agreed: How many of them came out the same.
        difference: How much higher the middle score is now; None where a side has none.
        spread: The spread of the cycle's set, in percent; None while that is incomplete.
        inside: Whether the difference is no larger than the cycle's own scores lie apart; None where unknown.
    """

    subject: str
    agent: str
    first: CellSide
    again: CellSide
    compared: int
    agreed: int
    difference: Fraction | None
    spread: Spread | None
    inside: bool | None


@dataclass(frozen=True)
class VerdictComparison:
    """One subject's verdict, reached on both sides by the agents that were run again.

    Attributes:
        agrees: Whether it is the same; None while testing has not finished on a side.
    """

    subject: str
    first: VerdictWord
    again: VerdictWord
    agrees: bool | None


@dataclass(frozen=True)
class Comparison:
    """What a comparison comes to.

    Attributes:
        cells: Each agent on each subject.
        verdicts: Each subject.
        outcome_agreement: How far attempts agree, by outcome.
        verdict_agreement: How far subjects agree, by settled verdict.
    """

    cells: tuple[CellComparison, ...]
    verdicts: tuple[VerdictComparison, ...]
    outcome_agreement: Agreement
    verdict_agreement: Agreement

    @property
    def unpaired(self) -> int:
        """How many valid runs have none to be compared with."""
        return sum(len(cell.first.outcomes) + len(cell.again.outcomes) - 2 * cell.compared for cell in self.cells)

    @property
    def left_out(self) -> int:
        """How many runs of either side count nowhere."""
        return sum(cell.first.left_out + cell.again.left_out for cell in self.cells)

    @property
    def unsettled(self) -> int:
        """How many subjects have no verdict on a side yet."""
        return sum(one.agrees is None for one in self.verdicts)

    @property
    def inside(self) -> int:
        """How many middle scores lie no further away than the cycle's own scores lie apart."""
        return sum(cell.inside is True for cell in self.cells)

    @property
    def outside(self) -> int:
        """How many lie further away."""
        return sum(cell.inside is False for cell in self.cells)


def compare(first: Side, again: Side, edition: Edition, chain: Chain) -> Comparison:
    """Compare what came out again with what was published.

    Args:
        first: The cycle's runs as they stand.
        again: The runs of the reproduction. What it did not run again is not compared.
        edition: The edition that both were measured under.
        chain: The cycle's agents and the edition's rules, for verdicts.
    """
    cells = [_cell(cell, first.get(cell, ()), runs, edition) for cell, runs in sorted(again.items())]
    pairs = [
        Pair(cell.subject, one, other)
        for cell in cells
        for one, other in zip(cell.first.outcomes, cell.again.outcomes, strict=False)
    ]
    subjects = sorted({subject for subject, _ in again})
    verdicts = [_verdict(subject, first, again, chain) for subject in subjects]
    settled = [Pair(one.subject, one.first, one.again) for one in verdicts if one.agrees is not None]
    return Comparison(tuple(cells), tuple(verdicts), agreement(pairs, CATEGORIES), agreement(settled, SETTLED))


def _cell(
    cell: tuple[str, str], first: Sequence[SideRun], again: Sequence[SideRun], edition: Edition
) -> CellComparison:
    one, other = (run_set([run.scored for run in runs], edition.board) for runs in (first, again))
    here, there = _side(first, one), _side(again, other)
    pairs = list(zip(here.outcomes, there.outcomes, strict=False))
    difference = None if here.middle is None or there.middle is None else there.middle - here.middle
    reach = _reach(one)
    return CellComparison(
        subject=cell[0],
        agent=cell[1],
        first=here,
        again=there,
        compared=len(pairs),
        agreed=sum(before == now for before, now in pairs),
        difference=difference,
        spread=one.spread,
        inside=None if difference is None or reach is None else abs(difference) <= reach,
    )


def _side(runs: Sequence[SideRun], made: RunSet) -> CellSide:
    valid = [run for run in runs if run.scored.valid]
    chosen = {run.run for run in made.runs} if made.complete else {run.scored.run for run in valid}
    counted = [run for run in valid if run.scored.run in chosen]
    totals = [run.scored.total for run in counted if run.scored.total is not None]
    names = list(counted[0].lines) if counted else []
    return CellSide(
        outcomes=tuple(run.scored.outcome for run in valid),
        left_out=len(runs) - len(valid),
        middle=median(totals) if totals else None,
        lines={name: median([run.lines[name] for run in counted]) for name in names},
    )


def _reach(made: RunSet) -> Fraction | None:
    """Return how far the scores of a complete set lie apart: its spread, in points."""
    totals = [run.total for run in made.runs if run.total is not None]
    return max(totals) - min(totals) if made.complete else None


def _verdict(subject: str, first: Side, again: Side, chain: Chain) -> VerdictComparison:
    agents = {agent for named, agent in again if named == subject}
    reached = [verdict(_of(subject, agents, runs), chain).word for runs in (first, again)]
    settled = all(word in SETTLED for word in reached)
    return VerdictComparison(subject, reached[0], reached[1], reached[0] == reached[1] if settled else None)


def _of(subject: str, agents: set[str], runs: Side) -> list[ScoredRun]:
    return [
        run.scored
        for (named, agent), found in runs.items()
        if named == subject and agent in agents
        for run in found
        if not run.scored.control
    ]
