"""Quality control: when a subject is under review, and what a screening makes of it."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Literal

from hypothesis import given
from hypothesis import strategies as st

from argusic.records.findings import Screening
from argusic.rules.quality import review
from argusic.rules.scored import ScoredRun

DAY = datetime(2026, 11, 30, tzinfo=UTC)
Row = tuple[str, str]
rows = st.lists(
    st.tuples(
        st.sampled_from(["ada", "bob", "eve"]),
        st.sampled_from(["fail", "fail", "timeout", "invalid", "pass_mock", "pass_full"]),
    ),
    max_size=8,
)


def runs(pairs: list[Row]) -> list[ScoredRun]:
    made = []
    for n, (agent, outcome) in enumerate(pairs):
        total = None if outcome == "invalid" else Fraction(0)
        any_outcome: Any = outcome
        made.append(ScoredRun(f"run-{n}", "package/tinydb", agent, False, DAY, any_outcome, total))
    return made


def screened(finding: Literal["environment", "project", "agents"]) -> Screening:
    return Screening(
        cycle="quickstart", subject="package/tinydb", finding=finding, reason="Looked at it.", by="ada", at=DAY
    )


@given(pairs=rows)
def test_a_subject_is_under_review_exactly_when_two_agents_ran_it_and_all_failed(pairs: list[Row]) -> None:
    ran = set()
    passed = set()
    for agent, outcome in pairs:
        if outcome != "invalid":
            ran.add(agent)
        if outcome in ("pass_full", "pass_mock"):
            passed.add(agent)
    expected = len(ran) > 1 and len(passed) == 0
    found = review(runs(pairs), None)
    assert (found.raised, found.excluded) == (expected, expected)
    assert (found.reason is not None) == expected


@given(pairs=rows)
def test_a_finding_of_agents_lets_the_results_count_again(pairs: list[Row]) -> None:
    assert not review(runs(pairs), screened("agents")).excluded


@given(pairs=rows)
def test_a_finding_of_project_keeps_the_results_excluded_while_no_agent_made_it_run(pairs: list[Row]) -> None:
    assert review(runs(pairs), screened("project")).excluded == review(runs(pairs), None).raised


@given(pairs=rows)
def test_after_a_finding_of_environment_the_runs_that_were_not_invalidated_speak(pairs: list[Row]) -> None:
    assert review(runs(pairs), screened("environment")).excluded == review(runs(pairs), None).excluded


def test_one_agent_alone_never_puts_a_subject_under_review() -> None:
    assert not review(runs([("ada", "fail"), ("ada", "fail"), ("bob", "invalid")]), None).raised


def test_a_review_says_who_found_what() -> None:
    found = review(runs([("ada", "fail"), ("bob", "timeout")]), screened("project"))
    assert found.screening is not None
    assert found.screening.by == "ada"
    assert "Looked at it." in (found.reason or "")
