"""The runs that wait for review on a branch of their own, brought into the work tree beside those that are there."""

from __future__ import annotations

import io
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.atomic import publish_folder
from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, RUN_DEPTH, what_is
from argusic.errors import EnvironmentLack, InputError
from argusic.github.remotes import address_of, authorised, local_of, without_names
from argusic.pool.git import Bounds, Git, GitFailed, hardened

_BOUNDS: Final = Bounds(seconds=300)
_REGULAR: Final = "100644"


@dataclass(frozen=True)
class Fetched:
    """What was brought.

    Attributes:
        commit: The branch's newest commit; None where there is no such branch.
        runs: The runs that are new here, sorted.
        files: How many other files are.
        other: Files that are here with another content, and were left as they are.
    """

    commit: str | None
    runs: tuple[str, ...]
    files: int
    other: tuple[str, ...]


def branch_of(cycle: str) -> str:
    """Return the branch that a cycle's runs wait for review on."""
    return f"results/{cycle}"


def fetch_results(
    database: Database,
    cycle: str,
    remote: str,
    environment: Mapping[str, str],
    *,
    into: Database | None = None,
    branch: str | None = None,
) -> Fetched:
    """Bring what waits for review of a cycle into the work tree. What is there is neither replaced nor removed.

    Args:
        database: The database.
        cycle: The cycle.
        remote: The remote's name.
        environment: Where a token may be, for GitHub alone.
        into: Another copy of the database to bring it into, which need be no checkout.
        branch: Another branch than the cycle's own.

    Raises:
        InputError: This is no git checkout, it has no such remote, or the branch holds what may not lie there.
        EnvironmentLack: The remote cannot be reached.
    """
    address = address_of(database, remote)
    local = local_of(address)
    with tempfile.TemporaryDirectory(prefix="argusic-fetching-") as name, hardened(local=local, bounds=_BOUNDS) as git:
        folder = Path(name)
        told = authorised(address, environment)
        try:
            git.run("init", "--quiet", "--bare", ".", folder=folder)
            ref = f"refs/heads/{branch or branch_of(cycle)}"
            if not git.run("ls-remote", "--quiet", address, ref, folder=folder, environment=told).strip():
                return Fetched(None, (), 0, ())
            fetch = ("fetch", "--quiet", "--no-tags", "--depth=1", address, f"+{ref}:refs/heads/fetched")
            git.run(*fetch, folder=folder, environment=told)
            commit = git.run("rev-parse", "--verify", "fetched^{commit}", folder=folder).decode("ascii").strip()
            return _place(into or database, cycle, git, folder, commit)
        except GitFailed as failed:
            said = without_names(failed.said)
            raise EnvironmentLack(f"the remote {remote!r} did not answer: {said}.") from None


def _place(database: Database, cycle: str, git: Git, folder: Path, commit: str) -> Fetched:
    runs: dict[PurePosixPath, dict[PurePosixPath, str]] = {}
    beside: dict[PurePosixPath, str] = {}
    for path, blob in _listed(git, folder, commit, cycle):
        if len(path.parts) <= RUN_DEPTH:
            beside[path] = blob
        elif not database.holds(path.parent):
            runs.setdefault(path.parent, {})[path] = blob
    for run, held in runs.items():
        if run / MANIFEST_FILE not in held:
            raise InputError(f"the branch {branch_of(cycle)} holds {run} without its manifest.")
    content = _contents(git, folder, {*beside.values(), *(blob for held in runs.values() for blob in held.values())})
    files, other = 0, []
    for path, blob in beside.items():
        if not database.holds(path):
            database.write_bytes(path, content[blob], replace=False)
            files += 1
        elif database.read_bytes(path) != content[blob]:
            other.append(str(path))
    with _workplace(database) as workplace:
        for number, (run, held) in enumerate(sorted(runs.items())):
            made = workplace / str(number)
            made.mkdir()
            for path, blob in held.items():
                (made / path.name).write_bytes(content[blob])
            publish_folder(made, database.root / run)
    return Fetched(commit, tuple(sorted(run.name for run in runs)), files, tuple(other))


def _contents(git: Git, folder: Path, blobs: set[str]) -> dict[str, bytes]:
    """Return what blobs hold."""
    asked = "".join(f"{blob}\n" for blob in sorted(blobs)).encode("ascii")
    printed, found = io.BytesIO(git.run("cat-file", "--batch", folder=folder, stdin=asked)), {}
    while line := printed.readline():
        blob, _, size = line.decode("ascii").split(" ")
        found[blob] = printed.read(int(size))
        printed.read(1)
    return found


def _listed(git: Git, folder: Path, commit: str, cycle: str) -> Iterator[tuple[PurePosixPath, str]]:
    """Give the files of a cycle that a commit holds, each with its blob.

    Raises:
        InputError: One of them may not lie there, or is no plain file.
    """
    listed = git.run("ls-tree", "-r", "-z", commit, "--", f"runs/{cycle}/", folder=folder)
    for line in listed.split(b"\0"):
        if not line:
            continue
        facts, _, name = line.decode("utf-8", "surrogateescape").partition("\t")
        mode, _, blob = facts.split(" ")
        holding = what_is(name)
        if mode != _REGULAR or holding is None or holding.ids.get("cycle") not in (None, cycle):
            raise InputError(f"the branch {branch_of(cycle)} holds {name!r}, which may not lie there.")
        yield PurePosixPath(name), blob


@contextmanager
def _workplace(database: Database) -> Iterator[Path]:
    """Give a folder on the file system of the database, in which runs are made ready."""
    database.work.parent.mkdir(parents=True, exist_ok=True)
    folder = database.work.parent / f"fetching-{secrets.token_hex(6)}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
