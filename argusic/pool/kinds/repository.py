"""The kind `repository`: an open source repository, pinned by commit and fetched without its history."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool.addresses import is_address, is_folder, is_git_folder, local_folder, name_of, split_folder
from argusic.pool.checkouts import Checkout, gather, has_readme, holds_folder
from argusic.pool.commits import ContentUnusable
from argusic.pool.files import PAUSES, patiently
from argusic.pool.git import Git, GitFailed
from argusic.pool.hosts import figures
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
from argusic.pool.snapshots import cached_commit
from argusic.pool.submodules import lay_out_all
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
    written = ("https://HOST/OWNER/NAME.git", "https://HOST/OWNER/NAME.git//FOLDER", "./FOLDER")

    def __init__(self, pauses: tuple[float, ...] = PAUSES) -> None:
        self._pauses = pauses

    def recognises(self, target: str) -> bool:
        """Return whether `target` is a git address or a folder of this machine."""
        address = split_folder(target)[0]
        return is_address(address) or is_folder(address)

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a repository up and pin the newest commit of its default branch.

        A folder that is no repository is pinned by a commit made of what it holds. What is uncommitted in one
        that is a repository is not tested, and the notes say so.

        Raises:
            InputError: There is no such folder, or it is no repository with a commit.
            SubjectUnavailable: The server could not be reached.
        """
        target, inside = split_folder(target)
        folder = _folder(target)
        if folder is not None and not folder.is_dir():
            raise InputError(f"There is no folder {folder}.")
        address = str(folder) if is_folder(target) else target
        try:
            source = Source(url=address, folder=inside)
        except ValidationError as error:
            said = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise InputError(f"{target if inside is None else inside!r} {said}.") from error
        workshop.progress(f"looking up {address}")
        notes: list[str] = []
        if folder is not None and not is_git_folder(folder):
            commit = folder_commit_id(folder)
            notes.append(
                f"{folder} is no git repository: what it holds now is tested, without .env, .venv and the like"
            )
        else:
            commit = patiently(lambda: _head(address, folder), () if folder else self._pauses)
        try:
            cached = self._from_address(address, commit, workshop)
            came = self._gathered(address, commit, workshop)
        except PinMismatch as error:
            raise InputError(f"{address} cannot be tested: {error}.") from error
        if inside is not None and not holds_folder(cached, commit, inside):
            raise InputError(f"{address} has no folder {inside} at its commit {commit[:12]}.")
        if folder is not None and (folder / ".git").exists() and is_changed(folder, cached, commit):
            notes.append(f"{folder} has uncommitted changes: they are not tested, its commit {commit[:12]} is")
        if came.pointers:
            notes.append(f"{_pointers_in_words(came.pointers)}: that content is missing, and no agent gets it")
        said_of_it = figures(address, workshop.host, workshop.heavy_above_mb)
        return Resolved(
            "/".join(filter(None, (name_of(address), inside))),
            source,
            Pin(commit=commit, pointers=came.pointers or None),
            None,
            (*notes, *said_of_it.notes),
            licence=said_of_it.licence,
            languages=said_of_it.languages,
            readme=has_readme(cached, commit, inside),
            heavy_by=said_of_it.heavy_by,
        )

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the cached pinned commit, fetching it first where it is not there. Every object is proved.

        Raises:
            PinMismatch: What was found is another commit, or one that must not be checked out. Nothing is kept. Or it
                has no such folder, or other pointers of git LFS than the pin says.
            SubjectUnavailable: It, or a submodule of it, could not be reached, or is there no longer.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        if source.published is not None:
            cached = published_commit(source.published, pinned.commit, workshop, self._pauses)
        else:
            cached = self._from_address(_address(source), pinned.commit, workshop)
        came = self._gathered(_address(source), pinned.commit, workshop)
        if source.folder is not None and not holds_folder(cached, pinned.commit, source.folder):
            raise PinMismatch(f"{subject.name} has no folder {source.folder} at the commit {pinned.commit}")
        if came.pointers != (pinned.pointers or 0):
            raise PinMismatch(
                f"{came.pointers} files of {subject.name} hold only a pointer of git LFS at the commit "
                f"{pinned.commit}, and its pin says {pinned.pointers or 0} (pointers)"
            )
        return cached

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Check the pinned commit out into `folder`, and its submodules in their places; no `.git` has any history."""
        try:
            lay_out_all(cached.parent, cast(Pin, pin).commit, folder, _address(cast(Source, subject.source)))
        except (GitFailed, ContentUnusable) as error:
            raise PinMismatch(f"the cached commit cannot be checked out: {error}") from error

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return none: its documentation is followed on a plain machine."""
        return {}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a repository."""
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        told = (
            f"The subject is {subject.name}, an open source repository.\n"
            f"Its work tree lies in {SUBJECT_FOLDER}, checked out at the pinned commit {pinned.commit},\n"
            "without its history, its submodules in their places. What it depends on comes from the package\n"
            "registries, through their ordinary clients.\n"
        )
        if source.folder is not None:
            told += f"The subject is what lies in this folder of it: {SUBJECT_FOLDER}/{source.folder}\n"
        if pinned.pointers:
            told += f"{_pointers_in_words(pinned.pointers)}.\nThat content is missing on this machine.\n"
        return (
            told + "It runs when it is installed and launched from there and does what its own README says it does.\n"
        )

    def _gathered(self, address: str, commit: str, workshop: Workshop) -> Checkout:
        pauses = () if local_folder(address) else self._pauses
        return patiently(lambda: gather(workshop.cache, commit, address, workshop.progress), pauses)

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


def _address(source: Source) -> str:
    """Return the address that a repository comes from; a folder that is nowhere for one made of an archive."""
    return source.url if source.url is not None else "/"


def _pointers_in_words(count: int) -> str:
    return (
        "1 of its files holds only a pointer to what git LFS keeps elsewhere"
        if count == 1
        else f"{count} of its files hold only a pointer to what git LFS keeps elsewhere"
    )


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
