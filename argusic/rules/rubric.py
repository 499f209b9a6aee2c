"""The rubric: from a run's facts and an edition to an outcome, four lines and a total, in exact fractions.

Deterministic and pure; no model takes part in scoring. A run whose ending or a later invalidation makes it
invalid has an outcome and a reason, and no lines; neither has one that a person has to look at first.

Decision: a report that claims `tier1_real` or `tier2_mock` while its own proof says "not verified" contradicts
itself and is scored as `tier3_none`. The methodology speaks of the real tier alone; the same sentence condemns
the mock tier, so it is treated alike; and so is a proof that wraps the words up, in a command's or a result's
place or before a reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from argusic.errors import InputError
from argusic.records.edition import Edition, Weights
from argusic.records.findings import Invalidation
from argusic.records.report import Report, TestDepth
from argusic.records.run import EndingClass, Run, RunReport
from argusic.rules.endings import ENDINGS
from argusic.rules.holding import hold

#: What a run came to; `held` is no last word, but that a person has to look before it may count.
Outcome = Literal["pass_full", "pass_mock", "fail", "timeout", "invalid", "held"]
#: What a run can come to in the end, in the order in which tables show it.
OUTCOMES: tuple[Outcome, ...] = tuple(outcome for outcome in get_args(Outcome) if outcome != "held")
#: The outcomes that count as a pass.
PASSES: frozenset[Outcome] = frozenset({"pass_full", "pass_mock"})


@dataclass(frozen=True)
class Line:
    """One line of a score: what it earned, out of what, and by which rule."""

    points: Fraction
    of: int
    rule: str
    sentence: str


@dataclass(frozen=True)
class Lines:
    """The four lines."""

    install: Line
    launch: Line
    error_recovery: Line
    verification_depth: Line

    def __iter__(self) -> Iterator[tuple[str, Line]]:
        yield "install", self.install
        yield "launch", self.launch
        yield "error_recovery", self.error_recovery
        yield "verification_depth", self.verification_depth

    @property
    def total(self) -> Fraction:
        """The exact sum."""
        return sum((line.points for _, line in self), Fraction(0))


@dataclass(frozen=True)
class Score:
    """What a run came to.

    Attributes:
        outcome: The outcome.
        lines: The four lines; None exactly for a run that is invalid or held.
        reason: Why it is invalid or held, or why every line is 0; None where the report decided.
    """

    outcome: Outcome
    lines: Lines | None
    reason: str | None = None

    @property
    def total(self) -> Fraction | None:
        """The exact sum of the lines; None for a run that is invalid or held."""
        return None if self.lines is None else self.lines.total


def score(run: Run, edition: Edition, invalidation: Invalidation | None = None, *, screened: bool = False) -> Score:
    """Score a run under the edition that its cycle pinned.

    Args:
        run: The run's facts.
        edition: The edition that the run names.
        invalidation: A later finding that this run counts nowhere, if there is one.
        screened: Whether a person has said what those claims are that the record contradicts.

    Raises:
        InputError: `edition` is not the run's edition, or `invalidation` is of another run.
    """
    if run.edition != edition.edition:
        raise InputError(f"run {run.run} is scored under edition {run.edition} for ever, not under {edition.edition}.")
    if invalidation is not None and invalidation.run != run.run:
        raise InputError(f"the invalidation is of run {invalidation.run}, not of {run.run}.")
    rule = ENDINGS[run.ending.how]
    if invalidation is not None:
        return Score("invalid", None, invalidation.reason)
    if not rule.valid:
        detail = f" {run.ending.detail}" if run.ending.detail else ""
        return Score("invalid", None, rule.sentence + detail)
    if not screened and (reason := hold(run)) is not None:
        return Score("held", None, reason)
    return score_complete(run.ending.how, run.report, edition)


def score_complete(ending: EndingClass, report: RunReport, edition: Edition) -> Score:
    """Score a complete attempt by how it ended and what became of its report.

    Raises:
        ValueError: An attempt that ended so is not complete.
    """
    rule = ENDINGS[ending]
    if not rule.valid:
        raise ValueError(f"an attempt that ended with {ending} has no score")
    if rule.scored_by == "report":
        return score_report(report, edition)
    outcome: Outcome = "timeout" if rule.scored_by == "timeout" else "fail"
    return Score(outcome, _zero(edition.weights, f"ending.{ending}", rule.sentence), rule.sentence)


def score_report(report: RunReport, edition: Edition) -> Score:
    """Score what became of a report, for an attempt that the agent brought to its own end."""
    content, problem = report.content, report.problem
    if content is not None and not edition.report.verified_how:
        # The edition knows no such field, so what stands in it is the agent's own invention.
        content = content.model_copy(update={"verified_how": None})
    if content is not None and edition.report.verified_how and content.verified_how is None:
        content, problem = None, f"verified_how is missing, which edition {edition.edition} requires"
    if content is None:
        if report.state == "missing":
            rule, sentence = "report.missing", "The agent left no report, so nothing is claimed and nothing scores."
        else:
            rule, sentence = "report.malformed", f"The agent's report was not accepted: {problem}."
        return Score("fail", _zero(edition.weights, rule, sentence), sentence)
    lines = Lines(
        install=_install(content, edition.weights),
        launch=_launch(content, edition.weights),
        error_recovery=_error_recovery(content, edition.weights),
        verification_depth=_verification_depth(content, edition.weights),
    )
    return Score(_outcome(content), lines)


def effective_depth(report: Report) -> TestDepth:
    """Return the depth that a report is believed for: none where its own proof says that nothing was verified."""
    return "tier3_none" if report.says_not_verified else report.test_depth


def _outcome(report: Report) -> Outcome:
    if not (report.installed and report.launched):
        return "fail"
    by_depth: dict[TestDepth, Outcome] = {"tier1_real": "pass_full", "tier2_mock": "pass_mock", "tier3_none": "fail"}
    return by_depth[effective_depth(report)]


def _install(report: Report, weights: Weights) -> Line:
    if report.installed:
        return Line(Fraction(weights.install), weights.install, "install.done", "The software was installed.")
    return Line(Fraction(0), weights.install, "install.not_done", "The software was not installed.")


def _launch(report: Report, weights: Weights) -> Line:
    of = weights.launch
    if not report.installed:
        return Line(Fraction(0), of, "launch.requires_install", "What was not installed could not have launched.")
    if report.launched:
        return Line(Fraction(of), of, "launch.done", "The software launched, or its tests ran.")
    return Line(Fraction(0), of, "launch.not_done", "The software did not launch.")


def _error_recovery(report: Report, weights: Weights) -> Line:
    of = weights.error_recovery
    if report.encountered == 0:
        return Line(Fraction(of), of, "error_recovery.no_errors", "Nothing went wrong, so this line scores in full.")
    share = Fraction(report.fixed, report.encountered)
    met = "error met was" if report.encountered == 1 else "errors met were"
    sentence = f"{report.fixed} of {report.encountered} {met} fixed."
    return Line(of * share, of, "error_recovery.share", sentence)


def _verification_depth(report: Report, weights: Weights) -> Line:
    depths = weights.verification_depth
    of = depths.tier1_real
    if not (report.installed and report.launched):
        sentence = "What did not launch leaves nothing to verify."
        return Line(Fraction(0), of, "verification_depth.requires_launch", sentence)
    if report.says_not_verified and report.test_depth != "tier3_none":
        sentence = f"The report claims {report.test_depth}, but says that nothing was verified: scored as not verified."
        return Line(Fraction(depths.tier3_none), of, "verification_depth.contradicted", sentence)
    sentences = {
        "tier1_real": "It was verified running for real.",
        "tier2_mock": "It was verified against mock services.",
        "tier3_none": "It was not verified.",
    }
    points = Fraction(getattr(depths, report.test_depth))
    return Line(points, of, f"verification_depth.{report.test_depth}", sentences[report.test_depth])


def _zero(weights: Weights, rule: str, sentence: str) -> Lines:
    def line(of: int) -> Line:
        return Line(Fraction(0), of, rule, sentence)

    return Lines(
        install=line(weights.install),
        launch=line(weights.launch),
        error_recovery=line(weights.error_recovery),
        verification_depth=line(weights.verification_depth.tier1_real),
    )
