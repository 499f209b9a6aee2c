"""Boards and verdicts as records, reckoned a second time from the runs alone by a slow twin."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.database.codec import dump, parse_record
from argusic.leaderboards.boards import board
from argusic.leaderboards.group import Group
from argusic.leaderboards.verdicts import verdicts
from argusic.records.board import Board, BoardRow
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.findings import Screening
from argusic.records.verdicts import Verdicts
from argusic.rules.scored import ScoredRun

TOP = Path(__file__).parents[2]
DAY = datetime(2026, 11, 30, tzinfo=UTC)
PINNED = {"kind": "package", "version": "1.0", "file": "a-1.0.tar.gz", "sha256": "0" * 64}
SUBJECTS = ("package/one", "package/three", "package/two")
EDITION = parse_record((TOP / "rules/editions/v1.5.yaml").read_bytes(), Edition, file="v1.5")
CYCLE = Cycle.model_validate(
    {
        "cycle": "made",
        "title": "Made",
        "edition": "v1.5",
        "edition_sha256": "0" * 64,
        "opens": DAY,
        "closes": DAY + timedelta(days=30),
        "standard_agent": "ada",
        "stronger_agent": "eve",
        "board_agents": ["ada", "bob"],
        "subjects": [{"subject": subject, "pin": PINNED} for subject in SUBJECTS]
        + [{"subject": "repository/other", "pin": {"kind": "repository", "commit": "0" * 40}}],
    }
)


class Happened(NamedTuple):
    subject: str
    agent: str
    outcome: str
    total: Fraction | None


def _happened(draw: st.DrawFn) -> Happened:
    outcome = draw(st.sampled_from(["pass_full", "pass_full", "pass_mock", "fail", "fail", "timeout", "invalid"]))
    shares: dict[str, list[int | Fraction]] = {
        "pass_full": [100, 90, Fraction(260, 3)],
        "pass_mock": [92, 82],
        "fail": [0, 20, 80],
    }
    total = None if outcome == "invalid" else Fraction(draw(st.sampled_from(shares.get(outcome, [0]))))
    subject = draw(st.sampled_from(SUBJECTS))
    return Happened(subject, draw(st.sampled_from(["ada", "bob", "eve"])), outcome, total)


history = st.lists(st.composite(_happened)(), max_size=25)
findings = st.dictionaries(st.sampled_from(SUBJECTS), st.sampled_from(["environment", "project", "agents"]), max_size=2)
Finding = Literal["environment", "project", "agents"]


def group(rows: list[Happened], found: dict[str, Finding]) -> Group:
    runs = []
    for n, (subject, agent, outcome, total) in enumerate(rows):
        started = DAY + timedelta(minutes=n)
        any_outcome: Any = outcome
        reason = "It was cut short." if total is None else None
        run = f"{started:%Y%m%dT%H%M%SZ}-aaaaaa"
        runs.append(ScoredRun(run, subject, agent, False, started, any_outcome, total, reason))
    screenings = {
        subject: Screening(cycle="made", subject=subject, finding=finding, reason="Looked.", by="kim", at=DAY)
        for subject, finding in found.items()
    }
    return Group(CYCLE, "package", EDITION, ("ada", "bob"), tuple(runs), screenings)


def held_back(rows: list[Happened], found: dict[str, Finding], subject: str) -> bool:
    ran = {row.agent for row in rows if row.subject == subject and row.outcome != "invalid"}
    passed = any(row.subject == subject and row.outcome.startswith("pass") for row in rows)
    return len(ran) >= 2 and not passed and found.get(subject) != "agents"


def naive_score(rows: list[Happened], found: dict[str, Finding], agent: str) -> Fraction | None:
    middles = []
    for subject in SUBJECTS:
        totals = [row.total for row in rows if (row.subject, row.agent) == (subject, agent) and row.total is not None]
        if len(totals) < 3 or held_back(rows, found, subject):
            continue
        low, middle, high = sorted(totals[:3])
        if high - low <= Fraction(3, 10) * middle:
            middles.append(middle)
    return Fraction(statistics.median(middles)) if middles else None


def row_of(made: Board, agent: str) -> BoardRow:
    return next(row for row in made.agents if row.agent == agent)


@given(rows=history, found=findings)
@settings(max_examples=200)
def test_the_board_is_what_the_runs_give(rows: list[Happened], found: dict[str, Finding]) -> None:
    made = board(group(rows, found))
    assert sorted(row.agent for row in made.agents) == ["ada", "bob"]
    scores = {}
    for agent in ("ada", "bob"):
        row, own = row_of(made, agent), [happened for happened in rows if happened.agent == agent]
        scores[agent] = naive_score(rows, found, agent)
        assert (Fraction(row.score.exact) if row.score else None) == scores[agent]
        assert (row.rank is None) == (row.no_score is not None) == (scores[agent] is None)
        valid = [happened for happened in own if happened.outcome != "invalid"]
        passed = [happened for happened in valid if happened.outcome in ("pass_full", "pass_mock")]
        assert (row.pass_rate is not None) == bool(valid)
        if row.pass_rate is not None:
            assert (row.pass_rate.passed, row.pass_rate.valid) == (len(passed), len(valid))
        assert row.attempts.invalid == len(own) - len(valid)
        assert row.sets.counted + row.sets.unstable + row.sets.incomplete + row.sets.under_review == len(SUBJECTS)
    best = [score for score in scores.values() if score is not None]
    for agent, score in scores.items():
        if score is not None:
            assert row_of(made, agent).rank == 1 + sum(other > score for other in best)


@given(rows=history, found=findings)
def test_every_run_of_every_board_agent_is_on_the_board_exactly_once(
    rows: list[Happened], found: dict[str, Finding]
) -> None:
    grouped = group(rows, found)
    for row in board(grouped).agents:
        shown = [run.run for item in row.subjects for run in (*item.runs, *item.further)]
        shown += [run.run for item in row.subjects for run in item.invalid]
        assert sorted(shown) == sorted(run.run for run in grouped.runs if run.agent == row.agent)


@given(rows=history, found=findings)
def test_exclusions_are_shown_with_their_reason_and_never_silent(
    rows: list[Happened], found: dict[str, Finding]
) -> None:
    for row in board(group(rows, found)).agents:
        assert tuple(item.subject for item in row.subjects) == SUBJECTS
        for item in row.subjects:
            assert (item.reason is None) == (item.state == "counted")
            assert (item.state == "under_review") == held_back(rows, found, item.subject)


@given(rows=history, found=findings)
def test_the_verdicts_name_the_deciding_run_and_every_attempt(rows: list[Happened], found: dict[str, Finding]) -> None:
    grouped = group(rows, found)
    made = verdicts(grouped)
    assert tuple(item.subject for item in made.subjects) == SUBJECTS
    for item in made.subjects:
        own = [run for run in grouped.runs if run.subject == item.subject]
        assert [attempt.run for attempt in item.attempts] == [run.run for run in own]
        assert [attempt.number for attempt in item.attempts] == list(range(1, len(own) + 1))
        outcomes = [run.outcome for run in own]
        if "pass_full" in outcomes:
            assert item.verdict == "runs"
        elif "pass_mock" in outcomes:
            assert item.verdict == "runs_with_mocks"
        else:
            assert item.verdict in ("could_not_verify", "not_yet_verified")
        assert (item.decided_by is None) == (item.verdict == "not_yet_verified")
        if item.decided_by is not None:
            assert (item.decided_by.run, item.decided_by.agent) in [(run.run, run.agent) for run in own]


@given(rows=history, found=findings, data=st.data())
def test_the_order_in_which_runs_are_read_changes_no_byte(
    rows: list[Happened], found: dict[str, Finding], data: st.DataObject
) -> None:
    grouped = group(rows, found)
    mixed = Group(
        CYCLE,
        "package",
        EDITION,
        grouped.board_agents,
        tuple(data.draw(st.permutations(grouped.runs))),
        dict(reversed(list(grouped.screenings.items()))),
    )
    assert dump(board(grouped)) == dump(board(mixed))
    assert dump(verdicts(grouped)) == dump(verdicts(mixed))


@given(rows=history, found=findings)
def test_derived_records_are_read_back_as_they_were_written(rows: list[Happened], found: dict[str, Finding]) -> None:
    grouped = group(rows, found)
    assert parse_record(dump(board(grouped)), Board, file="board") == board(grouped)
    assert parse_record(dump(verdicts(grouped)), Verdicts, file="verdicts") == verdicts(grouped)


def test_a_score_is_written_exactly_and_rounded_for_reading() -> None:
    rows = [Happened("package/one", "ada", "pass_full", Fraction(260, 3))] * 3
    row = row_of(board(group(rows, {})), "ada")
    assert row.score is not None
    assert (row.score.exact, row.score.shown) == ("260/3", 86.67)
