"""The adaptive chain under each edition: who tests, how often, and what ends it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.database.codec import parse_record
from argusic.records.edition import Edition
from argusic.records.report import Report
from argusic.records.run import Ending, EndingClass, Run, RunReport
from argusic.rules.endings import ENDINGS
from argusic.rules.rubric import Outcome
from argusic.rules.scored import ScoredRun, scored
from argusic.rules.verdict import Chain, verdict
from argusic.runs.plan import owed
from tests.runs.test_plan import START, cycle, run

FILES = sorted((Path(__file__).parents[2] / "rules/editions").glob("*.yaml"))
EDITIONS = {path.stem: parse_record(path.read_bytes(), Edition, file=path.name) for path in FILES}
ONE = "package/one"
PASSES = ("pass_full", "pass_mock")
OUTCOMES: st.SearchStrategy[Outcome] = st.sampled_from(
    ["fail", "fail", "fail", "timeout", "timeout", "invalid", "pass_mock", "pass_full"]
)


def carried_out(
    edition: Edition,
    outcome_of: Callable[[str, int], Outcome],
    *,
    requested: bool = False,
    stronger: str | None = "eve",
) -> tuple[list[ScoredRun], str]:
    """Make whatever the chain of one subject owes, one attempt after the other; return the runs and the verdict."""
    pool = cycle(standard_agent="ada", stronger_agent=stronger)
    made: list[ScoredRun] = []
    asked = [ONE] if requested else []
    while cells := [cell for cell in owed(pool, edition, made, asked) if cell.subject == ONE]:
        (cell,) = cells
        assert cell.purpose == "verdict"
        made.append(run(outcome_of(cell.agent, len(made)), agent=cell.agent, minute=len(made)))
        assert len(made) < 50, "the chain does not end"
    return made, verdict(made, Chain("ada", stronger, edition.verdict)).word


#: Who makes which attempt where none passes, by edition: without a request, and with one.
GOLDEN = {
    "v0.2": ([], []),
    "v0.3": ([], []),
    "v0.4": (["ada", "ada", "eve"], ["ada", "ada", "eve"]),
    "v1.0": (["ada", "ada", "eve"], ["ada", "ada", "eve"]),
    "v1.1": (["ada", "ada", "eve"], ["ada", "ada", "eve"]),
    "v1.2": (["ada", "ada", "eve"], ["ada", "ada", "eve"]),
    "v1.3": (["ada", "ada"], ["ada", "ada", "eve"]),
    "v1.4": (["ada", "ada"], ["ada", "ada", "eve"]),
    "v1.5": (["ada", "ada"], ["ada", "ada", "eve"]),
    "v1.6": (["ada", "ada"], ["ada", "ada", "eve"]),
}


def test_every_edition_has_its_golden_chain() -> None:
    assert list(GOLDEN) == sorted(EDITIONS)


@pytest.mark.parametrize("edition", GOLDEN)
@pytest.mark.parametrize("requested", [False, True])
def test_the_chain_of_each_edition_where_nothing_passes(edition: str, requested: bool) -> None:
    made, word = carried_out(EDITIONS[edition], lambda agent, number: "fail", requested=requested)
    assert [one.agent for one in made] == GOLDEN[edition][requested]
    assert word == ("could_not_verify" if made else "not_yet_verified")


@pytest.mark.parametrize("edition", GOLDEN)
def test_a_cycle_without_a_stronger_agent_settles_after_the_standard_agents_attempts(edition: str) -> None:
    made, word = carried_out(EDITIONS[edition], lambda agent, number: "timeout", requested=True, stronger=None)
    assert [one.agent for one in made] == (["ada", "ada"] if EDITIONS[edition].verdict else [])
    assert word == ("could_not_verify" if made else "not_yet_verified")


@settings(max_examples=300)
@given(
    edition=st.sampled_from(sorted(GOLDEN)),
    requested=st.booleans(),
    outcomes=st.lists(OUTCOMES, min_size=6, max_size=6),
)
def test_under_every_edition_a_chain_ends_settled_and_no_attempt_follows_a_pass(
    edition: str, requested: bool, outcomes: list[Outcome]
) -> None:
    rules = EDITIONS[edition].verdict
    # Attempts are cut short for a while at most: the seventh and all after it are complete.
    made, word = carried_out(
        EDITIONS[edition], lambda agent, number: [*outcomes, "fail", "fail", "fail"][number], requested=requested
    )
    if rules is None:
        assert (made, word) == ([], "not_yet_verified")
        return
    complete = [one for one in made if one.valid]
    passed = [one.outcome in PASSES for one in complete]
    assert word != "not_yet_verified"
    assert not any(passed[:-1]), "an attempt was made after a pass"
    assert any(passed) == (word in ("runs", "runs_with_mocks"))
    by_standard = [one for one in complete if one.agent == "ada"]
    assert len(by_standard) <= rules.complete_attempts
    if "eve" in [one.agent for one in complete]:
        assert requested or rules.stronger_agent == "third_step"
        assert len(by_standard) == rules.complete_attempts
        assert [one.agent for one in complete].count("eve") == 1


#: The agent worked to its own end, one that it brought about itself included, or to the time limit.
COMPLETE = {"completed", "time_limit", "agent_crashed", "sandbox_destroyed", "memory_limit", "disk_limit"}


@pytest.mark.parametrize("how", sorted(ENDINGS))
def test_only_a_complete_attempt_counts_along_the_chain(how: EndingClass) -> None:
    pool, edition = cycle(standard_agent="ada"), EDITIONS["v1.5"]
    report = Report(
        installed=False, launched=False, errors=(), test_depth="tier3_none", verified_how="not verified",
        final_state="It did not install.",
    )  # fmt: skip
    made = Run(
        run="20261130T080000Z-aaaaaa", cycle="c1", subject=ONE, agent="ada", edition="v1.5", purpose="verdict",
        tier="standard", budget_seconds=5400, pin=pool.subjects[0].pin, started=START, finished=START,
        ending=Ending(how=how), phases=(), commands=3, report=RunReport(state="read", content=report),
    )  # fmt: skip
    (cell,) = [cell for cell in owed(pool, edition, [scored(made, edition)]) if cell.subject == ONE]
    assert cell.attempts == (1 if how in COMPLETE else 2)


def test_a_request_waits_for_the_standard_agents_retry() -> None:
    pool = cycle(standard_agent="ada", stronger_agent="eve")
    cells = owed(pool, EDITIONS["v1.5"], [run("fail", agent="ada")], [ONE])
    assert [(cell.agent, cell.attempts) for cell in cells if cell.subject == ONE] == [("ada", 1)]


def test_a_request_is_of_one_subject_alone() -> None:
    pool = cycle(standard_agent="ada", stronger_agent="eve")
    failed = [run("fail", subject, "ada", minute) for minute in (1, 2) for subject in (ONE, "package/two")]
    assert [(cell.subject, cell.agent) for cell in owed(pool, EDITIONS["v1.5"], failed, [ONE])] == [(ONE, "eve")]


def test_an_invalid_attempt_of_the_stronger_agent_is_owed_again() -> None:
    pool = cycle(standard_agent="ada", stronger_agent="eve")
    failed = [run("fail", agent="ada", minute=minute) for minute in (1, 2)]
    cells = owed(pool, EDITIONS["v1.5"], [*failed, run("invalid", agent="eve", minute=3)], [ONE])
    assert [cell.agent for cell in cells if cell.subject == ONE] == ["eve"]


def test_a_stronger_agent_of_the_board_serves_the_chain_with_its_set() -> None:
    pool = cycle(standard_agent="ada", stronger_agent="eve", board_agents=("eve",))
    failed = [run("fail", agent="ada", minute=minute) for minute in (1, 2)]
    cells = [cell for cell in owed(pool, EDITIONS["v1.5"], failed, [ONE]) if cell.subject == ONE]
    assert [(cell.agent, cell.purpose, cell.attempts) for cell in cells] == [("eve", "board", 3)]
