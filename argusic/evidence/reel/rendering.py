"""Making a reel: its edited recording, its pictures, its card, and the list of its edits beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image

from argusic import __version__
from argusic.database.atomic import write_file
from argusic.database.codec import dump
from argusic.errors import CheckFailed
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.reel import agg, typeface, video
from argusic.evidence.reel.card import card_moment, draw_card
from argusic.evidence.reel.cast import write_cast
from argusic.evidence.reel.gif import GifWriter, read_gif
from argusic.evidence.reel.pictures import pictures
from argusic.evidence.reel.planning import Plan
from argusic.evidence.reel.showing import Showing
from argusic.evidence.reel.source import Source
from argusic.records.reel import EditList, ReelFile, ReelProgram

#: How the name of an edit list ends, by which `argusic verify` knows one.
LIST_ENDING: Final = ".reel.yaml"
#: How the names of the others end.
ENDINGS: Final = {"gif": ".gif", "mp4": ".mp4", "card": ".png"}


@dataclass(frozen=True)
class Rendered:
    """A reel in a folder.

    Attributes:
        cast_sha256: The digest of the edited recording.
        files: The path of each kind of file.
        pictures: How many pictures the reel has.
    """

    cast_sha256: str
    files: dict[str, Path]
    pictures: int


def render(
    source: Source,
    plan: Plan,
    folder: Path,
    kinds: Collection[str],
    progress: Callable[[str], None] = lambda doing: None,
) -> Rendered:
    """Render a reel into an empty folder.

    Args:
        source: The run.
        plan: The edits.
        folder: Where the files go, named after the run.
        kinds: Which of `gif`, `mp4` and `card` are wanted.
        progress: Told what is being done.

    Raises:
        CheckFailed: It cannot be rendered.
        EnvironmentLack: A program that is needed is not here.
    """
    name = source.run.run
    with tempfile.TemporaryDirectory(prefix="argusic-reel-") as scratch:
        cast, terminal = Path(scratch) / "edited.cast", Path(scratch) / "terminal.gif"
        progress("editing the recording")
        sha256 = write_cast(source, plan.times, cast)
        progress("rendering the terminal")
        agg.render(cast, terminal, plan.times.length)
        made: dict[str, Path] = {"gif": folder / f"{name}{ENDINGS['gif']}"}
        progress("drawing the pictures")
        with GifWriter(made["gif"]) as writer:
            for picture in pictures(terminal, Showing(source, plan), plan.times.length):
                writer.add(picture.image, picture.lasts)
        if "card" in kinds:
            made["card"] = folder / f"{name}{ENDINGS['card']}"
            draw_card(source, _terminal_at(terminal, card_moment(source, plan))).save(made["card"], "PNG")
    if "mp4" in kinds:
        progress("encoding the MP4")
        made["mp4"] = folder / f"{name}{ENDINGS['mp4']}"
        video.encode(made["gif"], made["mp4"])
    return Rendered(sha256, made, writer.pictures)


def write_reel(
    source: Source,
    plan: Plan,
    folder: Path,
    kinds: Collection[str],
    progress: Callable[[str], None] = lambda doing: None,
) -> tuple[EditList, list[Path]]:
    """Make a reel and put it, with its edit list, into a folder; return the list and every path.

    Raises:
        CheckFailed: It cannot be rendered.
        EnvironmentLack: A program that is needed is not here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="argusic-reel-") as scratch:
        rendered = render(source, plan, Path(scratch), kinds, progress)
        files = []
        written = []
        for kind in ("gif", "mp4", "card"):
            if kind in kinds:
                path = rendered.files[kind]
                found = fingerprint(path)
                files.append({"name": path.name, "kind": kind, "size": found.size, "sha256": found.sha256})
                write_file(folder / path.name, path.read_bytes(), replace=True)
                written.append(folder / path.name)
    edits = edit_list(source, plan, rendered.cast_sha256, program(), [ReelFile.model_validate(file) for file in files])
    listed = folder / f"{source.run.run}{LIST_ENDING}"
    write_file(listed, dump(edits), replace=True)
    return edits, [*written, listed]


def edit_list(
    source: Source, plan: Plan, cast_sha256: str, made_by: ReelProgram, files: Sequence[ReelFile]
) -> EditList:
    """Return the edit list of a plan that was rendered.

    Args:
        source: The run's recording.
        plan: What is done to it.
        cast_sha256: The digest of the edited recording.
        made_by: What rendered it.
        files: What came of it.
    """
    return EditList(
        run=source.run.run,
        recording=source.recording_sha256,
        commands=source.commands_sha256,
        report=source.report_sha256,
        seconds=source.seconds,
        speed=plan.pace.speed,
        pause=plan.pace.pause,
        hold=plan.pace.hold,
        beat=plan.pace.beat,
        trims=plan.trims,
        captions=plan.captions,
        reel_seconds=plan.times.length,
        cast_sha256=cast_sha256,
        program=made_by,
        files=tuple(files),
    )


def program() -> ReelProgram:
    """Return what makes reels here.

    Raises:
        EnvironmentLack: It is not installed.
    """
    return ReelProgram(argusic=__version__, agg=agg.version(), font_sha256=typeface.digest())


def _terminal_at(terminal: Path, moment: float) -> Image.Image:
    """Return the terminal as it is at a moment of the reel."""
    found: Image.Image | None = None
    for image, starts, _, _ in read_gif(terminal):
        # agg knows hundredths of a second alone, and shows what comes together together.
        if found is not None and starts > moment * 1000 + 100:
            break
        found = image
    if found is None:
        raise CheckFailed("agg rendered no picture.")
    return found
