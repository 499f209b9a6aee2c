"""Packs of evidence in the repository itself: each is what its name says, holds what manifests name, and lacks nothing.

A stranger may send one in a pull request, so nothing in it is believed, and it is never unpacked to a disk.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath

from argusic.database.database import Database
from argusic.database.paths import what_is
from argusic.errors import CheckFailed, Finding, InputError
from argusic.evidence.stores.committed import MOST_BYTES, opened_pack
from argusic.evidence.stores.configured import home_of
from argusic.evidence.stores.pack import read_index, write_pack
from argusic.records.evidence_home import RepositoryHome
from argusic.referee.checks.survey import Survey


def check_packs(database: Database, made: Survey) -> Iterator[Finding]:
    """Yield each pack that is not what it should be; and each run of a closed cycle whose evidence is in no pack,
    where the repository says that its evidence lies in packs."""
    kept = _kept(made)
    held: set[str] = set()
    unread: set[str] = set()
    for path in map(PurePosixPath, made.listing.blobs):
        holding = what_is(path)
        if holding is None or holding.row.name != "pack":
            continue
        try:
            members = _members(database, path, holding.ids["sha256"])
        except CheckFailed as error:
            unread.add(holding.ids["cycle"])
            yield made.found(path, error.what)
            continue
        held |= members
        strange = sorted(members - {one for files in kept.get(holding.ids["cycle"], {}).values() for one in files})
        if strange:
            more = f" ({len(strange)} such files)" if len(strange) > 1 else ""
            what = f"holds {strange[0]}, which no manifest of the cycle names as a file of the store, or which was "
            yield made.found(path, f"{what}withdrawn{more}.")
    if _lies_in_packs(database):
        # What lay in a pack that cannot be read is not known, and a second pack would not mend it.
        yield from _lacking(made, {cycle: runs for cycle, runs in kept.items() if cycle not in unread}, held)


def _kept(made: Survey) -> dict[str, dict[PurePosixPath, Mapping[str, str]]]:
    """Return the names of what the runs of each cycle keep in the store, by manifest and digest, without what was
    withdrawn. Sealed files, which never enter git, are not among them."""
    gone: dict[str, set[str]] = {}
    for tombstone in made.withdrawn.values():
        gone.setdefault(tombstone.cycle, set()).update(file.sha256 for file in tombstone.files)
    kept: dict[str, dict[PurePosixPath, Mapping[str, str]]] = {}
    for manifest in made.manifests.values():
        withdrawn = gone.get(manifest.cycle, set())
        kept.setdefault(manifest.cycle, {})[manifest.path] = {
            sha256: name
            for name, sha256 in manifest.digests.items()
            if name not in manifest.files and sha256 not in withdrawn
        }
    return kept


def _lacking(
    made: Survey, kept: Mapping[str, Mapping[PurePosixPath, Mapping[str, str]]], held: set[str]
) -> Iterator[Finding]:
    for cycle in made.closes:
        for path, files in kept.get(cycle, {}).items():
            lacking = sorted(name for sha256, name in files.items() if sha256 not in held)
            if lacking:
                what = f"names {', '.join(lacking)}, in no pack of this repository, and its cycle is closed:"
                yield made.found(path, f"{what} `argusic evidence collect {cycle}` writes one.", at="files")


def _lies_in_packs(database: Database) -> bool:
    try:
        return isinstance(home_of(database), RepositoryHome)
    except InputError:
        return False  # What cannot be read is named by itself.


def _members(database: Database, path: PurePosixPath, name: str) -> set[str]:
    """Return the digests of the files in a pack.

    Raises:
        CheckFailed: It is not the very pack of these files, of which there is one.
    """
    with opened_pack(database, path) as (reading, size):
        if size > MOST_BYTES:
            raise CheckFailed(f"has {size:,} bytes; a pack has {MOST_BYTES:,} at most.")
        data = reading.read(MOST_BYTES)
    if hashlib.sha256(data).hexdigest() != name:
        raise CheckFailed(f"is not what its name says: its digest is {hashlib.sha256(data).hexdigest()}.")
    index = read_index(len(data), partial(_part, data))
    contents = {sha256: data[span.start : span.start + span.size] for sha256, span in index.items()}
    for sha256, content in contents.items():
        if hashlib.sha256(content).hexdigest() != sha256:
            raise CheckFailed(f"holds something else than {sha256} under that name.")
    again = io.BytesIO()
    write_pack({one: (len(content), partial(io.BytesIO, content)) for one, content in contents.items()}, again)
    if again.getvalue() != data:
        raise CheckFailed("is not the pack that its files make: it holds something besides them.")
    return set(index)


def _part(data: bytes, start: int, size: int) -> bytes:
    return data[start : start + size]
