"""Which database a command works on: the `--repo` option, else the checkout that the current folder is in."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path

from argusic.database.database import Database
from argusic.errors import InputError

_chosen: ContextVar[Path | None] = ContextVar("argusic_repo", default=None)


def choose(repo: Path | None) -> None:
    """Remember the `--repo` option for the command that follows."""
    _chosen.set(repo)


def chosen() -> Path | None:
    """Return what `--repo` named, or None."""
    return _chosen.get()


def database() -> Database:
    """Return the database of this command.

    Raises:
        InputError: There is none at `--repo`, or none from the current folder upwards.
    """
    repo = _chosen.get()
    if repo is not None and not repo.is_dir():
        raise InputError(f"{repo} is not a folder.")
    return Database.find(repo if repo is not None else Path.cwd())
