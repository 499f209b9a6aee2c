"""Evidence as packs in the repository itself: `runs/<cycle>/packs/<sha256>.zip`, one for each collected batch.

It is for small cycles: whoever clones the repository has every served file, and needs no other place. A pack is there
whole or not at all and is never changed; where evidence is withdrawn it gives way to one without it. Packs come from
whoever wrote the repository, and are trusted with nothing: every file that is taken out of one is proven by its digest.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from argusic.database.database import Database
from argusic.database.paths import pack_path, packs_folder, what_is
from argusic.errors import CheckFailed, InputError
from argusic.evidence.stores.elsewhere import PIECE, Here, Keep
from argusic.evidence.stores.pack import Members, Span, opening, pack_size, plan_whole, read_index, write_pack
from argusic.records.evidence_home import RepositoryHome

#: The most bytes of a pack: hosts of git warn at a file of 50 MB and refuse one of 100.
MOST_BYTES: Final = 50_000_000
_MB: Final = 1_000_000


class CommittedPacks:
    """A store in the packs of the repository itself.

    Args:
        database: The database.
        home: What `rules/evidence.yaml` says of it.
    """

    def __init__(self, database: Database, home: RepositoryHome) -> None:
        self._database = database
        self._most = home.most_mb * _MB
        self._known: dict[PurePosixPath, Mapping[str, Span]] = {}

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return "the packs of this repository"

    def is_private(self) -> bool:
        """Return false: sealed files never enter git, which forgets nothing."""
        return False

    def holds(self, wanted: Collection[str]) -> set[str]:
        """Return which of some digests are in a pack."""
        if not wanted:
            return set()
        return {sha256 for path in pack_paths(self._database) for sha256 in self._index(path).keys() & set(wanted)}

    def send(self, cycle: str, files: Sequence[Here], sent: Callable[[Here], None]) -> None:
        """Write files as packs: one, unless a host of git would refuse it."""
        advice = "Keep the evidence in releases or in a bucket."
        planned = plan_whole(files, MOST_BYTES, what="a pack in git", advice=advice)
        self._must_fit(cycle, sum(pack_size(file.size for file in members) for members in planned))
        for members in planned:
            self._write(cycle, opening(members))
            for file in members:
                sent(file)

    def fetch(self, wanted: Collection[str], keep: Keep) -> None:
        """Hand over the content of files. A pack that is damaged keeps no other from being read."""
        left = set(wanted)
        damaged: list[CheckFailed] = []
        for path in pack_paths(self._database):
            try:
                index = self._index(path)
                found = sorted(left & index.keys(), key=lambda sha256: index[sha256])
                if not found:
                    continue
                with self._naming(path), opened_pack(self._database, path) as (reading, _):
                    for sha256 in found:
                        keep(sha256, _pieces(reading, index[sha256]))
                        left.discard(sha256)
            except CheckFailed as error:
                damaged.append(error)
        if left and damaged:
            raise damaged[0]

    def remove(self, sha256: str) -> None:
        """Replace each pack that has a file by one without it. What git's history holds of it stays there."""
        for path in pack_paths(self._database):
            index = self._index(path)
            if sha256 not in index:
                continue
            if len(index) > 1:
                kept = {one: self._proven(path, one, span) for one, span in index.items() if one != sha256}
                self._write(path.parts[1], {one: (len(data), partial(io.BytesIO, data)) for one, data in kept.items()})
            self._database.remove(path)

    def _must_fit(self, cycle: str, size: int) -> None:
        """Refuse to let a cycle take more in git than was stated.

        Raises:
            InputError: It would.
        """
        recordings = sum(map(self._size, self._database.listing(f"runs/{cycle}", only=_is_evidence).blobs))
        packs = sum(map(self._size, pack_paths(self._database, cycle)))
        if recordings + packs + size > self._most:
            raise InputError(
                f"cycle {cycle} would take {_mb(recordings + packs + size)} MB of evidence in git: "
                f"{_mb(recordings)} in run folders, {_mb(packs)} in packs and {_mb(size)} more. rules/evidence.yaml "
                f"allows {self._most // _MB} MB a cycle. Nothing was written.",
                advice="Keep the evidence in releases or in a bucket, or allow more as `repository: {most_mb: N}`.",
            )

    def _size(self, path: PurePosixPath | str) -> int:
        return os.lstat(self._database.root / path).st_size

    def _write(self, cycle: str, members: Members) -> None:
        made = io.BytesIO()
        write_pack(members, made)
        data = made.getvalue()
        # Where it is there already it is the same to the byte, for its name says so.
        self._database.write_bytes(pack_path(cycle, hashlib.sha256(data).hexdigest()), data, replace=True)

    def _proven(self, path: PurePosixPath, sha256: str, span: Span) -> bytes:
        with self._naming(path), opened_pack(self._database, path) as (reading, _):
            data = b"".join(_pieces(reading, span))
            if hashlib.sha256(data).hexdigest() != sha256:
                raise CheckFailed(f"it holds something else as {sha256}, so it cannot be packed anew.")
        return data

    def _index(self, path: PurePosixPath) -> Mapping[str, Span]:
        if path not in self._known:
            with self._naming(path):
                self._known[path] = index_of(self._database, path)
        return self._known[path]

    @contextmanager
    def _naming(self, path: PurePosixPath) -> Iterator[None]:
        """Say with its name whatever is wrong with a pack."""
        try:
            yield
        except CheckFailed as error:
            mends = "`git restore` brings back what was committed."
            raise CheckFailed(f"{self.name} have {path}: {error.what}", advice=mends) from None


def pack_paths(database: Database, cycle: str | None = None) -> list[PurePosixPath]:
    """Return the packs of one cycle, or of all. What is no regular file, or lies behind a link, is passed over."""
    runs = database.root / "runs"
    cycles = [cycle] if cycle is not None else [one.name for one in runs.iterdir()] if runs.is_dir() else []
    found = []
    for one in cycles:
        folder = packs_folder(one)
        full = database.root / folder
        if not full.is_dir() or Path(os.path.realpath(full)) != full:
            continue
        for entry in full.iterdir():
            holding = what_is(folder / entry.name)
            if holding is not None and holding.row.name == "pack" and stat.S_ISREG(entry.lstat().st_mode):
                found.append(folder / entry.name)
    return sorted(found)


@contextmanager
def opened_pack(database: Database, path: PurePosixPath) -> Iterator[tuple[BinaryIO, int]]:
    """Open a pack and give its size.

    Raises:
        CheckFailed: It cannot be read, or is no regular file.
    """
    try:
        descriptor = os.open(database.root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise CheckFailed(f"it cannot be read ({error.strerror}).") from None
    with os.fdopen(descriptor, "rb") as reading:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise CheckFailed("it is no regular file.")
        yield reading, facts.st_size


def index_of(database: Database, path: PurePosixPath) -> dict[str, Span]:
    """Return where each file of a pack lies.

    Raises:
        CheckFailed: It is no pack, or cannot be read.
    """
    with opened_pack(database, path) as (reading, size):
        return read_index(size, partial(_part, reading))


def _part(reading: BinaryIO, start: int, size: int) -> bytes:
    reading.seek(start)
    return reading.read(size)


def _pieces(reading: BinaryIO, span: Span) -> Iterator[bytes]:
    reading.seek(span.start)
    left = span.size
    while left > 0 and (piece := reading.read(min(left, PIECE))):
        left -= len(piece)
        yield piece


def _is_evidence(path: str) -> bool:
    holding = what_is(path)
    return holding is not None and holding.row.name == "evidence"


def _mb(size: int) -> str:
    return f"{size / _MB:.1f}"
