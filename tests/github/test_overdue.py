"""`argusic overdue`: cycles that stand still, and schedules that nobody kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.github.clock import last_ticks
from argusic.github.overdue import overdue_cycles, overdue_workflows
from argusic.github.pygithub_forge import GitHubForge
from argusic.records.cycle import Close
from tests.github_server import GitHubServer
from tests.made_database import write
from tests.program import argusic
from tests.referee.test_check import _put, _run

NOW = datetime(2026, 12, 10, 12, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "last"),
    [
        ("41 */4 * * *", ["2026-12-10 08:41", "2026-12-10 04:41"]),
        ("5 12 * * *", ["2026-12-10 12:05", "2026-12-09 12:05"]),
        ("17 3 * * 1", ["2026-12-07 03:17", "2026-11-30 03:17"]),
        ("0 0 1,15 * *", ["2026-12-01 00:00", "2026-11-15 00:00"]),
        ("30 6 13 * 5", ["2026-12-04 06:30", "2026-11-27 06:30"]),
        ("10-20/5 6-7 * 12 *", ["2026-12-10 07:20", "2026-12-10 07:15"]),
        ("0 0 29 2 *", []),
    ],
)
def test_the_last_ticks_are_those_of_cron(schedule: str, last: list[str]) -> None:
    assert [f"{at:%Y-%m-%d %H:%M}" for at in last_ticks(schedule, NOW, 2)] == last


@pytest.mark.parametrize("schedule", ["", "* * * *", "a * * * *", "60 * * * *", "* * 0 * *", "@daily", "5-1 * * * *"])
def test_what_is_no_schedule_is_said(schedule: str) -> None:
    with pytest.raises(InputError):
        last_ticks(schedule, NOW, 1)


@given(st.text(st.sampled_from("0123456789*/,- "), max_size=20))
def test_any_schedule_is_read_or_refused(schedule: str) -> None:
    try:
        ticks = last_ticks(schedule, NOW, 1)
    except InputError:
        return
    assert all(tick <= NOW for tick in ticks)


@pytest.fixture
def base(small_database: Callable[..., Database]) -> Database:
    """A cycle that is open from November 2026 to January 2027, and owes attempts."""
    return small_database(opens=datetime(2026, 11, 1, tzinfo=UTC), closes=datetime(2027, 1, 1, tzinfo=UTC))


def found(base: Database, now: datetime) -> list[str]:
    return list(overdue_cycles(base, now, 3))


def test_an_open_cycle_that_owes_attempts_and_had_none_for_days_is_named(base: Database) -> None:
    (said,) = found(base, NOW)
    assert said.startswith("Cycle small owes ") and said.endswith("it has none since it opened, 2026-11-01.")
    run = _run(base)
    _put(base, run)
    assert found(base, run.finished + timedelta(days=2)) == []
    (said,) = found(base, run.finished + timedelta(days=4))
    assert said.endswith(f"and its last run is of {run.finished:%Y-%m-%d}.")
    assert found(base, datetime(2026, 10, 1, tzinfo=UTC)) == []


def test_a_cycle_past_its_end_is_named_until_it_is_closed(base: Database) -> None:
    assert found(base, datetime(2027, 1, 2, tzinfo=UTC)) == ["Cycle small ended on 2027-01-01 and is not closed."]
    write(base.root, Close(cycle="small", closed=NOW, by="ada", runs=0, derived={}))
    assert found(base, datetime(2027, 1, 2, tzinfo=UTC)) == []


def with_workflow(base: Database, text: str) -> None:
    folder = base.root / ".github/workflows"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sweep.yml").write_text(text)


@pytest.mark.parametrize(
    ("started", "missed"),
    [("2026-12-10T08:43:00Z", False), ("2026-12-10T05:00:00Z", False), ("2026-12-10T01:00:00Z", True), (None, False)],
)
def test_a_schedule_is_missed_when_two_ticks_in_a_row_began_nothing(
    base: Database, started: str | None, missed: bool
) -> None:
    with_workflow(base, 'on:\n  schedule:\n    - cron: "41 */4 * * *"\n  push:\n')
    with GitHubServer() as github:
        github.add_workflow("sweep.yml", *([started] if started else []))
        said = list(overdue_workflows(base, GitHubForge.of_environment(github.environment()), NOW))
    expected = (
        "sweep.yml should have begun at 2026-12-10 04:41 and 2026-12-10 08:41 UTC, and last did at 2026-12-10 01:00."
    )
    assert said == ([expected] if missed else [])


def test_the_command_says_it_in_the_summary_and_as_warnings(base: Database, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    done = argusic(base, "overdue", GITHUB_STEP_SUMMARY=str(summary), GITHUB_TOKEN="")
    told = json.loads(argusic(base, "overdue", "--json", GITHUB_TOKEN="").stdout)["overdue"]
    assert done.returncode == 0
    if told:  # By the clock of the machine, which a test does not set.
        assert done.stdout == "".join(f"::warning::{sentence}\n" for sentence in told)
        assert f"- {told[0]}" in summary.read_text()
    else:
        assert done.stdout == "Nothing is overdue.\n"
