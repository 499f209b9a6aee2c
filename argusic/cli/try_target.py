"""`argusic try TARGET`: a verdict on something of one's own, of whatever kind, in a scratch cycle."""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli import typed
from argusic.cli.context import database
from argusic.cli.equip import ImageOption, equipped
from argusic.cli.output import emit, indented, printable
from argusic.cli.own_model import KeyOption, ModelOption, PriceOption, UrlOption, own_agent
from argusic.cli.targets import KindOption, TargetArgument, chosen_kind
from argusic.cli.verdicts import VERDICTS
from argusic.database.database import Database
from argusic.database.paths import run_folder, verdicts_path
from argusic.errors import ArgusicError, EnvironmentLack
from argusic.pool.kinds.protocol import SubjectUnavailable
from argusic.pool.trial import Trial, set_up_trial, trials
from argusic.records.agent import Agent
from argusic.records.facts import in_words
from argusic.records.run import Run
from argusic.records.verdicts import SubjectVerdict, Verdicts
from argusic.referee.recompute import recompute
from argusic.rules.figures import shown
from argusic.rules.rubric import score
from argusic.runs.attempt import Equipment, workshop
from argusic.runs.cycle import Finished, run_cycle
from argusic.runs.recover import recover
from argusic.runs.watching import Cancelled
from argusic.sandbox.registry import providers


def try_target(
    target: TargetArgument,
    kind: KindOption = None,
    agent: Annotated[str, typer.Option(help="The agent that tries it.")] = "newcomer",
    url: UrlOption = None,
    model: ModelOption = None,
    key: KeyOption = None,
    price: PriceOption = None,
    desktop: Annotated[bool, typer.Option("--desktop", help="It is an application with windows.")] = False,
    sandbox: Annotated[str, typer.Option(help="The sandbox to try it in.")] = "bubblewrap",
    image: ImageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Try a project of your own: does it run today, for a newcomer, or for a model of your own?"""
    origin = database()
    kind = chosen_kind(target, kind, asks=sys.stdin.isatty() and not as_json).kind
    _sweep(origin)
    chosen = own_agent(agent, url, model, key, price) or origin.agent(agent)
    with equipped(origin, sandbox, quiet=as_json, image=image) as equipment:
        try:
            trial = _look_up(equipment, target, chosen, kind, desktop=desktop)
        except Cancelled:
            sys.exit(130)
        except SubjectUnavailable as error:
            raise EnvironmentLack(f"{target} could not be reached: {error}") from error
        scratch = Equipment(trial.database, equipment.provider, equipment.watcher, equipment.cancellation)
        finished = run_cycle(scratch, trial.cycle, providers())
    if finished.stopped:
        sys.exit(130)
    if not finished.runs and finished.queued:
        raise EnvironmentLack(finished.queued[0][1])
    recompute(trial.database)
    found = _verdict(trial)
    emit(as_json, _as_data(trial, found, finished), lambda out: _show(out, trial, found, finished))
    if finished.given_up or finished.queued:
        sys.exit(3)


def _sweep(origin: Database) -> None:
    """Remove what trials left behind that were killed: nothing else ever starts in their scratch databases."""
    for work in sorted(trials(origin).glob("*/.argusic/work")):
        if any(entry.is_dir() for entry in work.iterdir()):
            with suppress(ArgusicError, OSError):  # Whatever is wrong with an old trial, it is not this one's business.
                recover(Database(work.parents[1], cache_folder=origin.cache_folder), providers())


def _look_up(equipment: Equipment, target: str, agent: Agent, kind: str | None, *, desktop: bool) -> Trial:
    equipment.watcher.now(f"looking up {target}")
    work = equipment.database.work
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lookup-", dir=work.parent) as folder:
        name = Path(folder).name
        with equipment.cancellation.interruptible():
            fetching = workshop(equipment, Path(folder), name)
            trial = set_up_trial(equipment.database, target, agent, fetching, kind, desktop=desktop)
    for note in trial.notes:
        equipment.watcher.say(f"Note: {note}.")
    return trial


def _verdict(trial: Trial) -> SubjectVerdict:
    verdicts = trial.database.read(verdicts_path(trial.cycle.cycle, trial.subject.kind), Verdicts)
    return verdicts.subjects[0]


def _folder(base: Database, run: Run) -> str:
    return str(base.root / run_folder(run.cycle, run.subject, run.agent, run.run))


def _as_data(trial: Trial, found: SubjectVerdict, finished: Finished) -> dict[str, Any]:
    runs = []
    for run in finished.runs:
        result = score(run, trial.database.edition(run.edition)[0])
        lines = {} if result.lines is None else {name: shown(line.points) for name, line in result.lines}
        runs.append(
            {
                "run": run.run,
                "ending": run.ending.how,
                "outcome": result.outcome,
                "total": None if result.total is None else shown(result.total),
                "lines": lines,
                "evidence": _folder(trial.database, run),
            }
        )
    return {
        "target": trial.subject.name,
        "kind": trial.subject.kind,
        "pin": trial.cycle.subjects[0].pin.model_dump(mode="json", exclude_none=True),
        "edition": trial.cycle.edition,
        "verdict": found.verdict,
        "sentence": found.sentence,
        "decided_by": None if found.decided_by is None else found.decided_by.model_dump(mode="json"),
        "runs": runs,
        "repository": str(trial.database.root),
    }


def _show(out: Console, trial: Trial, found: SubjectVerdict, finished: Finished) -> None:
    pin = in_words(trial.cycle.subjects[0].pin)
    out.print(f"{trial.subject.name}: {VERDICTS[found.verdict]}", style="bold")
    out.print(f"  {found.sentence} (edition {trial.cycle.edition}; pinned: {pin})")
    for run in finished.runs:
        result = score(run, trial.database.edition(run.edition)[0])
        if result.lines is None or result.total is None:
            out.print(f"  Run {run.run}: {result.outcome}. {printable(result.reason or '')}")
        else:
            out.print(f"  Run {run.run}: {result.outcome}, {shown(result.total):g} of 100")
            for name, line in result.lines:
                points = f"{shown(line.points):g} of {line.of}"
                out.print(f"    {name.replace('_', ' ')}: {points}. {printable(line.sentence)}")
        if run.report.content is not None:
            out.print(f"    The agent's own words: {indented(run.report.content.final_state)}")
        out.print(f"    Evidence: {typed.path(Path(_folder(trial.database, run)))}")
    for _, why in finished.given_up:
        out.print(f"  Given up after invalid runs in a row: {printable(why)}", style="yellow")
    for _, why in finished.queued:
        out.print(f"  Queued: {printable(why)}", style="yellow")
    out.print("See it all with:")
    out.print(f"  {typed.command('site serve', trial.database.root)}")


def register(app: typer.Typer) -> None:
    """Add the command `try`."""
    app.command("try")(try_target)
