"""Commits made of published archives: fixed names and dates, so that the same archive always makes the same commit."""

from __future__ import annotations

import tempfile
from pathlib import Path

from argusic.pool.archives import ArchiveUnusable
from argusic.pool.commits import ContentUnusable, archive_contents, make_commit
from argusic.pool.files import PAUSES, published_file
from argusic.pool.git import Git, GitFailed, hardened
from argusic.pool.kinds.protocol import PinMismatch, Workshop
from argusic.pool.snapshots import cached_commit, new_repository
from argusic.records.published import PublishedSource


def published_commit_id(published: PublishedSource, archive: Path) -> str:
    """Return the id of the commit that a published archive makes. Nothing of it is kept.

    Args:
        published: What is published.
        archive: The archive, proved.

    Raises:
        ArchiveUnusable: It cannot be read, or holds what an honest archive does not.
        ContentUnusable: It makes no commit.
    """
    with tempfile.TemporaryDirectory(prefix="argusic-") as folder, hardened() as git:
        repository = new_repository(git, Path(folder) / "repository")
        return make_commit(git, repository, archive_contents(archive), _message(published))


def published_commit(
    published: PublishedSource, commit: str, workshop: Workshop, pauses: tuple[float, ...] = PAUSES
) -> Path:
    """Return the cached repository of the commit that a published archive makes, fetching it where it is not there.

    Raises:
        PinMismatch: It makes another commit than the pinned one, or none. Nothing is kept.
        SubjectUnavailable: The registry could not be reached.
    """
    sha256 = published.sha256

    def make(git: Git, repository: Path) -> None:
        where = (published.ecosystem, published.name, published.version, published.file)
        archive = published_file(*where, sha256, workshop, pauses=pauses)
        found = make_commit(git, repository, archive_contents(archive), _message(published))
        if found != commit:
            raise PinMismatch(f"{published.file} makes the commit {found}, but {commit} was pinned")

    try:
        return cached_commit(workshop.cache, commit, make, local=None)
    except (ContentUnusable, ArchiveUnusable, GitFailed) as error:
        raise PinMismatch(f"{published.file} makes no sound commit: {error}") from error


def _message(published: PublishedSource) -> str:
    return f"{published.name} {published.version}, as published\n"
