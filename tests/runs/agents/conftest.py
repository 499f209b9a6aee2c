"""A real shell for agents without a sandbox: commands run on this machine, in a home folder of their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from argusic.runs.inner import Unwrap
from argusic.runs.session import AttemptOver, CommandResult, Mission

_KEPT = re.compile(r"^(PIP_|SSL_|NODE_EXTRA|REQUESTS_|CURL_|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|npm_|LANG|LC_)")
_PATH = "/usr/local/bin:/usr/bin:/bin"


class ShellSession:
    """A session whose commands are real, run by bash with `home` as HOME.

    Where an environment of Python is made, a fresh one is laid first. It is made over that one all the same, with half
    as much to do: making them would take longer than everything else that is done in these sessions.
    """

    def __init__(self, home: Path, budget: float = 600, environment: Callable[[], Path] | None = None) -> None:
        self._environment = environment
        self.home = home
        self.commands: list[CommandResult] = []
        self.notes: list[str] = []
        self._end = time.monotonic() + budget

    @property
    def remaining(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        if not self.remaining:
            raise AttemptOver("time_limit")

    def set_up(self, command: str, *, timeout: float, environment: Mapping[str, str] | None = None) -> CommandResult:
        return self.run(command, timeout=timeout, environment=environment)

    def fetch(self, pattern: str, *, max_bytes: int) -> bytes | None:
        found = sorted(self.home.glob(pattern), key=lambda path: path.stat().st_mtime)
        return found[-1].read_bytes()[:max_bytes] if found else None

    def run(
        self,
        command: str,
        *,
        timeout: float | None = None,
        environment: Mapping[str, str] | None = None,
        observed: Unwrap | None = None,
    ) -> CommandResult:
        self.check()
        if command == "python3 -m venv ~/venv" and self._environment is not None:
            lay(self._environment(), self.home / "venv")
        kept = {key: value for key, value in os.environ.items() if _KEPT.match(key)}
        kept |= {"HOME": str(self.home), "PATH": _PATH, "TERM": "xterm"}
        kept["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"  # It would ask the network each time: no home here remembers it.
        began = time.monotonic()
        output = self.home.parent / "output"
        cut = None
        with output.open("w+b") as file:
            process = subprocess.Popen(
                ["bash", "-c", command],
                cwd=self.home,
                env={**kept, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            status: int | None
            try:
                status = process.wait(timeout=min(timeout or 600, self.remaining))
                status = 128 - status if status < 0 else status
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status, cut = None, "command_time"
        text = output.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        result = CommandResult(len(self.commands) + 1, command, status, text, time.monotonic() - began, cut)
        self.commands.append(result)
        return result

    def note(self, text: str) -> None:
        self.notes.append(text)


def lay(environment: Path, own: Path) -> None:
    """Copy an environment of Python to where there is none."""
    if not own.exists():
        shutil.copytree(environment, own, symlinks=True)
        for program in own.glob("bin/pip*"):
            program.write_text(program.read_text().replace(str(environment), str(own)))


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment of Python as the newcomer makes it, and with the same Python."""
    made = tmp_path_factory.mktemp("python") / "venv"
    subprocess.run(["python3", "-m", "venv", made], env={"PATH": _PATH}, check=True)
    return made


@pytest.fixture
def session(tmp_path: Path, request: pytest.FixtureRequest) -> ShellSession:
    home = tmp_path / "home"
    (home / "subject").mkdir(parents=True)
    return ShellSession(home, environment=lambda: request.getfixturevalue("environment"))


@pytest.fixture
def mission(session: ShellSession) -> Mission:
    return Mission(
        kind="package",
        name="example",
        task="The package example lies in the subject folder.",
        instructions="",
        subject_folder=str(session.home / "subject"),
        report_path=str(session.home / "report.yaml"),
        budget_seconds=600,
    )
