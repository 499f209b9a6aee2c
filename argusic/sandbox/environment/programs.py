"""Running the programs that an image is made with: bounded in time, their last words kept for the error."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from argusic.errors import EnvironmentLack

#: What each program belongs to, by Debian's names.
_PACKAGES = {
    "mmdebstrap": "mmdebstrap",
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
    "docker": "docker.io",
    "unshare": "util-linux",
}

_SAID = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "DEBIAN_FRONTEND": "noninteractive"}

Say = Callable[[str], None]


def need(program: str) -> str:
    """Return the path of a program.

    Raises:
        EnvironmentLack: It is not here.
    """
    found = shutil.which(program)
    if found is None:
        package = _PACKAGES.get(program, program)
        raise EnvironmentLack(
            f"{program} is not here, which the published environment is made with.",
            advice=f"Install it with: apt-get install -y {package}",
        )
    return found


def run(
    argv: Sequence[str],
    *,
    seconds: float,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run a program to its end and return what it printed.

    Raises:
        EnvironmentLack: It is not here, failed, or did not end in time; with its last words.
    """
    try:
        done = subprocess.run(
            [need(argv[0]), *argv[1:]],
            cwd=folder,
            env=clean(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EnvironmentLack(f"{argv[0]} did not end within {seconds:g} s.") from None
    if done.returncode:
        raise failed(argv[0], done.stderr.decode("utf-8", "replace").splitlines())
    return done.stdout.decode("utf-8", "replace")


def clean(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment that such programs run in: this one's, in English and in UTC."""
    return {**os.environ, **_SAID, **(more or {})}


def sealed(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment that an image is built in, which is the same everywhere: packages look at such variables.

    Python inside keeps nothing of what it compiles in passing: that bears times, and is there or not by who ran first.
    """
    return {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        **_SAID,
        "PYTHONDONTWRITEBYTECODE": "1",
        **(more or {}),
    }


def failed(program: str, lines: Sequence[str]) -> EnvironmentLack:
    """Return the error for a program that failed: what it said last, its own errors before anything else."""
    said = [line.strip() for line in lines if line.strip()]
    errors = [line for line in said if line.startswith(("E:", "ERROR", "Error", "dpkg: error"))]
    last = deque(errors or said, maxlen=2)
    return EnvironmentLack(f"{program} failed: {' / '.join(last) or 'it said nothing'}")
