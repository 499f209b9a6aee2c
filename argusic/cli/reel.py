"""`argusic evidence render|play`: a run's recording as a reel that can be shown, or in the terminal at hand."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import console, emit
from argusic.database.database import Database
from argusic.errors import CheckFailed, EnvironmentLack, InputError, Place
from argusic.records.reel import LONGEST, EditList
from argusic.referee.findings import find_run

if TYPE_CHECKING:
    from argusic.evidence.reel.planning import Plan
    from argusic.evidence.reel.source import Source

_Run = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")]


def register(group: typer.Typer) -> None:
    """Add the commands to the group `evidence`."""
    group.command("render")(render)
    group.command("play")(play)


def render(
    run: _Run,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help="gif, mp4 or card; may be repeated. Default: all that can be made."
        ),
    ] = None,
    length: Annotated[float, typer.Option(min=5, max=LONGEST, help="How long the reel is to be, in seconds.")] = 60,
    speed: Annotated[
        float | None, typer.Option(min=1, max=100, help="How many times faster. Default: as the length asks for.")
    ] = None,
    pause: Annotated[
        float, typer.Option(min=0.1, max=60, help="The longest time without output that is kept, in seconds.")
    ] = 1.5,
    edits: Annotated[
        Path | None, typer.Option("--edits", metavar="FILE", help="An edit list of this run to make the reel by.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FOLDER", help="Where it goes. Default: .argusic/reels/RUN.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Make a reel of a run's recording: a GIF, an MP4 where ffmpeg is here, a still card, and the list of its edits.

    The edits are speed, pauses cut short, commands left out that succeeded, and captions. Each is marked in the
    picture. No failure is left out, and `argusic verify LIST` checks all of it.
    """
    needed()
    from argusic.evidence.reel import video
    from argusic.evidence.reel.planning import plan
    from argusic.evidence.reel.rendering import write_reel
    from argusic.evidence.reel.source import read_source

    kinds = _kinds(kind, video.lack())
    base = database()
    stored = find_run(base, run)
    folder = _folder(base, to, run)
    with working(console(stderr=True)) as progress:
        progress("verifying the run's evidence")
        source = read_source(base, stored.folder)
        chosen = plan(source, length=length, speed=speed, pause=pause) if edits is None else _by_list(edits, source)
        listed, paths = write_reel(source, chosen, folder, kinds, progress)
    without = video.lack() if not kind else None

    def show(out: Console) -> None:
        for path in paths:
            out.print(f"written: {_short(path)}")
        out.print(_said(listed, source))
        if listed.reel_seconds > length and edits is None:
            out.print(f"No shorter reel shows every failure: {length:g} s were asked for.")
        if without is not None:
            out.print(f"There is no MP4: {without}.")
        out.print(f"Check it with: argusic verify {_short(paths[-1])}")

    emit(as_json, _plain(listed, paths), show)


def play(
    run: _Run,
    speed: Annotated[float, typer.Option(min=0.1, max=100, help="How many times faster.")] = 1,
    pause: Annotated[
        float, typer.Option(min=0.1, max=3600, help="The longest time without output that is waited for, in seconds.")
    ] = 2,
    since: Annotated[float, typer.Option("--from", min=0, help="From which second of the recording.")] = 0,
) -> None:
    """Play a run's recording in this terminal."""
    from argusic.evidence.reel.playing import Player, Watching
    from argusic.evidence.reel.source import read_source

    if not sys.stdout.isatty():
        raise InputError(
            "recordings are played in a terminal, and standard output is none.",
            advice=f"Make a file instead with: argusic evidence render {run}",
        )
    base = database()
    stored = find_run(base, run)
    with working(console(stderr=True)) as progress:
        progress("verifying the run's evidence")
        source = read_source(base, stored.folder)
    if since > source.seconds:
        raise InputError(f"--from is {since:g}, and the recording has {source.seconds:.1f} seconds.")
    size = shutil.get_terminal_size((source.header.width, source.header.height))
    watching = Watching(speed, pause, since)
    Player(source, watching, sys.stdout, (size.columns, size.lines)).play()
    console().print(f"Played: run {run}, {source.seconds:.1f} s as recorded.")


def must_be_folder(path: Path) -> None:
    """Refuse a place for files where something else than a folder is.

    Raises:
        InputError: It is a file.
    """
    if path.exists() and not path.is_dir():
        raise InputError("is no folder.", place=Place(path), advice="Name one with --to, or one that is not there yet.")


def needed() -> None:
    """Refuse what needs pictures where the library for them is missing.

    Raises:
        EnvironmentLack: It is missing.
    """
    try:
        import_module("PIL")
    except ModuleNotFoundError:
        raise EnvironmentLack(
            "Pillow, which draws pictures, is not installed.", advice="Run: pip install 'argusic[reel]'"
        ) from None


@contextmanager
def working(out: Console) -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being done."""
    if not out.is_terminal:
        yield lambda doing: None
        return
    with out.status("") as status:
        yield lambda doing: status.update(doing)


def _kinds(wanted: list[str] | None, no_video: str | None) -> tuple[str, ...]:
    known = ("gif", "mp4", "card")
    for kind in wanted or ():
        if kind not in known:
            raise InputError(f"--kind is gif, mp4 or card, not {kind!r}.")
        if kind == "mp4" and no_video is not None:
            raise EnvironmentLack(f"{no_video}.", advice="Install it with: sudo apt-get install -y ffmpeg")
    return tuple(kind for kind in known if (kind in wanted if wanted else kind != "mp4" or no_video is None))


def _folder(base: Database, to: Path | None, run: str) -> Path:
    """Return where a reel goes: nowhere among the records and the evidence, where it would be one file too many."""
    folder = (to or base.root / ".argusic" / "reels" / run).resolve()
    if folder.is_relative_to(base.root) and not folder.is_relative_to(base.root / ".argusic" / "reels"):
        raise InputError(
            "lies in the repository, where reels are no records.",
            place=Place(folder),
            advice="Name a folder elsewhere with --to.",
        )
    must_be_folder(folder)
    return folder


def _by_list(path: Path, source: Source) -> Plan:
    from argusic.evidence.reel.verifying import lawful_plan, read_list

    chosen, findings = lawful_plan(read_list(path), source)
    if chosen is None:
        first, *more = findings
        others = f" {len(more)} more is wrong with it: argusic verify {_short(path)}" if more else ""
        raise CheckFailed(f"{first.what}.{others}", place=first.place)
    return chosen


def _short(path: Path) -> str:
    shown = os.path.relpath(path)
    return str(path) if shown.startswith("..") else shown


def _said(edits: EditList, source: Source) -> str:
    did = [f"{edits.speed:g} times faster" if edits.speed > 1 else "at the recording's speed"]
    did.append(f"pauses beyond {edits.pause:g} s cut short")
    if edits.trims:
        did.append(f"{len(edits.trims)} stretches of commands that succeeded left out")
    failures = sum(caption.kind == "failed" for caption in edits.captions)
    shown = (
        f"all {failures} failures are shown" if failures > 1 else "its failure is shown" if failures else "none failed"
    )
    many = f"{len(source.rows)} commands"
    return f"{source.seconds:.1f} s of {many} in {edits.reel_seconds:.1f} s: {', '.join(did)}; {shown}."


def _plain(edits: EditList, paths: list[Path]) -> dict[str, Any]:
    return {"run": edits.run, "files": [str(path) for path in paths], "edits": edits.model_dump(mode="json")}
