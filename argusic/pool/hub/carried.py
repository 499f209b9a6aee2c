"""Models that a published archive carries: the files of their repository in it, listed and taken out by exact path.

Nothing is unpacked by the names that an archive gives: a file is taken only under the path that a pin has for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from argusic.pool.archives import ArchiveUnusable, members
from argusic.pool.hub.cards import CARD
from argusic.pool.kinds.protocol import PinMismatch
from argusic.records.hub import HubFile, HubFiles

_WEIGHTS = re.compile(r"\.(safetensors|bin|onnx|gguf|pt|pth|h5|tflite|msgpack|npz)$")
_PIECE = 1 << 20
_files: TypeAdapter[tuple[HubFile, ...]] = TypeAdapter(HubFiles)


def repository_in(archive: Path) -> str | None:
    """Return the folder of an archive that holds a model's repository: a card beside weights. None without one.

    Raises:
        ArchiveUnusable: It cannot be read, or holds several.
    """
    cards, weights = set(), set()
    for member in members(archive):
        folder, _, name = member.path.rpartition("/")
        if name == CARD:
            cards.add(folder)
        if _WEIGHTS.search(name):
            weights.add(folder)
    found = sorted(folder for folder in cards & weights if folder)
    if len(found) > 1:
        raise ArchiveUnusable(f"{archive.name} holds several models: {', '.join(found[:5])}")
    return found[0] if found else None


def listed_in(archive: Path, folder: str) -> tuple[HubFile, ...]:
    """Return the files of a folder of an archive, with their digests.

    Raises:
        ArchiveUnusable: It cannot be read, or holds there what no repository does.
    """
    found: dict[str, HubFile] = {}
    for member in members(archive):
        path = member.path.removeprefix(f"{folder}/")
        if path == member.path or path.rpartition("/")[2] == ".gitattributes":
            continue
        if path in found:
            raise ArchiveUnusable(f"{archive.name} holds {member.path!r} twice")
        digest, size = hashlib.sha256(), 0
        while piece := member.content.read(_PIECE):
            digest.update(piece)
            size += len(piece)
        try:
            found[path] = HubFile(path=path, size=size, sha256=digest.hexdigest())
        except ValidationError as error:
            raise ArchiveUnusable(f"{archive.name} holds {member.path[:200]!r}: {_said(error)}") from error
    try:
        return _files.validate_python(tuple(found[path] for path in sorted(found)))
    except ValidationError as error:
        raise ArchiveUnusable(f"{folder} in {archive.name}: {_said(error)}") from error


def take_out(archive: Path, folder: str, files: Sequence[HubFile], into: Path) -> None:
    """Take pinned files out of a folder of an archive. Their digests are the caller's to prove.

    Raises:
        PinMismatch: The archive cannot be read, or a file of it is longer than pinned.
    """
    wanted = {f"{folder}/{file.path}": file for file in files}
    try:
        for member in members(archive):
            file = wanted.pop(member.path, None)
            if file is None:
                continue
            target, left = into / file.path, file.size
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as out:
                while piece := member.content.read(_PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise PinMismatch(f"{file.path} in {archive.name} is longer than the {file.size} bytes pinned")
                    out.write(piece)
    except ArchiveUnusable as error:
        raise PinMismatch(str(error)) from error


def _said(error: ValidationError) -> str:
    return error.errors()[0]["msg"].removeprefix("Value error, ")
