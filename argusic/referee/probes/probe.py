"""The shape of one probe, and how probes ask other programs: in a time limit, never raising."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Probe:
    """One thing that was looked at.

    Attributes:
        name: What it is, in a word or two.
        ok: Whether it is here and works.
        found: What was found, in one sentence.
        mend: The one command that mends the lack; None where nothing lacks or no command can.
        without: What cannot run because of the lack.
        needed: Whether no attempt at all can run without it.
    """

    name: str
    ok: bool
    found: str
    mend: str | None = None
    without: str | None = None
    needed: bool = False


@dataclass(frozen=True)
class Answer:
    """What a program answered: its exit status (None where it did not start or did not end in time) and its words."""

    status: int | None
    words: str

    @property
    def ok(self) -> bool:
        """Whether it ended with 0."""
        return self.status == 0


def ask(argv: Sequence[str], *, seconds: float = 10, user: int | None = None) -> Answer:
    """Run a program without input and return what it said, output and error together.

    Args:
        argv: The program and its arguments.
        seconds: How long it may take.
        user: As whom to run it, with the group of the same number; root alone can say.
    """
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    except subprocess.TimeoutExpired:
        return Answer(None, f"no answer within {seconds:g} s")
    except OSError as error:
        return Answer(None, error.strerror or str(error))
    return Answer(done.returncode, done.stdout.decode("utf-8", "replace").strip())


def last_line(words: str) -> str:
    """Return the line of a program's words that usually says why."""
    return words.splitlines()[-1].strip() if words else "it said nothing"


def as_root(command: str) -> str:
    """Return `command` as this user must type it where it needs root."""
    return command if os.geteuid() == 0 or shutil.which("sudo") is None else f"sudo {command}"


def installing(packages: str) -> str:
    """Return the command that installs system packages (Debian's names)."""
    return as_root(f"apt-get install -y {packages}")
