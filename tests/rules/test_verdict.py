"""The project verdict: the best outcome reached, and when failures settle it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.records.edition import VerdictRules
from argusic.rules.scored import ScoredRun
from argusic.rules.verdict import Chain, verdict

DAY = datetime(2026, 11, 30, tzinfo=UTC)
ON_REQUEST = VerdictRules(complete_attempts=2, stronger_agent="on_request")
THIRD_STEP = VerdictRules(complete_attempts=2, stronger_agent="third_step")
CHAIN = Chain("ada", "eve", ON_REQUEST)
Row = tuple[str, str]

rows = st.lists(
    st.tuples(
        st.sampled_from(["ada", "bob", "eve"]),
        st.sampled_from(["fail", "fail", "fail", "timeout", "invalid", "invalid", "pass_mock", "pass_full"]),
    ),
    max_size=6,
)


def runs(pairs: list[Row]) -> list[ScoredRun]:
    made = []
    for n, (agent, outcome) in enumerate(pairs):
        total = None if outcome == "invalid" else Fraction(0)
        any_outcome: Any = outcome
        when = DAY + timedelta(hours=n)
        made.append(ScoredRun(f"run-{n}", "package/tinydb", agent, False, when, any_outcome, total))
    return made


def slow_twin(pairs: list[Row]) -> tuple[str, str | None]:
    """The verdict and the run that decided, by the methodology's own words."""
    for wanted, word in (("pass_full", "runs"), ("pass_mock", "runs_with_mocks")):
        for n, (_, outcome) in enumerate(pairs):
            if outcome == wanted:
                return word, f"run-{n}"
    failures_of_the_standard_agent = 0
    for n, (agent, outcome) in enumerate(pairs):
        if outcome == "invalid":
            continue
        if agent == "eve":
            return "could_not_verify", f"run-{n}"
        if agent == "ada":
            failures_of_the_standard_agent += 1
            if failures_of_the_standard_agent == 2:
                return "could_not_verify", f"run-{n}"
    return "not_yet_verified", None


@given(pairs=rows, data=st.data())
def test_the_verdict_is_the_best_outcome_or_what_the_chain_settled(pairs: list[Row], data: st.DataObject) -> None:
    found = verdict(data.draw(st.permutations(runs(pairs))), CHAIN)
    decided = found.decided_by.run if found.decided_by is not None else None
    assert (found.word, decided) == slow_twin(pairs)


@given(pairs=rows)
def test_invalid_attempts_change_no_verdict(pairs: list[Row]) -> None:
    without = [run for run in runs(pairs) if run.valid]
    assert verdict(runs(pairs), CHAIN) == verdict(without, CHAIN)


@given(pairs=rows)
def test_a_pass_by_any_agent_shows_that_the_project_runs(pairs: list[Row]) -> None:
    assert verdict(runs([*pairs, ("bob", "pass_full")]), CHAIN).word == "runs"


@given(pairs=rows, after=rows)
def test_more_attempts_never_lower_a_verdict(pairs: list[Row], after: list[Row]) -> None:
    order = ["not_yet_verified", "could_not_verify", "runs_with_mocks", "runs"]
    before = order.index(verdict(runs(pairs), CHAIN).word)
    assert order.index(verdict(runs(pairs + after), CHAIN).word) >= before


@pytest.mark.parametrize(
    ("pairs", "word", "rule"),
    [
        ([], "not_yet_verified", "verdict.not_yet_verified"),
        ([("ada", "fail")], "not_yet_verified", "verdict.not_yet_verified"),
        ([("ada", "fail"), ("ada", "invalid")], "not_yet_verified", "verdict.not_yet_verified"),
        ([("ada", "fail"), ("ada", "timeout")], "could_not_verify", "verdict.standard_agent"),
        ([("bob", "fail"), ("bob", "fail")], "not_yet_verified", "verdict.not_yet_verified"),
        ([("eve", "fail")], "could_not_verify", "verdict.stronger_agent"),
        ([("ada", "fail"), ("ada", "fail"), ("eve", "pass_full")], "runs", "verdict.runs"),
        ([("ada", "pass_mock"), ("eve", "fail")], "runs_with_mocks", "verdict.runs_with_mocks"),
    ],
)
def test_how_a_chain_settles(pairs: list[Row], word: str, rule: str) -> None:
    found = verdict(runs(pairs), CHAIN)
    assert (found.word, found.rule) == (word, rule)


@pytest.mark.parametrize(("stronger", "word"), [("eve", "not_yet_verified"), (None, "could_not_verify")])
def test_where_the_stronger_agent_is_the_third_step_the_standard_agents_failures_wait_for_it(
    stronger: str | None, word: Literal["not_yet_verified", "could_not_verify"]
) -> None:
    pairs = [("ada", "fail"), ("ada", "fail")]
    assert verdict(runs(pairs), Chain("ada", stronger, THIRD_STEP)).word == word
    assert verdict(runs([*pairs, ("eve", "fail")]), Chain("ada", "eve", THIRD_STEP)).word == "could_not_verify"


def test_no_verdict_says_that_a_project_is_broken() -> None:
    for pairs in ([], [("ada", "fail")], [("ada", "fail")] * 2, [("eve", "timeout")], [("ada", "pass_mock")]):
        found = verdict(runs(pairs), CHAIN)
        assert "broken" not in found.word + found.sentence
