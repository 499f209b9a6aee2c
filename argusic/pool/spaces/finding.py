"""Spaces looked up, on a hub or in a published archive, and laid out as their owners upload them."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool.git import GitFailed
from argusic.pool.hub.client import Hub
from argusic.pool.hub.pinning import pin_newest
from argusic.pool.hub.snapshots import cached_files
from argusic.pool.kinds.protocol import PinMismatch, Workshop
from argusic.pool.snapshots import lay_out
from argusic.pool.spaces.definition import MAX_README, README, Definition, DefinitionUnusable, read_definition
from argusic.pool.templates import look_up_published
from argusic.records.sources.hugging_face_space import Pin, Source


class FoundSpace(NamedTuple):
    """A Space that was looked up. It is in the cache."""

    name: str
    """Its public name."""
    source: Source
    """Where it comes from."""
    pin: Pin
    """Its newest state."""
    definition: Definition
    """How it is built and launched."""
    licence: str | None
    """Its licence, as its definition or the archive names it."""
    summary: str | None
    """What it says that it is."""
    notes: tuple[str, ...]
    """What a user should know of it."""


def on_hub(hub: Hub, name: str, revision: str | None, workshop: Workshop, pauses: tuple[float, ...]) -> FoundSpace:
    """Look a Space up on a hub; at the newest of its default branch without a revision.

    Raises:
        InputError: There is none, it is not open to everybody, it is more than is tested, or it has no definition.
        SubjectUnavailable: The hub could not be reached.
    """
    found, files = pin_newest(hub, "space", name, revision, lambda space: space.files, workshop, pauses)
    cached = cached_files(files, lambda _: None, workshop, ())
    defined = _definition(cached, found.name)
    return FoundSpace(
        name=found.name,
        source=Source(name=found.name),
        pin=Pin(sdk=defined.sdk, revision=found.revision, files=files),
        definition=defined,
        licence=defined.licence or found.licence,
        summary=defined.summary or defined.title,
        notes=(*_doubts(defined), *(("an account must be let in before it can be fetched",) if found.gated else ())),
    )


def in_archive(package: str, folder: str | None, workshop: Workshop, pauses: tuple[float, ...]) -> FoundSpace:
    """Look up the published archive that holds a Space.

    Args:
        package: The package, as a user writes it.
        folder: The folder of the archive that is uploaded as the Space; None where all of it is.
        workshop: What may be used.
        pauses: How long to wait before each further try, in seconds.

    Raises:
        InputError: There is no such package or folder, its file is unusable, or there is no definition in it.
        SubjectUnavailable: The registry could not be reached.
    """
    found = look_up_published(package, workshop, pauses)
    if found is None or found.published is None:
        raise InputError(f"{package!r} is no package's name.")
    try:
        source = Source(published=found.published, folder=folder)
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InputError(f"The folder {folder!r} {said}.") from error
    file = found.published.file
    with tempfile.TemporaryDirectory(prefix="argusic-") as scratch:
        laid = Path(scratch) / "space"
        laid.mkdir()
        try:
            lay_space(found.cached, found.commit, folder, laid)
        except PinMismatch as error:
            raise InputError(f"{file} holds no such Space: {error}.") from error
        defined = _definition(laid, f"{file}, {folder}" if folder else file)
    return FoundSpace(
        name=f"{found.name}/{folder.rsplit('/', 1)[-1]}" if folder else found.name,
        source=source,
        pin=Pin(sdk=defined.sdk, commit=found.commit),
        definition=defined,
        licence=defined.licence or found.licence,
        summary=defined.summary or defined.title or found.summary,
        notes=(*_doubts(defined), f"its files are those that {file} carries: no hub was asked for a revision"),
    )


def lay_space(cached: Path, commit: str, folder: str | None, into: Path) -> None:
    """Lay the Space that a published archive holds out in the empty folder `into`.

    A folder without a README gets that of the archive's top: `gradio cc publish` uploads a component's demo so.

    Args:
        cached: The bare repository of the archive's commit.
        commit: That commit.
        folder: The folder of it that is the Space; None where all of it is.
        into: Where to.

    Raises:
        PinMismatch: The commit cannot be checked out, or has no such folder.
    """
    with tempfile.TemporaryDirectory(prefix=".laying-", dir=into.parent) as scratch:
        whole = Path(scratch) / "whole"
        whole.mkdir()
        try:
            lay_out(cached, commit, whole)
        except GitFailed as error:
            raise PinMismatch(f"the cached commit cannot be checked out: {error}") from error
        shutil.rmtree(whole / ".git")
        chosen = whole / folder if folder else whole
        if not chosen.is_dir() or not chosen.resolve().is_relative_to(whole.resolve()):
            raise PinMismatch(f"it has no folder {folder}")
        if folder and not (chosen / README).exists() and (whole / README).is_file():
            shutil.move(whole / README, chosen / README)
        for entry in sorted(chosen.iterdir()):
            shutil.move(entry, into / entry.name)


def _definition(folder: Path, called: str) -> Definition:
    readme = folder / README
    if readme.is_symlink() or not readme.is_file() or readme.stat().st_size > MAX_README:
        raise InputError(f"{called} is no Space: it has no {README} that can be read.")
    try:
        return read_definition(readme.read_text(encoding="utf-8", errors="replace"))
    except DefinitionUnusable as error:
        raise InputError(f"{called} is no Space that can be built: {error}.") from error


def _doubts(definition: Definition) -> tuple[str, ...]:
    return tuple(f"{doubt}: it is left aside" for doubt in definition.doubts)
