"""The two sides of a comparison: what a cycle published and what a reproduction says, scored by the same rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from typing import Literal

from argusic.database.database import Database
from argusic.records.edition import Edition
from argusic.records.report import NOT_VERIFIED, Report
from argusic.records.reproduction import ReproducedReport, ReproducedRun, Reproduction
from argusic.records.run import Run, RunReport
from argusic.rules.endings import ENDINGS
from argusic.rules.rubric import Score, score_complete
from argusic.rules.scored import Later, ScoredRun
from argusic.runs.held import learnt_later

#: A subject, by its address, and an agent.
Cell = tuple[str, str]


@dataclass(frozen=True)
class SideRun:
    """One run of a side.

    Attributes:
        scored: What it came to.
        lines: The points of its four lines; empty for a run that counts nowhere.
    """

    scored: ScoredRun
    lines: Mapping[str, Fraction]


#: The runs of each cell, by start.
Side = Mapping[Cell, tuple[SideRun, ...]]


def published(database: Database, cycle: str) -> dict[Cell, tuple[SideRun, ...]]:
    """Return a cycle's runs as they stand now, those of controls included, by subject and agent."""
    later = learnt_later(database, cycle)
    edition = cache(lambda name: database.edition(name)[0])
    return side(side_run(stored.run, edition(stored.run.edition), later) for stored in database.runs(cycle))


def side_run(run: Run, edition: Edition, later: Later) -> SideRun:
    """Return a run as it stands by what was learnt of it later."""
    return _made(run.run, run.subject, run.agent, run.purpose == "control", run.started, later.score(run, edition))


def reproduced(reproduction: Reproduction, edition: Edition) -> dict[Cell, tuple[SideRun, ...]]:
    """Return the runs of a reproduction, scored under the edition that it was measured under."""
    return side(
        _made(run.run, cell.subject, cell.agent, False, started(run.run), score_of(run, edition))
        for cell in reproduction.cells
        for run in cell.runs
    )


def side(runs: Iterable[SideRun]) -> dict[Cell, tuple[SideRun, ...]]:
    """Return runs by subject and agent, each cell's by start."""
    found: dict[Cell, list[SideRun]] = {}
    for run in sorted(runs, key=lambda one: (one.scored.started, one.scored.run)):
        found.setdefault((run.scored.subject, run.scored.agent), []).append(run)
    return {cell: tuple(runs) for cell, runs in sorted(found.items())}


def started(run: str) -> datetime:
    """Return the second that a run's id carries."""
    return datetime.strptime(run[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def facts_of(report: RunReport) -> ReproducedReport:
    """Return of a report what a score follows from, and none of its words."""
    content = report.content
    if content is None:
        return ReproducedReport(state=report.state)
    proof: Literal["given", "not_verified", "absent"] = "absent" if content.verified_how is None else "given"
    return ReproducedReport(
        state="read",
        installed=content.installed,
        launched=content.launched,
        errors=content.encountered,
        fixed=content.fixed,
        test_depth=content.test_depth,
        proof="not_verified" if content.says_not_verified else proof,
    )


def score_of(run: ReproducedRun, edition: Edition) -> Score:
    """Return what a run of a reproduction comes to, by the rubric alone."""
    rule = ENDINGS[run.ending]
    if run.stands == "invalidated":
        return Score("invalid", None, "It was invalidated where it was made.")
    if not rule.valid:
        return Score("invalid", None, rule.sentence)
    if run.stands == "held":
        return Score("held", None, "The record there contradicts what its report claims, and nobody has looked.")
    return score_complete(run.ending, _report(run.report), edition)


def _report(facts: ReproducedReport) -> RunReport:
    """Return a report that says what is known of the one there. Its words are not kept, and no score asks for them."""
    if facts.state != "read":
        return RunReport(state=facts.state, problem="it was not accepted where it was made")
    said = {"given": "It was.", "not_verified": NOT_VERIFIED, "absent": None}[facts.proof]
    content = Report(
        installed=facts.installed,
        launched=facts.launched,
        errors_encountered=facts.errors,
        errors_fixed=facts.fixed,
        test_depth=facts.test_depth,
        verified_how=said,
        final_state="It is not repeated here.",
    )
    return RunReport(state="read", content=content)


def _made(run: str, subject: str, agent: str, control: bool, began: datetime, score: Score) -> SideRun:
    made = ScoredRun(run, subject, agent, control, began, score.outcome, score.total, score.reason)
    return SideRun(made, {} if score.lines is None else {name: line.points for name, line in score.lines})
