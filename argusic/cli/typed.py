"""How a command is typed where the user is, so that every hint that is printed can be copied as it stands."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def command(arguments: str, repo: Path | None = None) -> str:
    """Return a call of this program as the user can type it.

    Args:
        arguments: What follows the program's name.
        repo: The database that it is to work on, where that is not the one the current folder is in.
    """
    called = Path(sys.argv[0])
    # The environment that `make` sets up is on nobody's PATH, so the name alone would not be found.
    program = shlex.quote(path(called.resolve())) if called.name == "argusic" else "argusic"
    chosen = "" if repo is None else f" --repo {shlex.quote(path(repo))}"
    return f"{program}{chosen} {arguments}"


def path(place: Path) -> str:
    """Return `place` as short as it can be typed here."""
    try:
        return str(place.relative_to(Path.cwd()))
    except ValueError:
        return str(place)
