"""Rendering a recording with agg, which draws terminals: a process of its own, with bounds on everything."""

from __future__ import annotations

import resource
import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import which
from typing import Final

from argusic.errors import CheckFailed, EnvironmentLack
from argusic.evidence.reel import typeface
from argusic.evidence.reel.colours import THEME

LETTER_SIZE: Final = 14
#: Pictures a second, and in one reel.
_MOST_A_SECOND: Final = 10
_MOST_PICTURES: Final = 1200
#: The longest that rendering may take, in seconds of a slow machine.
_PATIENCE: Final = 900.0
#: The most memory that it may have, and the largest GIF that it may write.
_MOST_MEMORY: Final = 4 * 1024**3
_MOST_WRITTEN: Final = 1024**3
_ADVICE: Final = "Run: pip install 'argusic[reel]'"


def program() -> Path:
    """Return the program.

    Raises:
        EnvironmentLack: It is not installed.
    """
    beside = Path(sys.executable).parent / "agg"
    found = str(beside) if beside.is_file() else which("agg")
    if found is None:
        raise EnvironmentLack("agg, which renders terminals, is not installed.", advice=_ADVICE)
    return Path(found)


@cache
def version() -> str:
    """Return the program's version.

    Raises:
        EnvironmentLack: It is not installed, or does not start.
    """
    try:
        done = subprocess.run([program(), "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        raise EnvironmentLack("agg, which renders terminals, does not start.", advice=_ADVICE) from None
    return done.stdout.strip().removeprefix("agg ")


def render(cast: Path, picture: Path, seconds: float) -> None:
    """Render an edited recording as a GIF of the terminal alone.

    Args:
        cast: The edited recording.
        picture: Where the GIF goes.
        seconds: How long the reel is.

    Raises:
        CheckFailed: It cannot be rendered.
        EnvironmentLack: The program is not installed.
    """
    rate = max(1, min(_MOST_A_SECOND, int(_MOST_PICTURES / max(seconds, 1.0))))
    options = {
        "--font-dir": typeface.FOLDER,
        "--font-family": typeface.FAMILY,
        "--font-size": LETTER_SIZE,
        "--line-height": 1.3,
        "--theme": THEME,
        "--fps-cap": rate,
        # Time was edited already.
        "--idle-time-limit": 1_000_000,
        "--last-frame-duration": 1,
    }
    words = [str(word) for option in options.items() for word in option]
    environment = {"HOME": str(cast.parent), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    try:
        status, stderr = _run([str(program()), *words, str(cast), str(picture)], environment)
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"agg did not render this recording within {_PATIENCE:.0f} seconds.") from None
    except OSError as error:
        raise EnvironmentLack(f"agg cannot be started: {error.strerror}.", advice=_ADVICE) from None
    if status or not picture.is_file():
        said = stderr.decode("utf-8", "replace").strip().splitlines()
        raise CheckFailed(f"agg could not render this recording ({said[-1][:200] if said else 'it said nothing'}).")


def _run(words: list[str], environment: dict[str, str]) -> tuple[int, bytes]:
    """Run the program within its bounds; return its exit status and what it said."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=subprocess.PIPE, env=environment) as process:
        if sys.platform == "linux":
            resource.prlimit(process.pid, resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_MOST_WRITTEN, _MOST_WRITTEN))
        try:
            _, said = process.communicate(timeout=_PATIENCE)
        except BaseException:
            process.kill()
            raise
    return process.returncode, said
