"""Medians, the spread with its edge cases, and which runs make a set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.records.edition import BoardRules
from argusic.rules.scored import ScoredRun
from argusic.rules.sets import is_unstable, median, run_set, spread

RULES = BoardRules(runs_per_set=3, unstable_above_percent=30, score="middle_of_middles")
DAY = datetime(2026, 11, 30, tzinfo=UTC)

points = st.fractions(min_value=0, max_value=100, max_denominator=60)
#: Close to each other, so that spreads around the limit and equal scores are common.
near = st.integers(0, 12).map(lambda n: Fraction(n * 10, 3))
three = st.one_of(st.tuples(points, points, points), st.tuples(near, near, near))


def a_run(n: int, total: Fraction | None, *, minute: int = 0, agent: str = "newcomer") -> ScoredRun:
    outcome: Any = "invalid" if total is None else "fail" if total < 92 else "pass_full"
    started = DAY + timedelta(minutes=minute)
    return ScoredRun(f"run-{n:04}", "package/tinydb", agent, False, started, outcome, total)


@given(values=st.lists(points, min_size=1, max_size=9))
def test_the_median_has_as_many_values_below_as_above(values: list[Fraction]) -> None:
    ordered = list(values)
    while len(ordered) > 2:
        ordered.remove(max(ordered))
        ordered.remove(min(ordered))
    assert median(values) == sum(ordered) / len(ordered)


def test_the_median_of_an_even_number_is_the_exact_mean_of_the_two_in_the_middle() -> None:
    assert median([Fraction(80), Fraction(100), Fraction(0), Fraction(260, 3)]) == Fraction(250, 3)


def test_there_is_no_median_of_nothing() -> None:
    with pytest.raises(ValueError):
        median([])


@given(scores=three)
def test_a_set_is_unstable_exactly_when_its_range_is_strictly_over_thirty_percent_of_its_middle(
    scores: tuple[Fraction, Fraction, Fraction],
) -> None:
    low, middle, high = sorted(scores)
    expected = high > 0 if middle == 0 else 100 * (high - low) > 30 * middle
    assert is_unstable(spread(scores), RULES) is expected


@given(scores=three, order=st.permutations([0, 1, 2]))
def test_the_spread_does_not_depend_on_order(scores: tuple[Fraction, ...], order: list[int]) -> None:
    assert spread(scores) == spread([scores[i] for i in order])


@given(scores=three, factor=st.fractions(min_value=Fraction(1, 50), max_value=1))
def test_the_spread_does_not_depend_on_the_scale(scores: tuple[Fraction, ...], factor: Fraction) -> None:
    assert spread(scores) == spread([score * factor for score in scores])


@pytest.mark.parametrize(
    ("scores", "expected", "unstable"),
    [
        ((0, 0, 0), Fraction(0), False),
        ((0, 0, 1), "unbounded", True),
        ((0, 0, 100), "unbounded", True),
        ((0, 50, 100), Fraction(200), True),
        ((70, 100, 100), Fraction(30), False),
        ((Fraction(6999, 100), 100, 100), Fraction(3001, 100), True),
        ((80, 80, 80), Fraction(0), False),
        ((60, 80, 84), Fraction(30), False),
        ((0, 80, 80), Fraction(100), True),
    ],
)
def test_the_edge_cases_of_the_spread(scores: tuple[Any, ...], expected: Any, unstable: bool) -> None:
    found = spread([Fraction(score) for score in scores])
    assert found == expected
    assert is_unstable(found, RULES) is unstable


runs_of_a_pair = st.lists(st.tuples(st.one_of(st.none(), near), st.integers(0, 5)), max_size=8).map(
    lambda rows: [a_run(n, total, minute=minute) for n, (total, minute) in enumerate(rows)]
)


@given(runs=runs_of_a_pair, data=st.data())
def test_a_set_is_the_first_three_valid_runs_by_start_in_whatever_order_they_come(
    runs: list[ScoredRun], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(runs))
    found = run_set(shuffled, RULES)
    valid = [run for run in runs if run.total is not None]
    chosen: list[ScoredRun] = []
    while valid and len(chosen) < 3:
        first = valid[0]
        for run in valid:
            if run.started < first.started or (run.started == first.started and run.run < first.run):
                first = run
        chosen.append(first)
        valid.remove(first)
    assert list(found.runs) == chosen
    assert sorted(run.run for run in found.further) == sorted(run.run for run in valid)
    assert sorted(run.run for run in found.invalid) == sorted(run.run for run in runs if run.total is None)


@given(runs=runs_of_a_pair)
def test_a_set_of_fewer_than_three_valid_runs_is_incomplete_and_has_no_score(runs: list[ScoredRun]) -> None:
    found = run_set(runs, RULES)
    if sum(run.total is not None for run in runs) < 3:
        assert not found.complete
        assert (found.median, found.spread, found.unstable) == (None, None, False)
    else:
        assert found.complete
        assert found.median == sorted(run.total for run in found.runs if run.total is not None)[1]


@given(runs=runs_of_a_pair, later=near)
def test_a_later_run_never_changes_a_complete_set(runs: list[ScoredRun], later: Fraction) -> None:
    before = run_set(runs, RULES)
    after = run_set([*runs, a_run(9999, later, minute=60)], RULES)
    if before.complete:
        assert (after.runs, after.median, after.spread) == (before.runs, before.median, before.spread)
