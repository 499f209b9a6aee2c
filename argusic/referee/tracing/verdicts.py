"""From the figures of a cycle's verdicts down to the runs that decided. The verdicts are derived again first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import PurePosixPath

from argusic.database.paths import screening_path
from argusic.records.verdicts import SubjectVerdict, Verdicts
from argusic.referee.tracing import scores
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.derived import DERIVED, derived_link
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Figures, Link, Value


def figures(ground: Ground, path: PurePosixPath) -> Figures:
    """Return every figure of a file of verdicts."""
    record = ground.record(path, Verdicts)
    found: Figures = {"subjects": partial(_subjects, ground, path, record)}
    for place, one in enumerate(record.subjects):
        made = _Verdict(ground, path, record, place, one)
        found[f"{one.subject}/verdict"] = made.verdict
        found[f"{one.subject}/attempts"] = partial(made.attempts, "attempts", one.attempts)
        valid = [attempt for attempt in one.attempts if attempt.outcome not in ("invalid", "held")]
        found[f"{one.subject}/attempts/complete"] = partial(made.attempts, "attempts/complete", valid)
        for attempt in one.attempts:
            found[f"{one.subject}/attempts/{attempt.number}"] = partial(made.attempt, attempt.number)
        if one.review is not None:
            found[f"{one.subject}/review"] = made.review
    return found


def verdict_of(ground: Ground, path: PurePosixPath, subject: str) -> Link:
    """Return the chain of the verdict on one subject."""
    return figures(ground, path)[f"{subject}/verdict"]()


class _Verdict:
    """The chains of the verdict on one subject."""

    def __init__(self, ground: Ground, path: PurePosixPath, record: Verdicts, place: int, one: SubjectVerdict) -> None:
        self._ground, self._path, self._record, self._at, self._one = ground, path, record, ("subjects", place), one

    def _link(self, what: str, value: Value, figure: str, place: tuple[str | int, ...], **more: object) -> Link:
        self._check()
        address = figure_at(self._path, self._one.subject, figure)
        return derived_link(self._ground, self._path, what, value, address, (*self._at, *place), **more)

    def _check(self) -> None:
        self._ground.derived(self._path, (self._record.cycle, self._record.kind))

    def _runs(self, runs: Iterable[str]) -> tuple[Link, ...]:
        # First of all: verdicts that do not follow from the runs may name some that are not there.
        self._check()
        found = (self._ground.run_of(self._record.cycle, run) for run in runs)
        return tuple(scores.outcome(self._ground, proven) for proven in found)

    def verdict(self) -> Link:
        """Return the chain of the verdict: from the run that decided, or from every attempt."""
        one = self._one
        decided = one.decided_by
        by_one = decided is not None and one.verdict in ("runs", "runs_with_mocks")
        runs = [decided.run] if by_one and decided is not None else [attempt.run for attempt in one.attempts]
        rule = f"{one.sentence} ({one.rule})"
        what = f"verdict on {one.subject}"
        return self._link(what, one.verdict, "verdict", ("verdict",), rule=rule, below=self._runs(runs))

    def attempts(self, figure: str, chosen: Iterable[object]) -> Link:
        """Return the chain of a count of attempts."""
        runs = [attempt.run for attempt in self._one.attempts if attempt in tuple(chosen)]
        what = f"{'complete attempts' if 'complete' in figure else 'attempts'} on {self._one.subject}"
        rule = "counted from these runs; no control's is among them"
        return self._link(what, len(runs), figure, ("attempts",), rule=rule, below=self._runs(runs))

    def attempt(self, number: int) -> Link:
        """Return the chain of one attempt's number."""
        attempt = self._one.attempts[number - 1]
        what = f"number of the attempt {attempt.run} on {self._one.subject}"
        rule = "its place among all attempts of the subject in this cycle, by start"
        place = ("attempts", number - 1, "number")
        return self._link(what, number, f"attempts/{number}", place, rule=rule, below=self._runs([attempt.run]))

    def review(self) -> Link:
        """Return the chain of where the subject stands with quality control."""
        review = self._one.review
        assert review is not None, "it is asked for only where there is one"
        path = screening_path(self._record.cycle, self._one.subject)
        below = self._runs(attempt.run for attempt in self._one.attempts)
        if self._ground.database.holds(path):
            sha256 = self._ground.sha256(path)
            below = (Link("what a person found", review.finding, str(path), sha256, figure_at(path, "finding")), *below)
        what = f"quality control of {self._one.subject}"
        return self._link(what, review.reason, "review", ("review", "reason"), below=below)


def _subjects(ground: Ground, path: PurePosixPath, record: Verdicts) -> Link:
    ground.derived(path, (record.cycle, record.kind))
    below = tuple(verdict_of(ground, path, one.subject) for one in record.subjects)
    address = figure_at(path, "subjects")
    line = ground.line(path, "subjects")
    what = "subjects with a verdict"
    return Link(what, len(below), str(path), ground.sha256(path), address, line, checked=(DERIVED,), below=below)
