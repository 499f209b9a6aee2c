"""All that the server knows beside the git repository: people, issues, pull requests, statuses, runs, releases."""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from tests.github_server.bare import BareRepository

#: The token of a workflow's job, and who writes with it.
TOKEN = "a-token"
BOT = "github-actions[bot]"
#: When everything happens here, counted on by the second.
_START = 1_790_000_000


@dataclass
class Fault:
    """What is to go wrong with the next requests of a kind, `times` times.

    `answer`: that status, headers and body in place of an answer. `late`: the same, after it was done all the same, as
    when a server's answer is lost. `refuse`: no answer. `cut`: half of the answer's body.
    """

    kind: Literal["answer", "late", "refuse", "cut"]
    method: str = ""
    path: str = ""
    times: int = 1
    status: int = 500
    message: str = "Server Error"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Artifact:
    """What a job uploaded. `served`, `stated_size` and `stated_digest` differ from its file where a test says so."""

    id: int
    run: int
    path: Path
    expired: bool = False
    served: bytes | None = None
    stated_size: int | None = None
    stated_digest: str | None = ""

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".zip")

    def content(self) -> bytes:
        return self.path.read_bytes()

    def size(self) -> int:
        return self.path.stat().st_size if self.stated_size is None else self.stated_size

    def digest(self) -> str | None:
        if self.stated_digest != "":
            return self.stated_digest
        return f"sha256:{hashlib.sha256(self.content()).hexdigest()}"


@dataclass
class Hub:
    """A repository on GitHub."""

    repository: str
    remote_path: Path
    folder: Path
    private: bool = True
    allowance: int = 1000
    size_kb: int = 0
    licence: str | None = None
    language: str | None = None
    people: dict[str, str] = field(default_factory=lambda: {TOKEN: BOT})
    permissions: dict[str, str] = field(default_factory=dict)
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    runs: set[int] = field(default_factory=set)
    jobs: dict[int, dict[str, dict[str, Any]]] = field(default_factory=dict)
    workflows: dict[str, list[str]] = field(default_factory=dict)
    dispatches: list[dict[str, Any]] = field(default_factory=list)
    uploads: dict[Path, Artifact] = field(default_factory=dict)
    superseded: set[int] = field(default_factory=set)
    releases: dict[str, int] = field(default_factory=dict)
    assets: dict[int, dict[str, Any]] = field(default_factory=dict)
    content: dict[int, bytes] = field(default_factory=dict)
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    seconds: itertools.count[int] = field(default_factory=lambda: itertools.count(_START))
    immutable: bool = False
    ignores_ranges: bool = False
    tokens_at_content: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    resets: int = field(default_factory=lambda: int(time.time()) + 3000)
    lock: threading.RLock = field(default_factory=threading.RLock)

    @cached_property
    def remote(self) -> BareRepository:
        """The bare repository, which is made when it is first needed."""
        with self.lock:
            return BareRepository(self.remote_path)

    @property
    def owner(self) -> str:
        return self.repository.partition("/")[0]

    def now(self) -> str:
        """Return an instant, each time a second later."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(next(self.seconds)))

    def names(self) -> list[str]:
        """Return the names of the releases' assets."""
        return [asset["name"] for asset in self.assets.values()]

    def fault(self, method: str, path: str) -> Fault | None:
        """Return what is to go wrong with a request, once less from now on."""
        for fault in self.faults:
            if fault.times > 0 and fault.method in ("", method) and fault.path in path:
                fault.times -= 1
                return fault
        return None

    def artifacts(self, run: int) -> list[Artifact]:
        """Return what lies in the run's folder now: its ZIP files, and those of the folders in it."""
        folder = self.folder / "artifacts" / str(run)
        for path in sorted([*folder.glob("*.zip"), *folder.glob("*/*.zip")]):
            self.uploads.setdefault(path, Artifact(next(self.ids), run, path))
        own = [one for one in self.uploads.values() if one.run == run and one.path.exists()]
        return [one for one in own if one.id not in self.superseded]

    def all_jobs(self, run: int) -> list[dict[str, Any]]:
        """Return the jobs that were told of, and those of the run's file `jobs/<run>.json`."""
        named = dict(self.jobs.get(run, {}))
        file = self.folder / "jobs" / f"{run}.json"
        if file.exists():
            named |= {job["name"]: job for job in json.loads(file.read_text())}
        return [{"run_attempt": 1, **job} for job in named.values()]

    def has_run(self, run: int) -> bool:
        """Return whether there is such a workflow run."""
        return run in self.runs or run in self.jobs or (self.folder / "artifacts" / str(run)).is_dir()

    def told(self) -> dict[str, Any]:
        """Return everything, to be read by another program."""
        runs = sorted(self.runs | self.jobs.keys() | {one.run for one in self.uploads.values()})
        return {
            "repository": self.repository,
            "remote": str(self.remote.path),
            "branches": self.remote.branches(),
            "issues": list(self.issues.values()),
            "comments": list(self.comments.values()),
            "pulls": list(self.pulls.values()),
            "statuses": self.statuses,
            "permissions": self.permissions,
            "jobs": {str(run): self.all_jobs(run) for run in runs},
            "artifacts": {str(run): [one.name for one in self.artifacts(run)] for run in runs},
            "dispatches": self.dispatches,
            "releases": self.names(),
            "requests": self.requests,
        }
