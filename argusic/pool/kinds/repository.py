"""The kind `repository`: an open source repository, pinned by commit and fetched without its history."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool.addresses import is_address, is_folder, is_git_folder, local_folder, name_of
from argusic.pool.commits import ContentUnusable
from argusic.pool.files import PAUSES, patiently
from argusic.pool.git import Git, GitFailed
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable, Workshop
from argusic.pool.origins import (
    CommitNotThere,
    commit_folder,
    fetch_commit,
    folder_commit_id,
    head_of,
    is_changed,
)
from argusic.pool.published import published_commit
from argusic.pool.snapshots import cached_commit, lay_out
from argusic.records.base import Part
from argusic.records.sources.repository import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER

_NO_REPOSITORY = re.compile(
    r"not found|not valid: is this|does not appear to be a git|not exported"
    r"|could not read Username|Authentication failed"
)


class RepositoryKind:
    """Open source repositories, from any address that git fetches from, and folders of this machine.

    Args:
        pauses: How long to wait before each further try when the server cannot be reached, in seconds.
    """

    kind = "repository"
    written = ("https://HOST/OWNER/NAME.git", "./FOLDER")

    def __init__(self, pauses: tuple[float, ...] = PAUSES) -> None:
        self._pauses = pauses

    def recognises(self, target: str) -> bool:
        """Return whether `target` is a git address or a folder of this machine."""
        return is_address(target) or is_folder(target)

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a repository up and pin the newest commit of its default branch.

        A folder that is no repository is pinned by a commit made of what it holds. What is uncommitted in one
        that is a repository is not tested, and the notes say so.

        Raises:
            InputError: There is no such folder, or it is no repository with a commit.
            SubjectUnavailable: The server could not be reached.
        """
        folder = _folder(target)
        if folder is not None and not folder.is_dir():
            raise InputError(f"There is no folder {folder}.")
        address = str(folder) if is_folder(target) else target
        try:
            source = Source(url=address)
        except ValidationError as error:
            raise InputError(f"{target!r} {error.errors()[0]['msg'].removeprefix('Value error, ')}.") from error
        workshop.progress(f"looking up {address}")
        notes: list[str] = []
        if folder is not None and not is_git_folder(folder):
            commit = folder_commit_id(folder)
            notes.append(
                f"{folder} is no git repository: what it holds now is tested, without .env, .venv and the like"
            )
        else:
            commit = patiently(lambda: _head(address, folder), () if folder else self._pauses)
        if folder is not None and (folder / ".git").exists():
            cached = self._from_address(address, commit, workshop)
            if is_changed(folder, cached, commit):
                notes.append(f"{folder} has uncommitted changes: they are not tested, its commit {commit[:12]} is")
        return Resolved(name_of(address), source, Pin(commit=commit), None, tuple(notes))

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the cached pinned commit, fetching it first where it is not there. Every object is proved.

        Raises:
            PinMismatch: What was found is another commit, or one that must not be checked out. Nothing is kept.
            SubjectUnavailable: It could not be reached, or is there no longer.
        """
        source, commit = cast(Source, subject.source), cast(Pin, pin).commit
        if source.published is not None:
            return published_commit(source.published, commit, workshop, self._pauses)
        assert source.url is not None
        return self._from_address(source.url, commit, workshop)

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Check the pinned commit out into `folder`, with a `.git` of that commit alone."""
        try:
            lay_out(cached, cast(Pin, pin).commit, folder)
        except GitFailed as error:
            raise PinMismatch(f"the cached commit cannot be checked out: {error}") from error

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return none: its documentation is followed on a plain machine."""
        return {}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a repository."""
        return (
            f"The subject is {subject.name}, an open source repository.\n"
            f"Its work tree lies in {SUBJECT_FOLDER}, checked out at the pinned commit {cast(Pin, pin).commit},\n"
            "without its history. What it depends on comes from the package registries, through their ordinary\n"
            "clients.\n"
            "It runs when it is installed and launched from there and does what its own README says it does.\n"
        )

    def _from_address(self, address: str, commit: str, workshop: Workshop) -> Path:
        folder = local_folder(address)
        if folder is not None and not folder.is_dir():
            raise SubjectUnavailable(f"there is no folder {folder}")
        plain = folder is not None and not is_git_folder(folder)

        def make(git: Git, repository: Path) -> None:
            workshop.progress(f"fetching {address}")
            if plain and folder is not None:
                found = commit_folder(git, repository, folder)
                if found != commit:
                    raise PinMismatch(f"{folder} now holds the commit {found}, but {commit} was pinned")
            else:
                fetch_commit(git, repository, address, commit)

        def attempt() -> Path:
            try:
                return cached_commit(workshop.cache, commit, make, local=folder)
            except CommitNotThere as error:
                raise _Gone(str(error)) from error
            except GitFailed as error:
                if "fsck" in error.said or error.said.startswith("found "):
                    raise PinMismatch(f"{address} gives no sound commit {commit}: {error.said}") from error
                raise SubjectUnavailable(f"{address} could not be fetched: {error.said}") from error
            except ContentUnusable as error:
                raise PinMismatch(f"{address} at {commit} cannot be used: {error}") from error

        try:
            return patiently(attempt, () if folder else self._pauses)
        except _Gone as error:
            raise SubjectUnavailable(str(error)) from error


class _Gone(Exception):
    """Asking again would not help."""


def _folder(target: str) -> Path | None:
    if not is_folder(target):
        return local_folder(target)
    try:
        return Path(target).expanduser().resolve()
    except (RuntimeError, OSError) as error:
        raise InputError(f"{target} is no folder that can be found: {error}.") from error


def _head(address: str, folder: Path | None) -> str:
    try:
        return head_of(address, folder)
    except GitFailed as error:
        if folder is not None or _NO_REPOSITORY.search(error.said):
            raise InputError(f"{address} is no git repository that can be read: {error.said}.") from error
        raise SubjectUnavailable(error.said) from error


KIND = RepositoryKind()
