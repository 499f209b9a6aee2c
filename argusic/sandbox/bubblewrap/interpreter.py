"""The Python that process 1 of a sandbox runs on: one that lies below `/usr`, because only that is inside."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

#: The oldest Python that the supervisor runs on.
MINIMUM = (3, 8)
_PLACES = (Path("/usr/bin/python3"), Path("/usr/local/bin/python3"))
_CHECK = f"import ctypes, sys; sys.exit(sys.version_info < {MINIMUM})"


def find_interpreter(places: Sequence[Path] = _PLACES) -> Path | None:
    """Return the first interpreter of `places` that the supervisor can run on, or None."""
    for place in places:
        if place.exists() and place.resolve().is_relative_to("/usr") and _runs(place):
            return place
    return None


def _runs(interpreter: Path) -> bool:
    try:
        check = subprocess.run([interpreter, "-I", "-S", "-c", _CHECK], capture_output=True, timeout=20, env={})
    except (OSError, subprocess.SubprocessError):
        return False
    return check.returncode == 0
