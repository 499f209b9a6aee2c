"""`argusic reproduce CYCLE`: run again what a cycle ran, under its conditions, and say how far it came out the same."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli import typed
from argusic.cli.context import database
from argusic.cli.cycle import exit_as, summary
from argusic.cli.equip import ImageOption, ParallelOption, at_once, equipped
from argusic.cli.held import show_held
from argusic.cli.output import emit, printable
from argusic.cli.reproduction import plain_standing, show_standing
from argusic.cli.signing import Sign, SignOption, sign_collected
from argusic.database.database import Database
from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.records.cycle import Cycle
from argusic.records.reproduction import Reproduction
from argusic.referee.recompute import recompute
from argusic.referee.reproducing.recording import record_reproduction, reproduction_of
from argusic.referee.reproducing.setting_up import Wanted, choose, original_conditions, scratch_for
from argusic.referee.reproducing.sides import Side, SideRun, published
from argusic.referee.reproducing.standing import standing
from argusic.runs.attempt import Equipment
from argusic.runs.cycle import Finished, run_cycle, still_owed
from argusic.runs.plan import Owed
from argusic.runs.room import room
from argusic.sandbox.registry import providers
from argusic.sandbox.registry import published as published_image
from argusic.site.figures import counted

#: What is written where nobody says who they are.
_NOBODY = "somebody who gave no name"


def reproduce(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The cycle's id.")],
    subject: Annotated[list[str] | None, typer.Option(help="Only this subject (KIND/SLUG); may be repeated.")] = None,
    agent: Annotated[
        list[str] | None, typer.Option(help="Only this agent, also a control; may be repeated. By default no control.")
    ] = None,
    sandbox: Annotated[str | None, typer.Option(help="Another sandbox than the cycle's runs had.")] = None,
    image: ImageOption = None,
    parallel: ParallelOption = "1",
    to: Annotated[Path | None, typer.Option(help="The folder that its runs go into.")] = None,
    record: Annotated[bool, typer.Option("--record", help="Write it down under runs/reproductions/.")] = False,
    by: Annotated[str | None, typer.Option(help="Who makes it, as it is to be written down.")] = None,
    where: Annotated[str | None, typer.Option("--where", metavar="URL", help="Where its runs are published.")] = None,
    sign: SignOption = Sign.any,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Run again what a cycle ran, under the conditions that it had, and compare what comes out.

    The cycle's own runs are not touched: the new ones go into a scratch repository below .argusic/. It can be stopped
    at any moment and started again. What cannot be the same on this machine is stated as a difference.
    """
    if record and by is None:
        raise InputError("--record needs --by NAME: whoever reads it later wants to know whom to ask.")
    base = database()
    original = base.cycle(cycle)
    first = published(base, cycle)
    wanted = choose(base, original, first, subject or (), agent or ())
    had = original_conditions(base, original)
    chosen = sandbox or (had.sandbox if had is not None else original.sandbox)
    if image is None and had is not None and had.sandbox == chosen and had.image not in published_image(base):
        image = had.image
    together = at_once(parallel, original.conditions)
    recorded = [one.reproduction for one in base.reproductions(cycle)]
    with _equipped(base, cycle, chosen, sandbox is not None, quiet=as_json, image=image) as equipment:
        for _, why in wanted.left_out:
            equipment.watcher.say(f"Left out: {why}")
        found = scratch_for(base, original, wanted, chosen, to and to.resolve(), recorded)
        if found.passed_over is not None:
            equipment.watcher.say(found.passed_over)
        scratch = found.database
        equipment.watcher.say(f"{'It goes on in' if found.goes_on else 'Its runs go to'} {scratch.root}.")
        if together > room(original.conditions):
            equipment.watcher.say(f"This machine holds {room(original.conditions)} of this cycle's attempts at once.")
        finished = run_cycle(
            Equipment(scratch, equipment.provider, equipment.watcher, equipment.cancellation),
            scratch.cycle(cycle),
            providers(),
            wanted.holds,
            together,
        )
    signing = sign_collected(scratch, cycle, sign, finished.attempted)
    recompute(scratch)
    done = _Done(base, scratch, original, wanted, first, finished)
    made = done.reproduction(by or _NOBODY, where or _asked_at(os.environ))
    path = done.write_down(made) if record else None

    def show(out: Console) -> None:
        done.show(out, made)
        show_held(out, scratch, cycle)
        signing.show(out)
        done.show_next(out, path)

    emit(as_json, {**done.plain(made, path), "signing": signing.plain()}, show)
    signing.check()
    exit_as(finished)


@contextmanager
def _equipped(
    base: Database, cycle: str, sandbox: str, asked: bool, *, quiet: bool, image: str | None
) -> Iterator[Equipment]:
    """Give what attempts are made with.

    Raises:
        EnvironmentLack: This machine cannot run the sandbox; where nobody asked for it, with what else can be done.
    """
    with ExitStack() as stack:
        try:
            equipment = stack.enter_context(equipped(base, sandbox, quiet=quiet, image=image))
        except EnvironmentLack as lack:
            if asked or sandbox != "docker":
                raise
            other = f"`argusic reproduce {cycle} --sandbox bubblewrap` runs it without, which is then a difference."
            raise EnvironmentLack(lack.what, advice=other) from lack
        yield equipment


@dataclass(frozen=True)
class _Done:
    """What came out, ready to be compared, written down and shown."""

    base: Database
    scratch: Database
    cycle: Cycle
    wanted: Wanted
    first: Side
    finished: Finished

    @cached_property
    def again(self) -> Side:
        """The runs of the scratch database."""
        return published(self.scratch, self.cycle.cycle)

    @cached_property
    def owed(self) -> list[Owed]:
        """What is still to be run."""
        owed = still_owed(self.scratch, self.scratch.cycle(self.cycle.cycle))
        return [cell for cell in owed if self.wanted.holds(cell)]

    @property
    def controls(self) -> list[dict[str, Any]]:
        """What controls came to on both sides; they are part of no comparison."""
        return [
            {
                "subject": cell[0],
                "agent": cell[1],
                "first": _outcomes(self.first.get(cell, ())),
                "again": _outcomes(runs),
            }
            for cell, runs in self.again.items()
            if any(run.scored.control for run in runs)
        ]

    def reproduction(self, by: str, where: str | None) -> Reproduction | None:
        """Return what came out as a record; None where nothing but controls has run."""
        if all(run.scored.control for runs in self.again.values() for run in runs):
            return None
        now = datetime.now(UTC).replace(microsecond=0)
        return reproduction_of(self.base, self.scratch, self.cycle.cycle, self.first, by=by, where=where, at=now)

    def write_down(self, made: Reproduction | None) -> PurePosixPath:
        """Write the record down.

        Raises:
            CheckFailed: Something is still to be run, or there is nothing but runs of controls.
        """
        if self.owed:
            attempts = counted(sum(cell.attempts for cell in self.owed), "attempt")
            raise CheckFailed(
                f"it is not written down yet: up to {attempts} more to run.", advice="Run it again to go on."
            )
        if made is None:
            raise CheckFailed("nothing is written down: runs of controls prove the harness, and count in nothing.")
        return record_reproduction(self.base, made)

    def plain(self, made: Reproduction | None, path: PurePosixPath | None) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "cycle": self.cycle.cycle,
            "repository": str(self.scratch.root),
            **summary(self.scratch, self.finished),
            "owed": sum(cell.attempts for cell in self.owed),
            "left_out": [{"agent": agent, "reason": why} for agent, why in self.wanted.left_out],
            "controls": self.controls,
            "comparison": None if made is None else plain_standing(standing(self.base, made, self.first)),
            "written": None if path is None else str(path),
        }

    def show(self, out: Console, made: Reproduction | None) -> None:
        """Print how it compares."""
        if made is not None:
            show_standing(out, standing(self.base, made, self.first))
        for one in self.controls:
            was, now = ", ".join(one["first"]), ", ".join(one["again"])
            out.print(f"Control {one['agent']} on {one['subject']}: {was} before, {now} now.")
        for cell, why in self.finished.given_up:
            out.print(
                f"Left {cell.subject} by {cell.agent} after invalid runs in a row: {printable(why)}", style="yellow"
            )
        for cell, why in self.finished.queued:
            out.print(f"Queued {cell.subject} by {cell.agent}: {printable(why)}", style="yellow")
        if self.owed:
            attempts = counted(sum(cell.attempts for cell in self.owed), "attempt")
            out.print(
                f"Not all of it has been run again: {attempts} to go at most. The same command goes on.", style="yellow"
            )

    def show_next(self, out: Console, path: PurePosixPath | None) -> None:
        """Print where it lies, and what may be done with it."""
        if path is not None:
            out.print(f"written: {path}")
            out.print("Bring it upstream with a pull request that holds this file alone.")
        elif not self.owed:
            out.print(f"`argusic reproduce {self.cycle.cycle} --record --by NAME` writes it down for a pull request.")
        out.print("See its runs, with their recordings, with:")
        out.print(f"  {typed.command('site serve', self.scratch.root)}")


def _outcomes(runs: Sequence[SideRun]) -> list[str]:
    return [run.scored.outcome for run in runs]


def _asked_at(environment: Mapping[str, str]) -> str | None:
    """Return the workflow run that this is, which keeps the runs; None on a laptop, whose runs nobody has published."""
    address = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}"
    try:
        return address.format_map(dict(environment)) if environment.get("GITHUB_ACTIONS") else None
    except KeyError:
        return None


def register(app: typer.Typer) -> None:
    """Add the command `reproduce`."""
    app.command("reproduce")(reproduce)
