"""What a key of a run is called at its provider: by repository and run, so that a sweep knows ours from others'."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from argusic.database.database import Database
from argusic.database.git import Git

_RUN: Final = re.compile(r"\d{8}T\d{6}Z-[a-z2-7]{6}")


class Aliases:
    """The names of the keys of one repository's runs.

    Args:
        repository: Its name. Two checkouts of one repository share it, a fork has another.
    """

    def __init__(self, repository: str) -> None:
        self._prefix = f"argusic.{repository}."

    @classmethod
    def of(cls, database: Database) -> Aliases:
        """Return those of a database: by where it is pushed to, or by its folder where it is pushed nowhere."""
        git = Git.around(database.root)
        origin = git.origin() if git is not None else None
        if origin is not None:
            words = [word for word in re.split(r"[/:]", origin.removesuffix("/").removesuffix(".git")) if word]
            named = "--".join(words[-2:])
        else:
            named = f"{database.root.name}-{hashlib.sha256(bytes(database.root)).hexdigest()[:8]}"
        return cls(re.sub(r"[^a-z0-9._-]+", "-", named.lower())[:80])

    def alias(self, run: str) -> str:
        """Return the name of a run's key."""
        return f"{self._prefix}{run}"

    def run(self, alias: object) -> str | None:
        """Return the run whose key has this name, or None where it is no name of ours."""
        if not isinstance(alias, str) or not alias.startswith(self._prefix):
            return None
        rest = alias.removeprefix(self._prefix)
        return rest if _RUN.fullmatch(rest) else None
