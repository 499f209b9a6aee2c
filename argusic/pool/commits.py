"""Commits made from what was never in git: a published source archive, or a plain folder.

The same content gives the same commit id everywhere, for ever: author, committer, date and message are fixed.
The content is streamed into git's object store; nothing is unpacked, and no link is followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from argusic.pool.archives import members
from argusic.pool.git import Git, GitFailed

#: Who every made commit is by, and when: a change would move the pin of every subject made this way.
_WHO = b"Argusic <argusic@argusic.invalid> 946684800 +0000"

#: What no author would commit, so a plain folder is tested without it: other version control, secrets, and what
#: package clients and interpreters leave behind.
LEFT_OUT = frozenset(
    [
        *(".git", ".hg", ".svn", ".argusic"),
        *(".env", ".venv", ".tox", ".mypy_cache", ".pytest_cache", "__pycache__", "node_modules", ".DS_Store"),
    ]
)

MAX_FILES = 200_000
MAX_BYTES = 2_000_000_000


class ContentUnusable(Exception):
    """The content cannot become a commit."""


class Content(NamedTuple):
    """One file of a commit to be made."""

    path: bytes
    """Its path from the top, with `/`."""
    mode: str
    """Its mode in git: `100644`, `100755`, or `120000` for a symbolic link."""
    data: bytes
    """Its content; a link's target."""


def make_commit(git: Git, repository: Path, contents: Iterable[Content], message: str) -> str:
    """Make one commit without parents on `main` of an empty bare repository, and return its id.

    Raises:
        ContentUnusable: There is nothing in it, too much, or a path that git must not hold.
    """
    text = message.encode()
    head = b"commit refs/heads/main\ncommitter %s\ndata %d\n%s\n" % (_WHO, len(text), text)

    def stream() -> Iterator[bytes]:
        yield head
        for content in _within_bounds(contents):
            yield b"M %s inline %s\n" % (content.mode.encode(), _quoted(content.path))
            yield b"data %d\n" % len(content.data)
            yield content.data
            yield b"\n"
        yield b"done\n"

    try:
        git.feed("fast-import", "--quiet", "--done", folder=repository, stdin=stream())
        return git.run("rev-parse", "--verify", "refs/heads/main^{commit}", folder=repository).decode().strip()
    except GitFailed as error:
        raise ContentUnusable(f"git does not take it: {error.said}") from error


def archive_contents(archive: Path) -> Iterator[Content]:
    """Yield the files of a source archive, without the one folder that they all lie in.

    Raises:
        ArchiveUnusable: As `archives.members` does.
        ContentUnusable: They do not lie in one folder.
    """
    top = None
    for member in members(archive):
        first, slash, rest = member.path.removeprefix("./").partition("/")
        top = first if top is None else top
        if not slash or first != top:
            raise ContentUnusable(f"{archive.name} has more than one folder at its top")
        if member.size > MAX_BYTES:
            raise ContentUnusable(f"{archive.name} is larger than {MAX_BYTES} bytes unpacked")
        yield Content(rest.encode("utf-8", "surrogateescape"), _mode(member.executable), member.content.read())


def folder_contents(folder: Path) -> Iterator[Content]:
    """Yield the files of a folder of this machine, in order, without `LEFT_OUT`. Links are kept as links.

    Raises:
        ContentUnusable: A file cannot be read.
    """
    waiting = [b""]
    top = os.fsencode(folder)
    while waiting:
        inside = waiting.pop()
        try:
            with os.scandir(os.path.join(top, inside)) as found:  # noqa: PTH118 - names may be no UTF-8
                entries = sorted(found, key=lambda entry: entry.name)
            for entry in entries:
                if entry.name.decode("utf-8", "replace") in LEFT_OUT:
                    continue
                path = inside + b"/" + entry.name if inside else entry.name
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif entry.is_symlink():
                    yield Content(path, "120000", os.readlink(entry.path))  # noqa: PTH115
                elif entry.is_file(follow_symlinks=False):
                    yield _file(path, entry.path)
        except OSError as error:
            raise ContentUnusable(
                f"{folder} cannot be read: {error.strerror}: {os.fsdecode(error.filename)}"
            ) from error


def _file(path: bytes, place: bytes) -> Content:
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise ContentUnusable(f"{os.fsdecode(place)} is no regular file of at most {MAX_BYTES} bytes")
        return Content(path, _mode(bool(status.st_mode & 0o100)), file.read())


def _mode(executable: bool) -> str:
    return "100755" if executable else "100644"


def _within_bounds(contents: Iterable[Content]) -> Iterator[Content]:
    files = size = 0
    for content in contents:
        files += 1
        size += len(content.data)
        if files > MAX_FILES or size > MAX_BYTES:
            raise ContentUnusable(f"it has more than {MAX_FILES} files or {MAX_BYTES} bytes")
        for part in content.path.split(b"/"):
            if part in (b"", b".", b"..") or part.lower() == b".git":
                raise ContentUnusable(f"it has a path that git must not hold: {content.path!r}")
        yield content
    if not files:
        raise ContentUnusable("it has no files")


def _quoted(path: bytes) -> bytes:
    """Return `path` as fast-import reads it whatever its bytes are."""
    return b'"' + b"".join(bytes([b]) if 32 <= b < 127 and b not in b'"\\' else b"\\%03o" % b for b in path) + b'"'
