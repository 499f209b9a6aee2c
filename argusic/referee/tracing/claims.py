"""From the fields of a report to the commands that show them, by the audit's own matching.

A claim that the record contradicts outright breaks a chain, until a person's screening says what it is; a control is
there to be caught. Whatever else the audit found stands beside the link.
"""

from __future__ import annotations

from collections.abc import Callable

from argusic.database.locating import field_name
from argusic.errors import Place
from argusic.evidence.audit.session import Step
from argusic.evidence.audit.shown import installing, launching, meeting, proving
from argusic.evidence.layout import REPORT_NAME
from argusic.records.report import Report
from argusic.referee.tracing import seconds
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Broken, Link, Value
from argusic.referee.tracing.proven import ProvenRun
from argusic.rules.reading import read_report
from argusic.rules.rubric import score_report

#: Where the report stands in a run's record.
_CONTENT = ("report", "content")


def installed(ground: Ground, proven: ProvenRun, report: Report) -> Link:
    """Return the link to what the report says of the installation."""
    return _claim(ground, proven, "the report says whether it was installed", report.installed, "installed", installing)


def launched(ground: Ground, proven: ProvenRun, report: Report) -> Link:
    """Return the link to what the report says of the launch."""
    return _claim(ground, proven, "the report says whether it launched", report.launched, "launched", launching)


def met(ground: Ground, proven: ProvenRun, report: Report) -> tuple[Link, ...]:
    """Return the links to the errors that the report lists, or to how many it says that it met."""
    if not report.errors:
        field = "errors" if report.errors is not None else "errors_encountered"
        said = f"{report.fixed} of {report.encountered} fixed" if report.encountered else "none"
        return (_claim(ground, proven, "the errors that the report says were met", said, field, _troubled),)
    return tuple(error(ground, proven, report, number) for number in range(len(report.errors)))


def error(ground: Ground, proven: ProvenRun, report: Report, number: int) -> Link:
    """Return the link to one error that the report lists, by its place in the list from 0."""
    assert report.errors is not None, "one of them is asked for"
    one = report.errors[number]
    state = "fixed" if one.fixed else "not fixed"
    what = f"error {number + 1} of the report, {state}"
    return _claim(ground, proven, what, one.what or state, ("errors", number), lambda steps: meeting(one, steps))


def depth(ground: Ground, proven: ProvenRun, report: Report) -> Link:
    """Return the link to how far the report says that its verification got."""
    what = "the depth that the report says its verification had"
    return _claim(ground, proven, what, report.test_depth, "test_depth", lambda steps: proving(report, steps))


def proof(ground: Ground, proven: ProvenRun, report: Report) -> Link:
    """Return the link to the proof that the report gives."""
    how = report.verified_how
    said = how if how is None or isinstance(how, str) else how.command
    what = "the proof that the report gives"
    return _claim(ground, proven, what, said, "verified_how", lambda steps: proving(report, steps))


def as_left(proven: ProvenRun) -> tuple[str, ...]:
    """Check that the report as the agent left it, read again, scores what the run's record scores.

    Raises:
        Broken: It does not.
    """
    file = proven.file("report")
    if file is None:
        return ()
    again = read_report(proven.lies_at(file).read_bytes(), proven.edition)
    kept = proven.run.report
    same = again.state == kept.state
    if same and kept.content is not None:
        same = score_report(again, proven.edition) == score_report(kept, proven.edition)
    if not same:
        raise Broken(
            Place(proven.path.parent / REPORT_NAME), f"read again, it does not say what {proven.path} has of it"
        )
    return (f"{REPORT_NAME}, read again, scores the same",)


def _troubled(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(step for step in steps if not step.succeeded)[-5:]


def _claim(
    ground: Ground,
    proven: ProvenRun,
    what: str,
    value: Value,
    field: str | tuple[str | int, ...],
    show: Callable[[tuple[Step, ...]], tuple[Step, ...]],
) -> Link:
    steps = (field,) if isinstance(field, str) else field
    place = (*_CONTENT, *steps)
    remarks = []
    for found in proven.findings:
        if not found.field.startswith(field_name(steps) or ""):
            continue
        # A control is there to be caught, and holds nothing up.
        if found.severity == "contradicted" and not proven.screened and proven.run.purpose != "control":
            raise Broken(ground.field(proven.path, *place), f"the recording contradicts the report. {found.what}")
        remarks.append(f"{found.severity}: {found.what}")
    left = proven.file("report")
    said = ("yes" if value else "no") if isinstance(value, bool) else value
    named = [step + 1 if isinstance(step, int) else step for step in place]
    return Link(
        what=what,
        value=said,
        file=str(proven.path),
        sha256=proven.sha256,
        address=figure_at(proven.path, *named),
        line=ground.line(proven.path, *place),
        checked=as_left(proven),
        against=((str(proven.path.parent / REPORT_NAME), left.sha256),) if left is not None else (),
        remarks=tuple(remarks),
        below=seconds.commands(ground, proven, [step.row for step in show(proven.steps)]),
    )
