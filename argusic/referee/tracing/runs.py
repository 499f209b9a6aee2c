"""The figures of the files of one run: its record, its manifest, its command table, its recording and its log."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from argusic.database.paths import RUN_FILE, verdicts_path
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, MANIFEST_NAME, RECORDING_NAME
from argusic.records.manifest import Manifest
from argusic.records.report import Report
from argusic.records.run import Run
from argusic.records.verdicts import Verdicts
from argusic.referee.tracing import claims, scores, seconds, stated
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Figures, Link, Value
from argusic.referee.tracing.proven import ProvenRun

_LISTED = "the manifest lists every file of the run, and each is what it says"


def figures(ground: Ground, path: PurePosixPath) -> Figures:
    """Return the figures of one file of a run; none where the file has none."""
    record = path.parent / RUN_FILE
    if path == record:
        return _of_record(ground, path)
    if path.name == MANIFEST_NAME:
        return _of_manifest(ground, path, record)
    makers = {COMMANDS_NAME: _of_commands, RECORDING_NAME: _of_recording, LOG_NAME: _of_log}
    return makers[path.name](ground, ground.run(record)) if path.name in makers else {}


def _of_record(ground: Ground, path: PurePosixPath) -> Figures:
    run = ground.record(path, Run)

    def rest(place: tuple[str | int, ...]) -> tuple[tuple[str, ...], tuple[Link, ...]]:
        proven = ground.run(path)
        return (_LISTED,), _shown_by(ground, proven, place)

    found = stated.figures(ground, path, run, rest)
    found["commands"] = lambda: _counted(ground, ground.run(path))
    found["seconds"] = lambda: _seconds(ground, ground.run(path))
    if run.purpose != "control":
        found["number"] = lambda: _number(ground, ground.run(path))
    if run.report.content is not None:
        found["errors/met"] = lambda: _errors(ground, ground.run(path), fixed=False)
        found["errors/fixed"] = lambda: _errors(ground, ground.run(path), fixed=True)
    # What it came to needs its edition and what was found later; its own facts above do not.
    return found | scores.figures(ground, ground.run(path))


def _shown_by(ground: Ground, proven: ProvenRun, place: tuple[str | int, ...]) -> tuple[Link, ...]:
    """Return what shows a field of a run's record: commands for what the report claims, else the recording."""
    report = proven.run.report.content
    if place[:2] == ("report", "content") and report is not None:
        return _claimed(ground, proven, report, place[2:])
    return (seconds.whole(ground, proven),)


def _claimed(ground: Ground, proven: ProvenRun, report: Report, field: tuple[str | int, ...]) -> tuple[Link, ...]:
    match field:
        case ("installed",):
            return claims.installed(ground, proven, report).below
        case ("launched",):
            return claims.launched(ground, proven, report).below
        case ("errors", int(number), *_):
            return claims.error(ground, proven, report, number).below
        case ("errors" | "errors_encountered" | "errors_fixed",):
            return claims.met(ground, proven, report)
        case ("test_depth",):
            return claims.depth(ground, proven, report).below
        case ("verified_how", *_):
            return claims.proof(ground, proven, report).below
    return (seconds.whole(ground, proven),)


def _derived(
    proven: ProvenRun, ground: Ground, what: str, value: Value, figure: str, rule: str, below: tuple[Link, ...]
) -> Link:
    path = proven.path
    return Link(
        what=f"{what} of run {proven.name}",
        value=value,
        file=str(path),
        sha256=proven.sha256,
        address=figure_at(path, figure),
        line=ground.line(path, figure),
        rule=rule,
        checked=(_LISTED,),
        below=below,
    )


def _counted(ground: Ground, proven: ProvenRun) -> Link:
    below = (commands(ground, proven),) if proven.file("commands") else (seconds.whole(ground, proven),)
    rule = "as many as the command table has"
    return _derived(proven, ground, "commands", proven.run.commands, "commands", rule, below)


def commands(ground: Ground, proven: ProvenRun) -> Link:
    """Return the link to how many rows the command table has, which ends in the last one's second."""
    file = proven.file("commands")
    assert file is not None, "it is asked for only where there is one"
    path = proven.path.parent / COMMANDS_NAME
    below = seconds.commands(ground, proven, proven.commands[-1:])
    address = figure_at(path, "count")
    return Link(
        "commands in the table, and the last one", len(proven.commands), str(path), file.sha256, address, below=below
    )


def _seconds(ground: Ground, proven: ProvenRun) -> Link:
    took = (proven.run.finished - proven.run.started).total_seconds()
    below = (seconds.whole(ground, proven),)
    return _derived(proven, ground, "length in seconds", took, "seconds", "finished - started", below)


def _number(ground: Ground, proven: ProvenRun) -> Link:
    """Return the chain of an attempt's number, from the verdicts that count attempts."""
    run = proven.run
    path = verdicts_path(run.cycle, run.subject.split("/")[0])
    ground.derived(path, (run.cycle, run.subject.split("/")[0]))
    subjects = ground.record(path, Verdicts).subjects
    place, one = next((place, one) for place, one in enumerate(subjects) if one.subject == run.subject)
    at, attempt = next((at, attempt) for at, attempt in enumerate(one.attempts) if attempt.run == run.run)
    below = Link(
        what=f"number of the attempt in the verdicts of cycle {run.cycle}",
        value=attempt.number,
        file=str(path),
        sha256=ground.sha256(path),
        address=figure_at(path, run.subject, "attempts", attempt.number),
        line=ground.line(path, "subjects", place, "attempts", at, "number"),
        checked=("is what the runs give, derived again (argusic recompute --check)",),
        below=(seconds.whole(ground, proven),),
    )
    rule = "its place among all attempts of the subject in its cycle, by start"
    return _derived(proven, ground, "number", attempt.number, "number", rule, (below,))


def _errors(ground: Ground, proven: ProvenRun, *, fixed: bool) -> Link:
    report = proven.run.report.content
    assert report is not None, "it is asked for only where there is one"
    value = report.fixed if fixed else report.encountered
    what, figure = ("errors fixed", "errors/fixed") if fixed else ("errors met", "errors/met")
    below = claims.met(ground, proven, report)
    return _derived(proven, ground, what, value, figure, "by the agent's own report", below)


def _of_manifest(ground: Ground, path: PurePosixPath, record: PurePosixPath) -> Figures:
    manifest = ground.record(path, Manifest)

    def rest(place: tuple[str | int, ...]) -> tuple[tuple[str, ...], tuple[Link, ...]]:
        proven = ground.run(record)
        match place:
            case ("files", int(number), *_):
                file = manifest.files[number]
                kept = (f"the file {'in the evidence store' if file.place == 'store' else 'here'} has it",)
                return kept, (Link(f"the file {file.name}", file.size, str(path.parent / file.name), file.sha256),)
            case ("coverage", *_):
                return ("the recording, measured again, gives it",), (seconds.whole(ground, proven),)
        return (_LISTED,), ()

    return stated.figures(ground, path, manifest, rest)


def _of_commands(ground: Ground, proven: ProvenRun) -> Figures:
    found: Figures = {"count": partial(commands, ground, proven)} if proven.file("commands") else {}
    for row in (*proven.commands, *proven.inner):
        number = str(row.number)
        whole = partial(seconds.command, proven, row)
        found[number] = whole
        took = None if row.ended is None else row.ended - row.started
        for name, value in (
            ("started", row.started),
            ("ended", row.ended),
            ("seconds", took),
            ("exit_status", row.exit_status),
            ("log_line", row.log_line),
        ):
            found[f"{number}/{name}"] = partial(_of_row, whole, name, value, proven.path.parent / COMMANDS_NAME)
    return found


def _of_row(whole: partial[Link], name: str, value: Value, path: PurePosixPath) -> Link:
    link = whole()
    what = f"{name.replace('_', ' ')} of command {link.line}"
    address = figure_at(path, str(link.line), name)
    return replace(link, what=what, value=value, address=address, checked=link.checked)


def _of_recording(ground: Ground, proven: ProvenRun) -> Figures:
    recording, file = proven.recording, proven.file("recording")
    if recording is None or file is None:
        return {}
    path = proven.path.parent / RECORDING_NAME
    found: Figures = {"seconds": partial(seconds.whole, ground, proven)}
    for number, damage in enumerate(recording.damage, start=1):
        address = figure_at(path, "damage", number)
        found[f"damage/{number}"] = partial(
            Link, "what of the recording is damaged", damage, str(path), file.sha256, address
        )
    return found


def _of_log(ground: Ground, proven: ProvenRun) -> Figures:
    file = proven.file("log")
    if file is None:
        return {}
    path = proven.path.parent / LOG_NAME
    with proven.lies_at(file).open("rb") as stream:
        lines = sum(1 for _ in stream)
    below = (seconds.whole(ground, proven),)
    address = figure_at(path, "lines")
    return {"lines": lambda: Link("lines of the log", lines, str(path), file.sha256, address, below=below)}
