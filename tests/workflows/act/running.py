"""One workflow run: `act` on a prepared copy, followed line by line, its jobs told to the stand-in for GitHub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.workflows.act.preparing import Prepared, name_of, outputs_of, pinned

STUBS = Path(__file__).parent / "stubs"
STARTUP = Path(__file__).parent / "startup"
TOP = Path(__file__).parents[3]
#: A run that takes longer hangs.
LIMIT = 200
#: Where what would reach out is sent: nobody listens there.
NOWHERE = "http://127.0.0.1:9"


@dataclass
class Leg:
    """A job, or one row of its matrix."""

    job: str
    name: str
    matrix: dict[str, Any]
    began: str
    ended: str = ""
    conclusion: str | None = None
    steps: list[str] = field(default_factory=list)
    """The steps that ran."""
    failed: list[str] = field(default_factory=list)
    """Those of them that failed."""
    lines: list[str] = field(default_factory=list)
    """What its steps printed."""
    commands: list[str] = field(default_factory=list)
    """The workflow commands that the machine obeyed."""

    @property
    def log(self) -> str:
        return "".join(self.lines)


@dataclass
class Ran:
    """A workflow run that is over."""

    workflow: str
    number: int
    attempt: int
    event: str
    payload: dict[str, Any]
    commit: str
    legs: list[Leg] = field(default_factory=list)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    """The jobs that had succeeded in an earlier attempt."""
    summaries: list[str] = field(default_factory=list)
    trouble: str = ""

    def conclusions(self) -> dict[str, str | None]:
        """Return how each job ended, by name; one that was skipped is not there."""
        return {leg.name: leg.conclusion for leg in self.legs}

    def legs_of(self, job: str) -> list[Leg]:
        """Return a job's legs."""
        return [leg for leg in self.legs if leg.job == job]

    def leg(self, job: str) -> Leg:
        """Return the one leg of a job."""
        (only,) = self.legs_of(job)
        return only

    @property
    def ok(self) -> bool:
        """Whether every job that ran succeeded."""
        return bool(self.legs) and all(leg.conclusion == "success" for leg in self.legs) and not self.trouble

    def told(self) -> str:
        """Return how it went, for whoever reads a test that failed."""
        said = [f"{self.workflow}, attempt {self.attempt}: {self.trouble}"]
        for leg in self.legs:
            said.append(f"--- {leg.name}: {leg.conclusion} {leg.failed or ''}\n{leg.log[-3000:]}")
        return "\n".join(said)


def run(
    ran: Ran,
    prepared: Prepared,
    launch: Path,
    variables: Mapping[str, str],
    secrets: Mapping[str, str],
    environment: Mapping[str, str],
    scratch: Path,
    watch: Callable[[Leg], None],
) -> Ran:
    """Run a prepared workflow, and return how it went.

    Args:
        ran: What is run.
        prepared: The workflow.
        launch: A checkout of the commit that the event is about.
        variables: The repository's variables (`vars`).
        secrets: Every secret; which job sees which is settled in the prepared copy.
        environment: What every job finds in its environment.
        scratch: A folder of this run's own.
        watch: Called with each leg when it begins and when it ends.
    """
    file = scratch / "workflow" / ran.workflow
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(prepared.content), encoding="utf-8")
    event = scratch / "event.json"
    event.write_text(json.dumps(ran.payload), encoding="utf-8")
    # Sockets lie below it, whose paths must be short.
    home = Path(tempfile.mkdtemp(prefix="act-", dir="/tmp"))
    words = [
        *(str(Path(sys.executable).with_name("act")), ran.event, "--workflows", str(file), "--eventpath", str(event)),
        *("--no-cache-server", "--no-skip-checkout", "--json", "--pull=false", "--actor", "ada"),
        *("--defaultbranch", "main", "--container-daemon-socket", "-"),
        *(word for label in _labels() for word in ("-P", f"{label}=-self-hosted")),
        *(word for at in _replaced(launch) for word in ("--local-repository", at)),
        *(word for key, value in variables.items() for word in ("--var", f"{key}={value}")),
        *(word for key, value in secrets.items() for word in ("--secret", f"{key}={value}")),
        *(word for key, value in environment.items() for word in ("--env", f"{key}={value}")),
    ]
    with subprocess.Popen(
        words,
        cwd=launch,
        env=_own(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        timer = threading.Timer(LIMIT, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            _follow(ran, prepared, process.stdout, watch)
        finally:
            timer.cancel()
            process.terminate()
            process.wait()
            shutil.rmtree(home)
    return ran


def _follow(ran: Ran, prepared: Prepared, lines: Iterator[str], watch: Callable[[Leg], None]) -> None:
    legs: dict[str, Leg] = {}
    steps: dict[str, dict[tuple[str, str], str]] = {}
    for line in lines:
        try:
            told = json.loads(line)
        except ValueError:
            if line.startswith("Error: ") and not line.startswith("Error: Job '"):
                ran.trouble += line
            continue
        job = told.get("jobID")
        if job is None:
            continue
        matrix = told.get("matrix") or {}
        key = f"{job} {json.dumps(matrix, sort_keys=True)}"
        if key not in legs:
            leg = legs[key] = Leg(job, name_of(prepared.content["jobs"][job], job, matrix), matrix, told["time"])
            ran.legs.append(leg)
            watch(leg)
        _note(ran, legs[key], told, steps.setdefault(job, {}))
        if "jobResult" in told:
            leg = legs[key]
            leg.ended = told["time"]
            # act states one result for all rows of a matrix: each row's own follows from its steps.
            own = "failure" if leg.failed else "success"
            leg.conclusion = own if leg.matrix else told["jobResult"]
            watch(leg)
    for job, found in steps.items():
        ran.outputs[job] = outputs_of(prepared.content["jobs"][job], found)


def _note(ran: Ran, leg: Leg, told: Mapping[str, Any], outputs: dict[tuple[str, str], str]) -> None:
    step = told.get("stepID") or []
    if "command" in told:
        leg.commands.append(" ".join([told["command"], *filter(None, [told.get("name")])]))
    if told.get("raw_output"):
        leg.lines.append(told["msg"])
    elif told.get("command") == "set-output":
        outputs[step[0], told["name"]] = told["arg"]
    elif told.get("command") == "summary":
        ran.summaries.append(told["content"])
    elif told.get("level") == "error":
        leg.lines.append(f"[error] {told['msg']}\n")
    if told.get("stage") == "Main" and len(step) == 1 and told.get("stepResult") in ("success", "failure"):
        leg.steps.append(told["step"])
        if told["stepResult"] == "failure":
            leg.failed.append(told["step"])


def _labels() -> tuple[str, ...]:
    return ("ubuntu-24.04", "ubuntu-latest", "self-hosted", "gpu")


def _replaced(launch: Path) -> list[str]:
    used = pinned(launch / ".github")
    missing = {name for name, _ in used if not (STUBS / name.partition("/")[2]).is_dir()}
    assert not missing, f"there is no stub for {', '.join(sorted(missing))}"
    return [f"{name}@{commit}={STUBS / name.partition('/')[2]}" for name, commit in sorted(used)]


def _own(home: Path) -> dict[str, str]:
    """Return the environment of a machine that has nothing of ours but a Python and packages to lend."""
    programs = home / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    temporary = home / "tmp"
    temporary.mkdir()
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOWHERE)
    return {
        "PATH": f"{programs}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(STARTUP),
        **proxies,
        "no_proxy": "127.0.0.1,localhost",
        "NO_PROXY": "127.0.0.1,localhost",
        **{key: value for key, value in os.environ.items() if key in ("TERM", "USER", "LOGNAME")},
    }
