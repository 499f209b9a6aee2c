"""The database: one folder of YAML records, read by id and written without ever leaving half a file.

It looks at the files as they lie there now, each time it is asked; what it remembers between questions is the
record cache alone, which is keyed by content.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TypeVar

from argusic.database import paths
from argusic.database.atomic import write_file
from argusic.database.cache import RecordCache
from argusic.database.codec import dump, parse_record, read_file
from argusic.database.git import Git
from argusic.database.inputs import INPUT_FOLDERS, digests, feeds, is_run
from argusic.database.listing import Listing, blob_id, list_files
from argusic.errors import InputError, Place
from argusic.records.agent import Agent
from argusic.records.base import Record
from argusic.records.cycle import Close, Cycle
from argusic.records.edition import Edition
from argusic.records.findings import Dispute, Invalidation, Screening
from argusic.records.kind import Kind
from argusic.records.run import Run
from argusic.records.subject import Subject

R = TypeVar("R", bound=Record)

_BATCH = 1000


@dataclass(frozen=True)
class StoredRun:
    """A run as the database holds it.

    Attributes:
        path: The path of its `run.yaml`, from the top of the database.
        run: The record.
    """

    path: PurePosixPath
    run: Run

    @property
    def folder(self) -> PurePosixPath:
        """The run's folder, from the top of the database."""
        return self.path.parent


class Database:
    """The database whose top folder is `root`.

    Args:
        root: The top folder.
        cache_folder: Where the caches live; by default the folder that ARGUSIC_CACHE names, else
            `.argusic/cache` in the top folder.
    """

    def __init__(self, root: Path, *, cache_folder: Path | None = None) -> None:
        self.root = root.resolve()
        self.cache_folder = cache_folder or _folder("ARGUSIC_CACHE", self.root / ".argusic" / "cache")
        self.store_folder = _folder("ARGUSIC_EVIDENCE", self.root / ".argusic" / "evidence")
        self.work = self.root / ".argusic" / "work"

    @classmethod
    def find(cls, start: Path) -> Database:
        """Return the database that `start` lies in: the nearest folder upwards with `pool/` and `rules/`.

        Raises:
            InputError: There is none.
        """
        here = start.resolve()
        for folder in (here, *here.parents):
            if (folder / "pool").is_dir() and (folder / "rules").is_dir():
                return cls(folder)
        raise InputError(
            f"{start} is not inside a referee repository: no folder from there up holds pool/ and rules/.",
            advice="Change into a checkout of one, or name it with --repo.",
        )

    @cached_property
    def git(self) -> Git | None:
        """The git repository around the database; None where there is none."""
        return Git.around(self.root)

    @cached_property
    def _cache(self) -> RecordCache:
        return RecordCache(self.cache_folder, self.root)

    # One record

    def read_bytes(self, path: PurePosixPath) -> bytes:
        """Return the bytes of the file at `path`.

        Raises:
            InputError: It is not there, or a link leads there or away from there.
        """
        full = self.root / path
        if Path(os.path.realpath(full.parent)) != full.parent:
            raise InputError("lies behind a symbolic link; records are never read through one.", place=Place(path))
        return read_file(full, shown=path)

    def read(self, path: PurePosixPath, model: type[R]) -> R:
        """Return the record at `path`.

        Raises:
            InputError: There is none, it is not valid, or its ids disagree with its path.
        """
        return self._checked(path, parse_record(self.read_bytes(path), model, file=path))

    def holds(self, path: PurePosixPath) -> bool:
        """Return whether something lies at `path`, a link or a folder included."""
        return os.path.lexists(self.root / path)

    def write(self, path: PurePosixPath, record: Record, *, replace: bool = False) -> None:
        """Write `record` to `path` in its canonical form.

        Raises:
            InputError: Something is there and `replace` is false; or the record does not belong there.
        """
        full = self.root / path
        if Path(os.path.realpath(full.parent)) != full.parent:
            raise InputError("lies behind a symbolic link; nothing is written through one.", place=Place(path))
        write_file(full, dump(self._checked(path, record)), replace=replace)

    def _checked(self, path: PurePosixPath, record: R) -> R:
        stated = paths.stated_path(record)
        if stated is not None and stated != path:
            raise InputError(f"holds what belongs at {stated}.", place=Place(path))
        return record

    # Records by id

    def cycle(self, cycle: str) -> Cycle:
        """Return a cycle. Raises InputError where there is none."""
        return self.read(paths.cycle_path(cycle), Cycle)

    def subject(self, ref: str) -> Subject:
        """Return a subject by its address, `<kind>/<slug>`. Raises InputError where there is none."""
        kind, slash, slug = ref.partition("/")
        if not slash or not slug:
            raise InputError(f"{ref!r} is no subject's address, KIND/SLUG.")
        return self.read(paths.subject_path(kind, slug), Subject)

    def agent(self, agent: str) -> Agent:
        """Return an agent. Raises InputError where there is none."""
        return self.read(paths.agent_path(agent), Agent)

    def edition(self, edition: str) -> tuple[Edition, str]:
        """Return an edition and the sha256 of its file. Raises InputError where there is none."""
        path = paths.edition_path(edition)
        data = self.read_bytes(path)
        return self._checked(path, parse_record(data, Edition, file=path)), hashlib.sha256(data).hexdigest()

    def close(self, cycle: str) -> Close | None:
        """Return the close of a cycle; None while it is open."""
        path = paths.close_path(cycle)
        return self.read(path, Close) if self.holds(path) else None

    # All records of a sort

    def cycles(self) -> tuple[Cycle, ...]:
        """Return every cycle, by id."""
        return self._all("pool/cycles", Cycle)

    def subjects(self) -> tuple[Subject, ...]:
        """Return every subject, by kind and slug."""
        return tuple(sorted(self._all("pool/subjects", Subject), key=lambda subject: (subject.kind, subject.slug)))

    def agents(self) -> tuple[Agent, ...]:
        """Return every agent, by id."""
        return self._all("pool/agents", Agent)

    def editions(self) -> tuple[Edition, ...]:
        """Return every edition, in the order of their numbers."""
        return tuple(
            sorted(
                self._all("rules/editions", Edition),
                key=lambda edition: [int(number) for number in edition.edition[1:].split(".")],
            )
        )

    def kinds(self) -> tuple[Kind, ...]:
        """Return every kind, in the order of the methodology's table."""
        return tuple(sorted(self._all("rules/kinds", Kind), key=lambda kind: (kind.place, kind.kind)))

    def invalidations(self, cycle: str) -> dict[str, Invalidation]:
        """Return the invalidations of a cycle that have a file of their own, by run."""
        found = self._all(f"runs/{cycle}/invalidations", Invalidation)
        return {invalidation.run: invalidation for invalidation in found}

    def screenings(self, cycle: str) -> tuple[Screening, ...]:
        """Return the screenings of a cycle, by subject."""
        return self._all(f"runs/{cycle}/screenings", Screening)

    def disputes(self, cycle: str) -> tuple[Dispute, ...]:
        """Return the disputes of a cycle, by issue."""
        found = self._all(f"runs/{cycle}/disputes", Dispute)
        return tuple(sorted(found, key=lambda dispute: dispute.issue))

    def _all(self, folder: str, model: type[R]) -> tuple[R, ...]:
        blobs = self.listing(folder).blobs
        wanted = {path: blob for path, blob in blobs.items() if self._holds_model(path, model)}
        return tuple(record for _, record in self.records(wanted, model))

    def _holds_model(self, path: str, model: type[Record]) -> bool:
        holding = paths.what_is(path)
        return holding is not None and holding.row.model is model

    # Runs and what derivations are made of

    def runs(self, cycle: str | None = None, kind: str | None = None) -> Iterator[StoredRun]:
        """Yield the runs, of one cycle and one kind where those are given, by path.

        Raises:
            InputError: A run is not valid, or its ids disagree with its path.
        """
        wanted = {path: blob for path, blob in self._run_blobs(cycle).items() if kind in (None, path.split("/")[2])}
        for path, run in self.records(wanted, Run):
            yield StoredRun(path, run)

    def run_index(self) -> dict[tuple[str, str], list[tuple[PurePosixPath, str]]]:
        """Return the path and blob id of every run, by cycle and kind, without reading any."""
        index: dict[tuple[str, str], list[tuple[PurePosixPath, str]]] = {}
        for path, blob in self._run_blobs(None).items():
            _, cycle, kind, *_ = path.split("/")
            index.setdefault((cycle, kind), []).append((PurePosixPath(path), blob))
        return index

    def input_digest(self, cycle: str, kind: str) -> str:
        """Return a digest of every file that feeds the derivations of a cycle and kind: its runs, manifests,
        invalidations, screenings and disputes, the cycle and its close, its subjects, all agents, editions and
        kinds. It says nothing of the program: a caller that keeps results adds the fingerprint of its own code.
        """
        return self.input_digests((cycle, kind))[cycle, kind]

    def input_digests(self, *groups: tuple[str, str]) -> dict[tuple[str, str], str]:
        """Return `input_digest` of several cycles and kinds, looking at the files once; of every cycle and
        kind that has a run where none is given."""
        blobs = self.inputs()
        with_runs = sorted({(path.split("/")[1], path.split("/")[2]) for path in blobs if is_run(path)})
        return digests(blobs, groups or with_runs)

    def inputs(self) -> Mapping[str, str]:
        """Return the blob id of every file that feeds derivations, by path, sorted."""
        return self._list(*INPUT_FOLDERS, fed=True).blobs

    def listing(self, *under: str) -> Listing:
        """Return the files below some folders of the database with their blob ids."""
        return self._list(*under)

    def _run_blobs(self, cycle: str | None) -> dict[str, str]:
        folder = "runs" if cycle is None else f"runs/{cycle}"
        return dict(list_files(self.root, self.git, self._cache, folder, only=is_run).blobs)

    def _list(self, *under: str, fed: bool = False) -> Listing:
        if fed:
            return list_files(self.root, self.git, self._cache, *under, only=lambda path: feeds(path) is not None)
        return list_files(self.root, self.git, self._cache, *under)

    def records(self, blobs: Mapping[str, str], model: type[R]) -> Iterator[tuple[PurePosixPath, R]]:
        """Yield the records of files by path, from the cache where it has them, reading the others.

        Args:
            blobs: The blob id of each file, by path, as a listing gives them.
            model: Which record they all are.

        Raises:
            InputError: A record is not valid, or its ids disagree with its path.
        """
        paths_left = iter(blobs)
        while batch := list(islice(paths_left, _BATCH)):
            cached = self._cache.load(model, {blobs[path] for path in batch})
            fresh: dict[str, R] = {}
            try:
                for text in batch:
                    path, blob = PurePosixPath(text), blobs[text]
                    record = cached.get(blob)
                    if record is None:
                        data = self.read_bytes(path)
                        record = parse_record(data, model, file=path)
                        # Kept only under the id of what was really read: it may have changed since it was
                        # listed, or git may hold it in another form.
                        if blob_id(data, like=blob) == blob:
                            fresh[blob] = record
                    yield path, self._checked(path, record)
            finally:
                if fresh:
                    self._cache.store(model, fresh)


def _folder(variable: str, default: Path) -> Path:
    named = os.environ.get(variable)
    return Path(named).absolute() if named else default
