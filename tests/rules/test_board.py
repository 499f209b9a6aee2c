"""The board score, what is excluded from it, and the order of agents."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.records.edition import BoardRules
from argusic.rules.board import Standing, board_score, no_score_reason, ranking, standing
from argusic.rules.quality import Review
from argusic.rules.scored import ScoredRun
from argusic.rules.sets import run_set

RULES = BoardRules(runs_per_set=3, unstable_above_percent=30, score="middle_of_middles")
DAY = datetime(2026, 11, 30, tzinfo=UTC)
FREE = Review(raised=False, excluded=False, reason=None, screening=None)
HELD = Review(
    raised=True, excluded=True, reason="All 2 agents that ran it failed; a person has to look.", screening=None
)

scores = st.lists(st.one_of(st.none(), st.integers(0, 15).map(lambda n: Fraction(n * 20, 3))), max_size=5)
subjects = st.lists(st.tuples(scores, st.booleans()), max_size=6)


def a_standing(totals: Sequence[Fraction | None], held: bool, subject: str = "package/tinydb") -> Standing:
    made = []
    for n, total in enumerate(totals):
        outcome: Any = "invalid" if total is None else "fail"
        made.append(ScoredRun(f"run-{n}", subject, "ada", False, DAY + timedelta(hours=n), outcome, total))
    return standing(subject, run_set(made, RULES), HELD if held else FREE, 3)


def slow_twin(pool: Sequence[tuple[Sequence[Fraction | None], bool]]) -> Fraction | None:
    middles = []
    for totals, held in pool:
        valid = [total for total in totals if total is not None][:3]
        if len(valid) < 3 or held:
            continue
        low, middle, high = sorted(valid)
        if middle == 0 and high > 0:
            continue
        if middle > 0 and (high - low) / middle * 100 > 30:
            continue
        middles.append(middle)
    return Fraction(statistics.median(middles)) if middles else None


@given(pool=subjects)
def test_the_board_score_is_the_median_of_medians_over_the_sets_that_count(
    pool: list[tuple[list[Fraction | None], bool]],
) -> None:
    standings = [a_standing(totals, held) for totals, held in pool]
    assert board_score(standings) == slow_twin(pool)


@given(pool=subjects)
def test_every_set_that_does_not_count_says_why(pool: list[tuple[list[Fraction | None], bool]]) -> None:
    for totals, held in pool:
        item = a_standing(totals, held)
        assert (item.reason is None) == (item.state == "counted")


@pytest.mark.parametrize(
    ("totals", "held", "state", "reason"),
    [
        ([100, 100, 100], False, "counted", None),
        ([100, 100, 70], False, "counted", None),
        ([100, 100, 69], False, "unstable", "The runs are too far apart: a spread of 31 %."),
        (
            [0, 0, 80],
            False,
            "unstable",
            "The middle score is 0 although a run scored above 0, so the spread has no bound.",
        ),
        ([100, 100], False, "incomplete", "2 of 3 valid runs."),
        ([0, 0, 0], True, "under_review", "All 2 agents that ran it failed; a person has to look."),
        ([0, 0], True, "under_review", "All 2 agents that ran it failed; a person has to look."),
    ],
)
def test_what_becomes_of_a_set(totals: list[int], held: bool, state: str, reason: str | None) -> None:
    item = a_standing([Fraction(total) for total in totals], held)
    assert (item.state, item.reason) == (state, reason)


@given(
    table=st.dictionaries(
        st.sampled_from(["ada", "bob", "eve", "kim", "lee", "max"]),
        st.one_of(st.none(), st.integers(0, 4).map(lambda n: Fraction(n * 50, 3))),
    )
)
def test_equal_scores_share_a_rank_and_agents_without_one_stand_at_the_bottom(
    table: dict[str, Fraction | None],
) -> None:
    rows = ranking(table, dict.fromkeys(table, "No set counts."))
    assert sorted(row.agent for row in rows) == sorted(table)
    for row in rows:
        score = table[row.agent]
        if score is None:
            assert (row.rank, row.reason) == (None, "No set counts.")
        else:
            better = [other for other in table.values() if other is not None and other > score]
            assert (row.rank, row.reason) == (len(better) + 1, None)
    without = [row.score is None for row in rows]
    assert without == sorted(without)
    placed = [(row.rank, row.agent) for row in rows if row.rank is not None]
    assert placed == sorted(placed)


def test_an_agent_without_a_score_is_told_why() -> None:
    standings = [a_standing([Fraction(0)] * 2, False), a_standing([Fraction(0)] * 3, True)]
    assert no_score_reason(standings) == "None of its 2 sets counts: 1 incomplete, 1 on subjects under review."
    assert no_score_reason([a_standing([], False)]) == "It has no valid run in this cycle yet."
