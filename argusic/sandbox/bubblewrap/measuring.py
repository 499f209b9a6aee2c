"""Measures a sandbox's folder, whatever permissions its folders were given inside.

An ordinary user's sandbox belongs to that user, who cannot look into a folder that forbids it to its owner. In a
namespace of its own a process of that user can; bubblewrap makes one around the measuring program.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from argusic.sandbox.bubblewrap.program import Program
from argusic.sandbox.disk import Enough, measure

_SOURCE = (files("argusic.sandbox") / "disk.py").read_text()
_SECONDS = 600


def measure_all(program: Program, folder: Path, most: int, enough: Enough) -> int:
    """Return what a folder takes in bytes, or some number above `most` once it takes more than that.

    Args:
        program: The bubblewrap to run where this user cannot look everywhere.
        folder: The folder.
        most: The bytes beyond which nothing more has to be known.
        enough: Asked now and then whether to stop.
    """
    measured = measure(folder, enough)
    if not measured.closed or enough(measured.total):
        return measured.total
    rights = ("--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "CAP_DAC_READ_SEARCH")
    with program.opened() as opened:
        done = subprocess.run(
            [
                *("bwrap", *rights, "--dev-bind", "/", "/", "--"),
                *(sys.executable, "-I", "-S", "-c", _SOURCE, str(folder), str(most)),
            ],
            executable=opened.executable,
            env=opened.environment,
            pass_fds=opened.fds,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    return max(measured.total, int(done.stdout)) if done.returncode == 0 else measured.total
