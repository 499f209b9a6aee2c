"""From what a run came to, down to its evidence: outcome, total, and the four lines with the rule of each."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from argusic.database.paths import edition_path
from argusic.referee.tracing import claims, seconds
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Figures, Link
from argusic.referee.tracing.proven import ProvenRun
from argusic.rules.endings import ENDINGS
from argusic.rules.figures import exact, shown
from argusic.rules.rubric import Line

#: The lines of a score, in their order.
LINES = ("install", "launch", "error_recovery", "verification_depth")
#: What stands beside whatever a control came to.
_CONTROL = "a control, which proves the harness: it says nothing of the subject and counts nowhere"
#: What is checked of every run before anything is said of it.
_WHOLE = (
    "every file of the run is the one that its manifest names",
    "edition, pin and tier are those that its cycle pinned",
)


def figures(ground: Ground, proven: ProvenRun) -> Figures:
    """Return what a run came to: its figures by name."""
    found: Figures = {"outcome": lambda: outcome(ground, proven), "total": lambda: total(ground, proven)}
    for name in LINES if proven.score.lines is not None else ():
        found[name] = lambda name=name: line(ground, proven, name)  # type: ignore[misc]
        found[f"{name}/of"] = lambda name=name: _weight(ground, proven, name)  # type: ignore[misc]
    if proven.score.lines is not None:
        found["total/of"] = lambda: _weights(ground, proven)
    return found


def number(value: Fraction) -> int | float:
    """Return a fraction as a figure for reading."""
    return int(value) if value.denominator == 1 else shown(value)


def outcome(ground: Ground, proven: ProvenRun) -> Link:
    """Return the chain of a run's outcome."""
    result = proven.score
    if result.outcome in ("invalid", "held"):
        why = (_uncounted(ground, proven),)
        return _run(proven, f"outcome of run {proven.name}", "outcome", result.outcome, result.reason, why)
    rule = result.reason or "installed, launched and verified, as far as the report is believed"
    names = ("install", "launch", "verification_depth")
    below = tuple(line(ground, proven, name) for name in names)
    return _run(proven, f"outcome of run {proven.name}", "outcome", result.outcome, rule, below)


def total(ground: Ground, proven: ProvenRun) -> Link:
    """Return the chain of a run's score."""
    result = proven.score
    if result.lines is None:
        return _run(proven, f"score of run {proven.name}", "total", None, result.reason, (_uncounted(ground, proven),))
    below = tuple(line(ground, proven, name) for name in LINES)
    made = _run(
        proven, f"score of run {proven.name}", "total", number(result.lines.total), "the sum of the four lines", below
    )
    return replace(made, exact=exact(result.lines.total))


def line(ground: Ground, proven: ProvenRun, name: str) -> Link:
    """Return the chain of one line of a run's score."""
    assert proven.score.lines is not None, "an invalid run has no lines"
    one: Line = getattr(proven.score.lines, name)
    below = (*_decided_by(ground, proven, name), _weight(ground, proven, name))
    what = f"line {name.replace('_', ' ')}"
    made = _run(proven, what, name, number(one.points), f"{one.sentence} ({one.rule})", below)
    return replace(made, exact=exact(one.points))


def _run(
    proven: ProvenRun, what: str, field: str, value: int | float | str | None, rule: str | None, below: tuple[Link, ...]
) -> Link:
    return Link(
        what=what,
        value=value,
        file=str(proven.path),
        sha256=proven.sha256,
        address=figure_at(proven.path, field),
        rule=rule,
        checked=(*_WHOLE, f"edition {proven.run.edition} gives it again"),
        against=((str(proven.manifest_path), proven.manifest_sha256),),
        remarks=(_CONTROL,) if proven.run.purpose == "control" else (),
        below=below,
    )


def _decided_by(ground: Ground, proven: ProvenRun, name: str) -> tuple[Link, ...]:
    """Return what decided a line: a field of the report; where the report did not decide, how the attempt ended."""
    report, rule = proven.run.report.content, ENDINGS[proven.run.ending.how]
    if rule.scored_by != "report":
        return (_ending(ground, proven),)
    if report is None or proven.score.reason is not None:
        state = proven.run.report.state
        return (
            _stated(ground, proven, "the report as it was read", state, ("report", "state"), claims.as_left(proven)),
        )
    if name == "install":
        return (claims.installed(ground, proven, report),)
    if name == "launch":
        return claims.installed(ground, proven, report), claims.launched(ground, proven, report)
    if name == "error_recovery":
        return claims.met(ground, proven, report)
    return claims.depth(ground, proven, report), claims.proof(ground, proven, report)


def _ending(ground: Ground, proven: ProvenRun) -> Link:
    return _stated(ground, proven, "how the attempt ended", proven.run.ending.how, ("ending", "how"), ())


def _stated(
    ground: Ground, proven: ProvenRun, what: str, value: str, place: tuple[str, ...], checked: tuple[str, ...]
) -> Link:
    return Link(
        what=what,
        value=value,
        file=str(proven.path),
        sha256=proven.sha256,
        address=figure_at(proven.path, *place),
        line=ground.line(proven.path, *place),
        checked=checked,
        below=(seconds.whole(ground, proven),),
    )


def _uncounted(ground: Ground, proven: ProvenRun) -> Link:
    """Return why a run counts nowhere: it waits for a person, or what was found later, or how it ended."""
    path = proven.invalidated_by
    if proven.score.outcome == "held":
        what, place = "the record contradicts its report, and no person has said yet what that is", proven.path
        below = (seconds.whole(ground, proven),)
        return Link(what, proven.score.reason, str(place), proven.sha256, line=ground.line(place, "audit"), below=below)
    if path is None:
        return _ending(ground, proven)
    what = "a later finding says that the run counts nowhere"
    below = (seconds.whole(ground, proven),)
    return Link(
        what, proven.score.reason, str(path), ground.sha256(path), line=ground.line(path, "reason"), below=below
    )


def _weight(ground: Ground, proven: ProvenRun, name: str) -> Link:
    place = ("weights", name, "tier1_real") if name == "verification_depth" else ("weights", name)
    path = edition_path(proven.run.edition)
    return Link(
        what=f"points that the line {name.replace('_', ' ')} has",
        value=getattr(proven.score.lines, name).of,
        file=str(path),
        sha256=ground.sha256(path),
        address=figure_at(path, *place),
        line=ground.line(path, *place),
        checked=(f"is the file that cycle {proven.run.cycle} pinned",),
    )


def _weights(ground: Ground, proven: ProvenRun) -> Link:
    path = edition_path(proven.run.edition)
    parts = tuple(_weight(ground, proven, name) for name in LINES)
    points = sum(part.value for part in parts if isinstance(part.value, int))
    what = "points that a run can earn"
    return Link(what, points, str(path), ground.sha256(path), figure_at(path, "weights", "total"), below=parts)
