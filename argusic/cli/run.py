"""`argusic run show|invalidate|withdraw`: a run's facts and score; a file beside it, never an edit."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit, indented, printable
from argusic.cli.score import score_facts, show_caveats, show_score
from argusic.database.database import Database, StoredRun
from argusic.database.paths import RUN_FILE, invalidation_path, withdrawal_path
from argusic.records.facts import in_words
from argusic.referee.findings import find_run, invalidate
from argusic.referee.withdrawing import withdraw
from argusic.rules.rubric import Score
from argusic.runs.held import learnt_later

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def register(app: typer.Typer) -> None:
    """Add the commands of `run`."""
    group = typer.Typer(help="A run's facts and score; what is learnt about it later.", no_args_is_help=True)
    group.command("show")(show)
    group.command("invalidate")(invalidate_command)
    group.command("withdraw")(withdraw_command)
    app.add_typer(group, name="run")


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or its folder.")], as_json: _Json = False
) -> None:
    """Print a run's facts, and what it came to."""
    base = database()
    stored = named_run(base, run)
    record = stored.run
    learnt = learnt_later(base, record.cycle)
    later = learnt.invalidations.get(record.run)
    screening = base.claim_screenings(record.cycle).get(record.run)
    result = learnt.score(record, base.edition(record.edition)[0])
    data: dict[str, Any] = {
        "path": str(stored.path),
        "facts": record.model_dump(mode="json", by_alias=True, exclude_none=True),
        "score": score_facts(result),
        "invalidation": None if later is None else later.model_dump(mode="json", by_alias=True),
        "claim_screening": None if screening is None else screening.model_dump(mode="json", by_alias=True),
    }
    emit(as_json, data, lambda out: _show(out, stored, result))


def invalidate_command(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="The runs' ids.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, as readers see it.")],
    by: Annotated[str, typer.Option("--by", help="Who decided.")],
    as_json: _Json = False,
) -> None:
    """Write down that runs count nowhere. They stay published."""
    base = database()
    now = datetime.now(UTC).replace(microsecond=0)
    paths = [
        str(invalidation_path(made.cycle, made.run)) for made in invalidate(base, runs, reason=reason, by=by, at=now)
    ]

    def render(out: Console) -> None:
        for path in paths:
            out.print(f"written: {path}")
        out.print("`argusic recompute` brings boards and verdicts up to date.")

    emit(as_json, {"written": paths}, render)


def withdraw_command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")],
    file: Annotated[list[str], typer.Option("--file", metavar="NAME", help="What has to go; may be repeated.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, as readers see it, without what was found.")],
    by: Annotated[str, typer.Option("--by", help="Who decided.")],
    as_json: _Json = False,
) -> None:
    """Remove evidence that holds a credential or a person's data, and leave a tombstone with its fingerprint."""
    now = datetime.now(UTC).replace(microsecond=0)
    made = withdraw(database(), run, file, reason=reason, by=by, at=now)
    path = str(withdrawal_path(made.cycle, made.run))

    def render(out: Console) -> None:
        out.print(f"written: {path}")
        out.print("Git goes on holding what it once held, and so does every clone: revoke the credential first.")

    emit(as_json, {"written": path, "files": [one.name for one in made.files]}, render)


def named_run(base: Database, named: str) -> StoredRun:
    """Return a run that a person named by its id, or, as other commands print it, by its folder or its record."""
    path = PurePosixPath(named)
    return find_run(base, path.parent.name if path.name == RUN_FILE else path.name)


def _show(out: Console, stored: StoredRun, result: Score) -> None:
    run = stored.run
    minutes = run.budget_seconds // 60
    out.print(f"Run {run.run}", style="bold")
    for label, value in (
        ("cycle", run.cycle),
        ("subject", run.subject),
        ("pin", in_words(run.pin)),
        ("agent", run.agent + (", a control" if run.purpose == "control" else "")),
        ("edition", run.edition),
        ("tier", f"{run.tier}, {minutes} minutes"),
        ("started", f"{run.started:%Y-%m-%d %H:%M:%S} UTC"),
        ("ending", run.ending.how + (f": {run.ending.detail}" if run.ending.detail else "")),
        ("commands", str(run.commands)),
        ("report", run.report.state + (f": {run.report.problem}" if run.report.problem else "")),
        ("evidence", str(stored.folder)),
    ):
        out.print(f"  {label:<10}{printable(value)}")
    if run.report.content is not None:
        out.print(f"The agent's own words: {indented(run.report.content.final_state)}")
    show_score(out, result)
    show_caveats(out, run)
