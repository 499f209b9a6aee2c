"""The error table, row by row, written out a second time so that no row changes unnoticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest

from argusic.records.edition import Edition
from argusic.records.run import EndingClass, Run
from argusic.rules.endings import ENDINGS
from argusic.rules.rubric import score

# Class: valid, run again, whose, outcome of a run whose report claims a full pass, its total.
TABLE = {
    "completed": (True, False, "agent", "pass_full", 100),
    "time_limit": (True, False, "agent", "timeout", 0),
    "agent_crashed": (True, False, "agent", "pass_full", 100),
    "sandbox_destroyed": (True, False, "agent", "fail", 0),
    "memory_limit": (True, False, "agent", "fail", 0),
    "disk_limit": (True, False, "agent", "fail", 0),
    "sandbox_start_failed": (False, True, "environment", "invalid", None),
    "program_not_installed": (False, True, "environment", "invalid", None),
    "model_unavailable": (False, True, "environment", "invalid", None),
    "sandbox_lost": (False, True, "environment", "invalid", None),
    "subject_unavailable": (False, True, "subject", "invalid", None),
    "host_disk_full": (False, True, "environment", "invalid", None),
    "recording_incomplete": (False, True, "referee", "invalid", None),
    "report_unreadable": (False, True, "referee", "invalid", None),
    "harness_error": (False, True, "referee", "invalid", None),
    "withheld": (False, True, "referee", "invalid", None),
    "interrupted": (False, True, "environment", "invalid", None),
    "cancelled": (False, True, "referee", "invalid", None),
}


def test_the_table_has_a_row_for_each_ending_and_no_other() -> None:
    assert set(ENDINGS) == set(get_args(EndingClass)) == set(TABLE)


@pytest.mark.parametrize("how", sorted(TABLE))
def test_each_ending_means_what_the_table_says(
    how: EndingClass, make_run: Callable[..., Run], edition: Edition
) -> None:
    rule = ENDINGS[how]
    result = score(make_run(ending={"how": how}), edition)
    assert (rule.valid, rule.rerun, rule.whose, result.outcome, result.total) == TABLE[how]
    assert rule.sentence.endswith(".") and len(rule.sentence.split()) > 4
    if not rule.valid:
        assert result.lines is None
        assert result.reason == rule.sentence


@pytest.mark.parametrize("how", sorted(TABLE))
def test_a_fault_of_ours_is_never_scored_and_an_agents_fault_is_never_run_again(how: EndingClass) -> None:
    rule = ENDINGS[how]
    assert (rule.whose == "agent") == rule.valid
    assert rule.rerun != rule.valid


def test_the_reason_of_an_invalid_run_carries_the_particulars(make_run: Callable[..., Run], edition: Edition) -> None:
    run = make_run(ending={"how": "harness_error", "detail": "OSError: the terminal went away"})
    assert score(run, edition).reason == (
        "Argusic's own tooling failed and cut the attempt short. OSError: the terminal went away"
    )
