"""Single commits without their history: fetched into the cache, proved at every use, and laid out as a work tree.

A cached commit is a bare repository of one commit, named by its id. What is handed to an agent is made afresh
from its objects alone: no remote, tag, reflog or history, and nothing that tells of this machine.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from argusic.pool.cache import Shelf
from argusic.pool.commits import MAX_BYTES, MAX_FILES, ContentUnusable
from argusic.pool.git import Git, GitFailed, GitTookTooLong, hardened

_MAIN = "refs/heads/main"
_LINK_BYTES = 4096


def cached_commit(cache: Path, commit: str, make: Callable[[Git, Path], None], *, local: Path | None) -> Path:
    """Return the cached bare repository of `commit`, calling `make` to fill an empty one where it is not there.

    Args:
        cache: The cache's top folder.
        commit: The commit's id.
        make: Puts the commit on `main` of an empty bare repository.
        local: The folder of this machine that `make` may fetch from, if any.

    Raises:
        ContentUnusable: The commit holds what must not be checked out. Nothing is kept.
        GitFailed: `make` failed, or what it made is not that commit. Nothing is kept.
    """
    shelf = Shelf(cache, "commits")
    entry = shelf.entry(commit)
    with shelf.locked(commit), hardened(local=local) as git:
        if entry.is_dir() and is_sound(git, entry, commit):
            return entry
        with shelf.scratch() as scratch:
            made = new_repository(git, scratch / "entry", commit)
            make(git, made)
            git.run("fsck", "--strict", "--no-dangling", "--no-progress", folder=made)
            found = git.run("rev-parse", "--verify", f"{_MAIN}^{{commit}}", folder=made).decode().strip()
            if found != commit:
                raise GitFailed(("rev-parse",), 1, f"found {found}")
            extent(git, made, commit)
            return shelf.place(made, commit)


def new_repository(git: Git, folder: Path, like: str | None = None) -> Path:
    """Make an empty bare repository at `folder`, of the object format that the commit id `like` shows."""
    folder.mkdir()
    form = "sha256" if like is not None and len(like) == 64 else "sha1"
    git.run("init", "--bare", "--quiet", f"--object-format={form}", folder=folder)
    return folder


def is_sound(git: Git, repository: Path, commit: str) -> bool:
    """Return whether a cached repository holds `commit`, whole and unharmed: every object is reckoned again.

    Raises:
        GitTookTooLong: No answer came in time, which says nothing of the commit.
    """
    try:
        found = git.run("rev-parse", "--verify", f"{_MAIN}^{{commit}}", folder=repository).decode().strip()
        git.run("fsck", "--strict", "--no-dangling", "--no-progress", folder=repository)
    except GitTookTooLong:
        raise
    except GitFailed:
        return False
    return found == commit


def extent(git: Git, repository: Path, commit: str) -> tuple[int, int]:
    """Return how many files and bytes a commit checks out into. A tree can name itself many times over: it is streamed.

    Raises:
        ContentUnusable: It has too many files or bytes.
    """
    files = size = 0
    with git.lines("ls-tree", "-r", "-l", "-z", "--full-tree", commit, folder=repository) as entries:
        for entry in entries:
            mode, _, _, length = entry.split(b"\t", 1)[0].split()
            files += 1
            size += int(length) if length != b"-" else 0
            if files > MAX_FILES or size > MAX_BYTES:
                raise ContentUnusable(f"it has more than {MAX_FILES} files or {MAX_BYTES} bytes")
            if mode == b"120000" and int(length) > _LINK_BYTES:
                raise ContentUnusable("it has a symbolic link that is no path")
    return files, size


def lay_out(cached: Path, commit: str, folder: Path) -> None:
    """Check a cached commit out into the empty folder `folder`, with a `.git` that knows this commit alone.

    Raises:
        GitFailed: It cannot be checked out.
    """
    inside = folder / ".git"
    with hardened() as git:
        form = "sha256" if len(commit) == 64 else "sha1"
        git.run("init", "--quiet", f"--object-format={form}", folder=folder)
        for name in ("hooks", "branches", "info"):
            shutil.rmtree(inside / name, ignore_errors=True)
        packs = inside / "objects" / "pack"
        packs.mkdir(exist_ok=True)
        for file in sorted((cached / "objects" / "pack").iterdir()):
            if file.suffix in (".pack", ".idx"):
                shutil.copyfile(file, packs / file.name)
        header = git.run("cat-file", "commit", commit, folder=folder).split(b"\n\n", 1)[0]
        if b"\nparent " in header:
            # Git then takes the commit for a root, as it does in any clone without history.
            (inside / "shallow").write_text(f"{commit}\n", encoding="ascii")
        git.run("update-ref", _MAIN, commit, folder=folder)
        git.run("read-tree", "-u", "--reset", _MAIN, folder=folder)
