"""`argusic cycle plan|request|harness`: what a cycle owes and to whom, and that every cell of it gets the same."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.context import database
from argusic.cli.cycle_jobs import plan_for_jobs
from argusic.cli.equip import SandboxOption
from argusic.cli.output import emit, printable
from argusic.database.database import Database
from argusic.database.paths import harness_change_path, request_path
from argusic.errors import InputError
from argusic.records.conditions import CycleConditions
from argusic.records.cycle import Cycle
from argusic.referee.requests import request_stronger
from argusic.runs.conditions import conditions_of, digest, fixed_conditions, held_conditions
from argusic.runs.cycle import still_owed
from argusic.runs.harness_change import state_no_effect
from argusic.runs.jobs.planning import MOST_JOBS
from argusic.runs.plan import Owed
from argusic.sandbox.registry import provider
from argusic.site.figures import counted

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_Name = Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")]


def register(group: typer.Typer) -> None:
    """Add the commands to the group `cycle`."""
    group.command("plan")(plan)
    group.command("request")(request)
    group.command("harness")(harness)


def plan(
    cycle: _Name,
    sandbox: SandboxOption = None,
    jobs: Annotated[
        Path | None, typer.Option("--jobs", metavar="FILE", help="Write the jobs that a workflow run makes of it.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", help="Jobs in one workflow run at most.")] = MOST_JOBS,
    as_json: _Json = False,
) -> None:
    """Print what a cycle still owes, one row for each agent on each subject, and the conditions that all rows share.

    With --jobs, plan what one workflow run does of it instead: a job for each row, with its machine and its time.
    """
    base = database()
    if jobs is not None:
        plan_for_jobs(base, cycle, jobs, limit, sandbox, as_json=as_json)
        return
    record = base.cycle(cycle)
    given = _given(base, record, sandbox)
    rows = [_row(base, record, cell, given) for cell in still_owed(base, record)]
    data = {"cycle": cycle, "edition": record.edition, "conditions": given, "include": rows}

    def show(out: Console) -> None:
        _show_rows(out, rows)
        if rows:
            _show_given(out, given, f"All {len(rows)} rows get" if len(rows) > 1 else "The row gets")

    emit(as_json, data, show)


def request(
    cycle: _Name,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="The subject, KIND/SLUG.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, as readers see it.")],
    by: Annotated[str, typer.Option("--by", help="Who asks.")],
    issue: Annotated[int | None, typer.Option("--issue", help="The number of the issue, where it was one.")] = None,
    as_json: _Json = False,
) -> None:
    """Ask for one run of the stronger agent on a subject that the standard agent could not verify."""
    base = database()
    now = datetime.now(UTC).replace(microsecond=0)
    made = request_stronger(base, cycle, subject, reason=reason, by=by, at=now, issue=issue)
    path = str(request_path(cycle, made.subject))
    agent = base.cycle(cycle).stronger_agent

    def show(out: Console) -> None:
        out.print(f"written: {path}")
        out.print(f"`argusic cycle run {cycle}` runs {agent} once the standard agent's attempts ended without a pass.")

    emit(as_json, {"written": path, "agent": agent}, show)


def harness(
    cycle: _Name,
    no_effect: Annotated[
        str | None, typer.Option("--no-effect", metavar="REASON", help="State why a change of it has no effect.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Who says so.")] = None,
    sandbox: SandboxOption = None,
    as_json: _Json = False,
) -> None:
    """Show whether the next attempt gets what a cycle's runs got, or state that what changed has no effect.

    The harness is the referee's own code that bears on a measurement, as rules/harness.yaml lists it. A cycle keeps the
    one that its first run had. Where it changed all the same, a person may state that the change has no effect on
    measurement; the statement stays beside the cycle's runs for ever. Other limits, another edition or another sandbox
    are covered by no statement.
    """
    base = database()
    record = base.cycle(cycle)
    written = None
    if (no_effect is None) != (by is None):
        raise InputError("--no-effect and --by go together.")
    if no_effect is not None and by is not None:
        now = datetime.now(UTC).replace(microsecond=0)
        change = state_no_effect(base, record, reason=no_effect, by=by, at=now, sandbox=sandbox)
        written = str(harness_change_path(cycle, change.conditions))
    given = _given(base, record, sandbox)

    def show(out: Console) -> None:
        if written is not None:
            out.print(f"written: {written}")
        _show_given(out, given, "The next attempt gets")

    emit(as_json, {"cycle": cycle, "written": written, "conditions": given}, show)


def _given(base: Database, cycle: Cycle, sandbox: str | None) -> dict[str, Any]:
    """Return what attempts of a cycle get from now on, and why none may be made, where none may."""
    if sandbox is not None:
        provider(sandbox)  # A name that was mistyped is no answer to what attempts get.
    runs_had = [digest(one) for one in fixed_conditions(base, cycle.cycle)]
    try:
        now = conditions_of(base, cycle, sandbox)
    except InputError as error:
        return {"sha256": None, "are": None, "refused": str(error), "runs_had": runs_had}
    refused = None
    try:
        held_conditions(base, cycle, sandbox)
    except InputError as error:
        refused = str(error)
    plain = now.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {"sha256": digest(now), "are": plain, "refused": refused, "runs_had": runs_had}


def _row(base: Database, cycle: Cycle, cell: Owed, given: dict[str, Any]) -> dict[str, Any]:
    entry = cycle.entry(cell.subject)
    assert entry is not None, "a cell comes from an entry"
    edition, _ = base.edition(cycle.edition)
    return {
        "subject": cell.subject,
        "agent": cell.agent,
        "purpose": cell.purpose,
        "attempts": cell.attempts,
        "tier": entry.tier,
        "budget_minutes": edition.budgets_minutes.minutes(entry.tier),
        "sandbox": cycle.sandbox if given["are"] is None else given["are"]["sandbox"],
        "conditions": given["sha256"],
    }


def _show_rows(out: Console, rows: list[dict[str, Any]]) -> None:
    if not rows:
        out.print("Nothing is owed.")
        return
    table = Table("subject", "agent", "purpose", "attempts", "tier", "minutes each")
    for row in rows:
        table.add_row(*(str(row[key]) for key in ("subject", "agent", "purpose", "attempts", "tier", "budget_minutes")))
    out.print(table)
    out.print(f"{sum(row['attempts'] for row in rows)} attempts at most.")


def _show_given(out: Console, given: dict[str, Any], who: str) -> None:
    if given["are"] is not None:
        out.print(f"{who} the same conditions, sha256 {given['sha256']}:")
        for label, said in _in_words(CycleConditions.model_validate(given["are"])):
            out.print(printable(f"  {label:<14}{said}"))
    if given["refused"] is not None:
        out.print(printable(f"No attempt can be made: {given['refused']}"), style="yellow")
    elif given["sha256"] in given["runs_had"]:
        out.print("They are those that runs of this cycle had.")
    elif given["runs_had"]:
        out.print("A person has stated that what changed since its last runs has no effect on measurement.")
    else:
        out.print("Its first run fixes them.")


def _in_words(are: CycleConditions) -> list[tuple[str, str]]:
    """Return conditions as labels and words."""
    minutes = are.budgets_minutes.model_dump(exclude_none=True)
    limits = are.resources
    room = f"{limits.memory_mb} MB memory, {limits.cpus:g} CPUs"
    said = [
        ("edition", f"{are.edition.id}, sha256 {are.edition.sha256[:12]}"),
        ("instructions", f"{are.instructions.id}, sha256 {are.instructions.sha256[:12]}"),
        ("minutes", ", ".join(f"{tier} {number}" for tier, number in minutes.items())),
        ("limits", f"{room}, {limits.processes} processes, {limits.disk_mb} MB disk"),
        ("sandbox", are.sandbox + (f", containers run with {are.runtime}" if are.runtime else "")),
        ("image", are.image or "none: the machine's own system, fingerprinted in each run's manifest"),
        ("network", are.network.replace("_", " ")),
    ]
    if are.harness is not None:
        said.append(("harness", f"{counted(are.harness.files, 'file')}, sha256 {are.harness.sha256[:12]}"))
    else:
        said.append(("harness", "not listed in this repository"))
    return said
