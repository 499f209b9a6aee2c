"""A small referee repository with a base, and the merges that GitHub makes of pull requests to it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from argusic.database.database import Database
from argusic.referee.recompute import recompute
from tests.made_database import IDENTITY, Size, commit, make_database, with_evidence


def made_base(root: Path) -> Database:
    """Make a committed database with one cycle under way, in which nothing is wrong."""
    base = make_database(root, Size(cycles=1, subjects=1))
    for stored in base.runs():
        with_evidence(base, stored)
    recompute(base)
    (root / ".gitignore").write_text(".argusic/\n")
    commit(root)
    git(root, "branch", "-M", "main")
    return base


def git(root: Path, *words: str, stdin: bytes = b"", **variables: str) -> str:
    """Ask git, as somebody who may do everything."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", **variables}
    command = ["git", *IDENTITY, *words]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, input=stdin, env=environment)
    return done.stdout.decode().removesuffix("\n")


def merged(root: Path, files: dict[str, bytes | tuple[str, str] | None], *, base: str = "main") -> str:
    """Return the merge of a pull request that adds, replaces or removes files, without a checkout of any.

    Args:
        root: The base's checkout, which is left alone.
        files: What each path becomes: bytes, or a mode and an object; None where it goes.
        base: What it is merged into.
    """
    index = str(root / ".git" / "index-of-a-proposal")
    git(root, "read-tree", base, GIT_INDEX_FILE=index)
    lines = []
    for path, content in files.items():
        mode, blob = ("0", "0" * 40) if content is None else content if isinstance(content, tuple) else ("100644", "")
        if isinstance(content, bytes):
            blob = git(root, "hash-object", "-w", "--stdin", "--no-filters", stdin=content)
        lines.append(f"{mode} {blob}\t{path}\0")
    git(root, "update-index", "-z", "--index-info", stdin="".join(lines).encode(), GIT_INDEX_FILE=index)
    tree = git(root, "write-tree", GIT_INDEX_FILE=index)
    head = git(root, "commit-tree", tree, "-p", base, "-m", "Proposed")
    return git(root, "commit-tree", tree, "-p", base, "-p", head, "-m", "Merged")


def linked(root: Path, target: str) -> tuple[str, str]:
    """Return a symbolic link, for `merged`."""
    return "120000", git(root, "hash-object", "-w", "--stdin", stdin=target.encode())
