"""Reading what one job handed over: its own list against its files, each proven by its digest as it is copied."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from argusic.errors import CheckFailed
from argusic.evidence.fingerprint import Fingerprint
from argusic.github.ladder.limits import MOST_OF_A_FILE, MOST_OF_A_LIST, MOST_OF_A_RUN_FILE
from argusic.github.ladder.parcel import Parcel
from argusic.records.base import Part
from argusic.records.handing_over import HandedFile, HandOver
from argusic.runs.jobs.files import LIST_NAME, STORE, store_path

P = TypeVar("P", bound=Part)


def parse_part(data: bytes, model: type[P]) -> P:
    """Return what a JSON document holds.

    Raises:
        ValueError: It is no such document; in one clause.
    """
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))[:200]
        what = first["msg"].removeprefix("Value error, ")[:300]
        raise ValueError(f"{where}: {what}" if where else what) from None


@dataclass(frozen=True)
class Handed:
    """What a job handed over, its list read and compared with what is there. Nothing is copied yet.

    Attributes:
        said: Its list.
        parcel: Its files.
    """

    said: HandOver
    parcel: Parcel


def read_hand_over(parcel: Parcel) -> Handed:
    """Return what a job handed over.

    Raises:
        CheckFailed: It has no list, or its list is not of what is there.
    """
    if LIST_NAME not in parcel.entries:
        raise CheckFailed(f"it has no {LIST_NAME}.")
    try:
        said = parse_part(_read(parcel, LIST_NAME, MOST_OF_A_LIST), HandOver)
    except ValueError as error:
        raise CheckFailed(f"its {LIST_NAME} is not what it should be: {error}.") from None
    sizes = agreed_sizes(said.files)
    for path in sorted(parcel.entries.keys() - sizes.keys() - {LIST_NAME}):
        raise CheckFailed(f"it holds {path}, which its {LIST_NAME} does not name.")
    for path, size in sizes.items():
        if path not in parcel.entries:
            raise CheckFailed(f"its {LIST_NAME} names {path}, which is not in it.")
        if parcel.entries[path] != size:
            what = f"{path} in it has {parcel.entries[path]:,} bytes, and its {LIST_NAME} says {size:,}."
            raise CheckFailed(what)
    return Handed(said, parcel)


def agreed_sizes(files: Iterable[HandedFile]) -> dict[str, int]:
    """Return the size of each file that a list names, by its path.

    Raises:
        CheckFailed: It names one twice, one that is too large, or one in the store by another digest than its own.
    """
    sizes: dict[str, int] = {}
    for file in files:
        if file.path in sizes:
            raise CheckFailed(f"its list names {file.path} twice.")
        most = MOST_OF_A_FILE if file.path.startswith(STORE) else MOST_OF_A_RUN_FILE
        if file.size > most:
            raise CheckFailed(f"{file.path} in it has {file.size:,} bytes; such a file has {most:,} at most.")
        if file.path.startswith(STORE) and file.path != store_path(file.sha256):
            raise CheckFailed(f"its list names {file.path} with the digest {file.sha256}.")
        sizes[file.path] = file.size
    return sizes


def copy_out(parcel: Parcel, files: Iterable[HandedFile], target: Path) -> None:
    """Copy files into a folder, each below its own path, and prove them.

    Args:
        parcel: Where they are.
        files: Which.
        target: The folder.

    Raises:
        CheckFailed: One is not what its digest names.
    """
    for file in files:
        path = target / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        found = _copy(_no_more(parcel.pieces(file.path), file.path, file.size), path)
        if found != (file.sha256, file.size):
            what = f"{file.path} in it has {found.size:,} bytes and the digest {found.sha256}, not {file.sha256}."
            raise CheckFailed(what)


def _read(parcel: Parcel, path: str, most: int) -> bytes:
    return b"".join(_no_more(parcel.pieces(path), path, most))


def _no_more(pieces: Iterator[bytes], path: str, most: int) -> Iterator[bytes]:
    """Yield pieces, and stop where they become more than was said: a bomb says less than it holds."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > most:
            raise CheckFailed(f"{path} in it has more than the {most:,} bytes that it may have.")
        yield piece


def _copy(pieces: Iterator[bytes], path: Path) -> Fingerprint:
    digest, size = hashlib.sha256(), 0
    with path.open("xb") as writing:
        for piece in pieces:
            writing.write(piece)
            digest.update(piece)
            size += len(piece)
    return Fingerprint(digest.hexdigest(), size)
