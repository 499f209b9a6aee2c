"""The Python that process 1 of a sandbox runs on: the system's below `/usr`, else the one that runs Argusic."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from argusic.sandbox.bubblewrap.account import Account

#: The oldest Python that the supervisor runs on.
MINIMUM = (3, 8)
#: Where Argusic's own Python lies inside, where the system has none.
BORROWED_HOME = Path("/opt/supervisor")
_PLACES = (Path("/usr/bin/python3"), Path("/usr/local/bin/python3"))
_CHECK = f"import ctypes, sys; sys.exit(sys.version_info < {MINIMUM})"


@dataclass(frozen=True)
class Interpreter:
    """A Python for the supervisor.

    Attributes:
        path: Its path inside.
        borrowed: The folder of the host that has to be shown inside at `BORROWED_HOME` for it, if any.
    """

    path: Path
    borrowed: Path | None = None


def find_interpreter(
    account: Account,
    places: Sequence[Path] = _PLACES,
    running: Path = Path(sys.executable),
    home: Path = Path(sys.base_prefix),
) -> Interpreter | None:
    """Return an interpreter that the supervisor can run on, or None.

    Args:
        account: As whom sandboxes run.
        places: The system's interpreters to try.
        running: The interpreter that runs Argusic.
        home: The installation that it belongs to.
    """
    for place in places:
        if place.exists() and place.resolve().is_relative_to("/usr") and _runs(place):
            return Interpreter(place)
    own, home = running.resolve(), home.resolve()
    if own.is_relative_to(home) and account.reaches(own.parent):
        return Interpreter(BORROWED_HOME / own.relative_to(home), home)
    return None


def _runs(interpreter: Path) -> bool:
    try:
        check = subprocess.run([interpreter, "-I", "-S", "-c", _CHECK], capture_output=True, timeout=20, env={})
    except (OSError, subprocess.SubprocessError):
        return False
    return check.returncode == 0
