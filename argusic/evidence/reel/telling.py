"""What a reel says in words, and where it stands still: from the command table and the report, and nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from argusic.evidence.audit.claims.errors import met_at
from argusic.evidence.audit.matching import squeezed
from argusic.evidence.audit.session import read_session, steps_of
from argusic.evidence.commands import CommandRow
from argusic.evidence.reel.source import Source
from argusic.evidence.reel.timing import Pace
from argusic.records.reel import Caption, Trim
from argusic.records.report import Report

#: Of what an agent wrote, at most so much is shown at once.
_MOST_QUOTED: Final = 110


def failed(row: CommandRow) -> bool:
    """Return whether a command did not end well, or never ended."""
    return row.exit_status != 0 or row.cut is not None


def captions(source: Source) -> tuple[Caption, ...]:
    """Return everything that is to be said of a run's commands, in order."""
    made: list[Caption] = []
    for row in source.rows:
        if failed(row):
            made.append(Caption(command=row.number, kind="failed", says=says_failed(row)))
    for of, number in successes(source.rows).items():
        made.append(Caption(command=number, kind="again", of=of, says=says_again(of, number)))
    made += _reported(source)
    return tuple(sorted(made, key=order))


def order(caption: Caption) -> tuple[int, int, int]:
    """Return what captions are sorted by."""
    return (caption.command, ("again", "failed", "reported").index(caption.kind), caption.of or 0)


def successes(rows: Sequence[CommandRow]) -> dict[int, int]:
    """Return, for each command that failed and succeeded when it was run again, the number of that success.

    It is the first success of the very same command; a failed command that failed again before that is not named.
    """
    found: dict[int, int] = {}
    open_failures: dict[str, int] = {}
    for row in rows:
        text = squeezed(row.command)
        if failed(row):
            open_failures[text] = row.number
        elif (number := open_failures.pop(text, None)) is not None:
            found[number] = row.number
    return found


def _reported(source: Source) -> Iterator[Caption]:
    """Yield what the report says of errors, each at the command that failed with it, where that can be told."""
    report, failures = source.report, {row.number for row in source.rows if failed(row)}
    if report is None or not report.errors or source.log is None or not failures:
        return
    with source.log.open("rb") as log:
        steps = steps_of(read_session(source.rows, log))
    for number, error in enumerate(report.errors, 1):
        met = [step.number for step in met_at(error, steps) if step.number in failures]
        if len(met) == 1 and (words := says_reported(report, number)) is not None:
            yield Caption(command=met[0], kind="reported", of=number, says=words)


def says_failed(row: CommandRow) -> str:
    """Return what is said of a command that failed."""
    if row.cut == "command_time":
        return f"Command {row.number} was cut off by its time limit"
    if row.cut == "output":
        return f"Command {row.number} was cut off by the limit on its output"
    if row.exit_status is None:
        return f"Command {row.number} had not ended when the attempt did"
    return f"Command {row.number} failed with exit status {row.exit_status}"


def says_again(of: int, number: int) -> str:
    """Return what is said of a command that had failed and succeeds now."""
    return f"Fixed: command {number} is command {of} again, and succeeds"


def says_reported(report: Report, number: int) -> str | None:
    """Return what the report says of one of its errors, or None where it has no such error, or no word on it."""
    errors = report.errors or ()
    if not 1 <= number <= len(errors) or not (what := _quoted(errors[number - 1].what)):
        return None
    error = errors[number - 1]
    fix = _quoted(error.fix)
    done = (f'fixed, it says, by "{fix}"' if fix else "fixed, it says") if error.fixed else "not fixed, it says"
    return f'The report: "{what}"; {done}'


def _quoted(text: str) -> str:
    """Return what an agent wrote as one short line of harmless characters."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split()).replace('"', "'")
    return plain if len(plain) <= _MOST_QUOTED else plain[: _MOST_QUOTED - 1].rstrip() + "…"


def says_trim(trim_starts: float, trim_ends: float, left_out: Sequence[int]) -> str:
    """Return the mark of a trim.

    Args:
        trim_starts: The second of the recording at which it begins.
        trim_ends: The second at which it ends.
        left_out: The numbers of the commands in it.
    """
    span = lasting(trim_ends - trim_starts)
    if not left_out:
        return f"{span} between two commands left out"
    if len(left_out) == 1:
        return f"Command {left_out[0]} left out: it succeeded, in {span}"
    return f"Commands {left_out[0]} to {left_out[-1]} left out: all succeeded, in {span}"


def says_pause(start: float, end: float) -> str:
    """Return the mark of a pause that is cut short."""
    return f"{lasting(end - start)} without output, cut short"


def lasting(seconds: float) -> str:
    """Return a time in words as short as can be: `3.4 s`, `42 s`, `3 min 5 s`, `2 h 1 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def left_out(trim: Trim, rows: Sequence[CommandRow]) -> list[CommandRow]:
    """Return the commands that a trim leaves out."""
    first = bisect_left(rows, trim.starts, key=lambda row: row.started)
    found = []
    for row in rows[first:]:
        if row.ended is None or row.ended > trim.ends:
            break
        found.append(row)
    return found


def stops(source: Source, pace: Pace, trims: Sequence[Trim]) -> dict[float, float]:
    """Return at which seconds of the recording the picture stands still, and for how many of the reel."""
    found: dict[float, float] = {}
    again = set(successes(source.rows).values())
    passed = 0
    for row in source.rows:
        end = source.seconds if row.ended is None else min(row.ended, source.seconds)
        while passed < len(trims) and trims[passed].ends <= row.started:
            passed += 1
        if passed < len(trims) and trims[passed].starts <= row.started:
            continue
        matters = failed(row) or row.number in again
        found[end] = max(found.get(end, 0.0), pace.hold if matters else pace.beat)
    for trim in trims:
        found[trim.ends] = max(found.get(trim.ends, 0.0), pace.hold)
    return {second: length for second, length in found.items() if length > 0}
