"""Sets: medians, the spread and its edge cases, and which runs make a board set. All in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from argusic.records.edition import BoardRules
from argusic.rules.scored import ScoredRun, in_order

#: A spread in percent, or the word for one that has no bound: a middle of 0 with a run above 0.
Spread = Fraction | Literal["unbounded"]


@dataclass(frozen=True)
class RunSet:
    """The runs of one agent on one subject, as a board sees them.

    Attributes:
        runs: The set itself: the first valid runs by start, as many as the edition asks, or fewer.
        further: Valid runs after the set; they count in the pass rate alone.
        invalid: Runs that count nowhere.
        held: Runs that a person has to look at before they may count.
        median: The middle score of a complete set; None while it is incomplete.
        spread: The spread of a complete set; None while it is incomplete.
        unstable: Whether a complete set's spread is above the edition's limit.
    """

    runs: tuple[ScoredRun, ...]
    further: tuple[ScoredRun, ...]
    invalid: tuple[ScoredRun, ...]
    held: tuple[ScoredRun, ...]
    median: Fraction | None
    spread: Spread | None
    unstable: bool

    @property
    def complete(self) -> bool:
        """Whether there are as many valid runs as a set needs."""
        return self.median is not None


def median(values: Sequence[Fraction]) -> Fraction:
    """Return the middle value; of an even number of values, the exact mean of the two in the middle.

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("a median needs at least one value")
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def spread(scores: Sequence[Fraction]) -> Spread:
    """Return `(highest - lowest) / middle * 100`.

    By rule it is 0 when every score is 0, and unbounded when the middle is 0 but a score is above it.
    """
    middle = median(scores)
    reach = max(scores) - min(scores)
    if middle == 0:
        return Fraction(0) if reach == 0 else "unbounded"
    return reach / middle * 100


def is_unstable(value: Spread, rules: BoardRules) -> bool:
    """Return whether a spread sets its set aside: strictly above the limit, compared exactly."""
    return value == "unbounded" or value > rules.unstable_above_percent


def run_set(runs: Sequence[ScoredRun], rules: BoardRules) -> RunSet:
    """Make the set of one agent on one subject from all its runs there, in any order.

    A run that is held keeps its place: no later run takes it, and the set waits for what becomes of it.
    """
    ordered = in_order(runs)
    candidates = [run for run in ordered if run.valid or run.held]
    chosen = tuple(run for run in candidates[: rules.runs_per_set] if run.valid)
    middle: Fraction | None = None
    reach: Spread | None = None
    if len(chosen) == rules.runs_per_set:
        scores = [run.total for run in chosen if run.total is not None]
        middle, reach = median(scores), spread(scores)
    return RunSet(
        runs=chosen,
        further=tuple(run for run in candidates[rules.runs_per_set :] if run.valid),
        invalid=tuple(run for run in ordered if run.outcome == "invalid"),
        held=tuple(run for run in ordered if run.held),
        median=middle,
        spread=reach,
        unstable=reach is not None and is_unstable(reach, rules),
    )
