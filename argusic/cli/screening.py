"""`argusic screening`: a person's finding on a subject that every agent failed on, or on the claims of a held run."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.database.paths import claim_screening_path, screening_path
from argusic.errors import InputError
from argusic.records.findings import Screening
from argusic.referee.findings import screen, stated
from argusic.referee.screening_claims import screen_claims


class Finding(StrEnum):
    """What a person can find: of a subject under review, or of the claims of a run that is held."""

    environment = "environment"
    project = "project"
    agents = "agents"
    audit = "audit"
    record = "record"
    agent = "agent"


_OF_SUBJECTS = ("environment", "project", "agents")
_OF_CLAIMS: dict[str, Literal["audit", "record", "agent"]] = {"audit": "audit", "record": "record", "agent": "agent"}
_WHAT = (
    "Of a subject: environment (run again), project (stays excluded), agents (counts). Of a run's claims: audit (it "
    "misread the record; the run counts), record (ours is at fault; run again), agent (the claim is false; that stays "
    "beside the run, which counts as it is scored)."
)


def register(app: typer.Typer) -> None:
    """Add the command `screening`."""
    app.command("screening")(screening_command)


def screening_command(
    finding: Annotated[Finding, typer.Option("--finding", help=_WHAT)],
    reason: Annotated[str, typer.Option("--reason", help="What was found, as readers see it.")],
    by: Annotated[str, typer.Option("--by", help="Who looked.")],
    subject: Annotated[str | None, typer.Argument(metavar="SUBJECT", help="The subject, KIND/SLUG.")] = None,
    cycle: Annotated[str | None, typer.Option("--cycle", help="The cycle's id, with a SUBJECT.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Instead of a SUBJECT: a run that is held.")] = None,
    invalidates: Annotated[
        list[str] | None,
        typer.Option("--invalidate", help="A run that an environment finding invalidates; repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write down what a person found on a subject under review, or on the claims of a run that is held."""
    base = database()
    now = datetime.now(UTC).replace(microsecond=0)
    if (subject is None) == (run is None):
        raise InputError("name either a SUBJECT under review, or with --run a run that is held.")
    if run is not None:
        if finding.value not in _OF_CLAIMS:
            raise InputError(f"of a run's claims --finding is {', '.join(_OF_CLAIMS)}, not {finding.value}.")
        if cycle is not None or invalidates:
            raise InputError("--cycle and --invalidate go with a SUBJECT: a run has one cycle and is one run.")
        claims = screen_claims(base, run, _OF_CLAIMS[finding.value], reason=reason, by=by, at=now)
        path = str(claim_screening_path(claims.cycle, run))
    else:
        if finding.value not in _OF_SUBJECTS:
            raise InputError(f"of a subject --finding is {', '.join(_OF_SUBJECTS)}, not {finding.value}.")
        if cycle is None:
            raise InputError("a SUBJECT needs --cycle.")
        record = stated(
            Screening,
            cycle=cycle,
            subject=subject,
            finding=finding.value,
            reason=reason,
            by=by,
            at=now,
            invalidates=sorted(set(invalidates or ())),
        )
        screen(base, record)
        path = str(screening_path(cycle, record.subject))

    def render(out: Console) -> None:
        out.print(f"written: {path}")
        out.print("`argusic recompute` brings boards and verdicts up to date.")

    emit(as_json, {"written": [path]}, render)
