"""`argusic score`: what a run or a bare report comes to, line by line, with the rule that decided each."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, indented, printable
from argusic.database.codec import read_record
from argusic.database.database import Database
from argusic.errors import InputError, Place
from argusic.records.run import Run
from argusic.rules.figures import exact, shown
from argusic.rules.reading import MAX_REPORT_BYTES, read_report
from argusic.rules.rubric import Score, score_report
from argusic.runs.held import learnt_later


def register(app: typer.Typer) -> None:
    """Add the command `score`."""
    app.command("score")(score_command)


def score_command(
    run: Annotated[Path | None, typer.Argument(metavar="RUN.yaml", help="A run's record.")] = None,
    report: Annotated[Path | None, typer.Option("--report", help="A bare report instead of a run.")] = None,
    edition: Annotated[str | None, typer.Option("--edition", help="The edition that a bare report is read by.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print outcome, the four lines with the rule that decided each, and the total."""
    if (run is None) == (report is None):
        raise InputError("name either a run's run.yaml or a --report.")
    if run is not None:
        if edition is not None:
            raise InputError("--edition goes with --report: a run is scored under its own edition for ever.")
        record, result = _of_run(run)
        contradicted = list(record.audit.contradicted) if record.audit is not None else []
        facts = {"run": record.run, "edition": record.edition, "purpose": record.purpose, "contradicted": contradicted}
        emit(as_json, facts | score_facts(result), lambda out: _show_run(out, record, result))
    else:
        if edition is None:
            raise InputError("--report needs --edition, such as --edition v1.5.")
        assert report is not None, "one of the two is given"
        bare = _of_report(report, edition)
        emit(as_json, {"edition": edition} | score_facts(bare), lambda out: show_score(out, bare))


def score_facts(result: Score) -> dict[str, Any]:
    """Return a score as plain data. A run that is invalid or held has no lines and no total."""
    data: dict[str, Any] = {"outcome": result.outcome}
    if result.reason is not None:
        data["reason"] = result.reason
    if result.lines is not None:
        data["lines"] = {
            name: {
                "points": _number(line.points),
                "exact": exact(line.points),
                "of": line.of,
                "rule": line.rule,
                "sentence": line.sentence,
            }
            for name, line in result.lines
        }
        data["total"] = _number(result.lines.total)
        data["total_exact"] = exact(result.lines.total)
    return data


def show_score(out: Console, result: Score) -> None:
    """Print a score for a person."""
    out.print(f"Outcome: {result.outcome}", style="bold")
    if result.reason is not None:
        out.print(indented(result.reason))
    if result.lines is None:
        return
    for name, line in result.lines:
        label = name.replace("_", " ")
        points = f"{_number(line.points)} of {line.of}"
        # Where one reason decided every line it stands above them already.
        why = line.rule if line.sentence == result.reason else f"{line.sentence} ({line.rule})"
        out.print(f"  {label:<20}{points:>12}  {printable(why)}")
    total = result.lines.total
    written_out = "" if total.denominator == 1 else f" (exactly {exact(total)})"
    out.print(f"  {'total':<20}{f'{_number(total)} of 100':>12}{written_out}")


def show_caveats(out: Console, run: Run) -> None:
    """Say what keeps the score of a run from being what it seems: that a control earned it, or on what claims."""
    if run.purpose == "control":
        what = "its score proves the harness, says nothing of the subject, and counts nowhere."
        out.print(f"{run.agent} is a control: {what}")
    if run.audit is not None and run.audit.contradicted:
        fields = ", ".join(run.audit.contradicted)
        out.print(printable(f"The recording contradicts the report: {fields} (`argusic audit {run.run}` says how)."))


def _show_run(out: Console, run: Run, result: Score) -> None:
    show_score(out, result)
    show_caveats(out, run)


def _of_run(path: Path) -> tuple[Run, Score]:
    record = read_record(path, Run)
    try:
        base = Database.find(path.parent)
    except InputError:
        base = database()
    edition, _ = base.edition(record.edition)
    return record, learnt_later(base, record.cycle).score(record, edition)


def _of_report(path: Path, edition: str) -> Score:
    base = database()
    rules = next((record for record in base.editions() if record.edition == edition), None)
    if rules is None:
        known = ", ".join(record.edition for record in base.editions())
        raise InputError(f"there is no edition {edition}; there is {known}.")
    try:
        if not path.is_file():
            raise InputError("is no file." if path.exists() else "does not exist.", place=Place(path))
        with path.open("rb") as file:
            data = file.read(MAX_REPORT_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", place=Place(path)) from None
    return score_report(read_report(data, rules), rules)


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else shown(value)
