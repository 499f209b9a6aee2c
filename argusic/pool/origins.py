"""Where a commit comes from: a git server, a repository or plain folder of this machine, or a published archive."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from argusic.errors import InputError
from argusic.pool.commits import ContentUnusable, folder_contents, make_commit
from argusic.pool.git import Git, GitFailed, GitTookTooLong, hardened
from argusic.pool.snapshots import new_repository

_MAIN = "refs/heads/main"
_ABSENT = re.compile(
    r"not our ref|no such remote ref|unadvertised object|couldn't find remote ref|bad object|upload-pack: not our"
)


class CommitNotThere(Exception):
    """A repository answers, but does not have the commit."""


def head_of(address: str, local: Path | None) -> str:
    """Return the commit that an address's default branch is at.

    Raises:
        InputError: It is no repository, or has no commit.
        GitFailed: It could not be reached.
    """
    with tempfile.TemporaryDirectory(prefix="argusic-") as folder, hardened(local=local) as git:
        printed = git.run("ls-remote", "--", address, "HEAD", folder=Path(folder)).decode("ascii", "replace")
    found = re.match(r"([0-9a-f]{40}(?:[0-9a-f]{24})?)\tHEAD$", printed, re.MULTILINE)
    if found is None:
        raise InputError(f"The repository {address} has no commit on its default branch.")
    return found[1]


def fetch_commit(git: Git, repository: Path, address: str, commit: str) -> None:
    """Fetch one commit without its history onto `main` of an empty bare repository.

    A server that cannot give a single commit is asked for all its branches, and the commit is taken from there.

    Raises:
        CommitNotThere: The repository answers, but does not have the commit.
        GitFailed: It could not be reached, or what it sent is refused.
    """
    try:
        _fetch(git, repository, address, f"{commit}:{_MAIN}", "--depth=1")
    except GitFailed as error:
        if not _ABSENT.search(error.said) and "dumb http" not in error.said:
            raise
    else:
        return
    with tempfile.TemporaryDirectory(prefix="argusic-whole-", dir=repository.parent) as name:
        whole = new_repository(git, Path(name) / "whole", commit)
        _fetch(git, whole, address, "+refs/heads/*:refs/heads/*")
        try:
            git.run("rev-parse", "--verify", f"{commit}^{{commit}}", folder=whole)
        except GitTookTooLong:
            raise
        except GitFailed:
            raise CommitNotThere(f"{address} no longer has the commit {commit}") from None
        with hardened(local=whole) as here:
            _fetch(here, repository, str(whole), f"{commit}:{_MAIN}", "--depth=1")


def commit_folder(git: Git, repository: Path, folder: Path) -> str:
    """Make the reproducible commit of a plain folder in an empty bare repository, and return its id.

    Raises:
        ContentUnusable: The folder cannot become a commit.
    """
    return make_commit(git, repository, folder_contents(folder), "A plain folder\n")


def folder_commit_id(folder: Path) -> str:
    """Return the id of a plain folder's reproducible commit.

    Raises:
        InputError: The folder cannot become a commit.
    """
    with tempfile.TemporaryDirectory(prefix="argusic-") as name, hardened() as git:
        try:
            return commit_folder(git, new_repository(git, Path(name) / "made"), folder)
        except ContentUnusable as error:
            raise InputError(f"The folder {folder} cannot be tested: {error}.") from error


def is_changed(folder: Path, cached: Path, commit: str) -> bool:
    """Return whether a work tree differs from `commit` (ignored files left aside).

    The folder's own git configuration is not read: its filters would run programs of its choosing.
    """
    with tempfile.TemporaryDirectory(prefix="argusic-") as name, hardened() as git:
        place = {"GIT_DIR": str(cached), "GIT_WORK_TREE": str(folder), "GIT_INDEX_FILE": f"{name}/index"}
        git.run("read-tree", commit, folder=folder, environment=place)
        status = ("status", "--porcelain", "--ignore-submodules=all", "--untracked-files=normal")
        return bool(git.run(*status, folder=folder, environment=place).strip())


def _fetch(git: Git, repository: Path, address: str, refs: str, *options: str) -> None:
    git.run(
        *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", *options),
        *("--", address, refs),
        folder=repository,
    )
