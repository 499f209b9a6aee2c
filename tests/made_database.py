"""A made-up database, valid in every record and as large as wanted: for tests of what spans many runs."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from argusic.database.codec import dump
from argusic.database.database import Database, StoredRun
from argusic.database.paths import MANIFEST_FILE, RUN_FILE, run_folder
from argusic.database.stated import stated_path
from argusic.records.agent import Agent
from argusic.records.base import Record
from argusic.records.cycle import Cycle
from argusic.records.findings import Invalidation
from argusic.records.manifest import Manifest
from argusic.records.run import Run
from argusic.records.subject import Subject

TOP = Path(__file__).parents[1]
#: The edition that it lives under.
EDITION = "v1.5"
OPENS = datetime(2026, 11, 1, tzinfo=UTC)
KINDS = ("package", "repository")
AGENTS = ("newcomer", "first", "second")
CONTROLS = ("nop",)
IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@argusic.invalid")
_TAIL = "abcdefghijklmnopqrstuvwxyz234567"
_DIGEST = "0" * 64


@dataclass(frozen=True)
class Size:
    """How much to make: every agent runs every subject of every cycle three times, and a control once."""

    cycles: int = 1
    subjects: int = 4
    """Of each kind."""

    @property
    def runs(self) -> int:
        """How many runs that makes."""
        return self.cycles * self.subjects * len(KINDS) * (3 * len(AGENTS) + len(CONTROLS))


def make_database(root: Path, size: Size = Size(), *, seed: int = 1) -> Database:
    """Make a database at `root` whose runs came to everything that runs can come to."""
    _copy_rules(root)
    for agent in (*AGENTS, *CONTROLS):
        write(root, _agent(agent))
    for kind in KINDS:
        for number in range(size.subjects):
            write(root, _subject(kind, number))
    digest = hashlib.sha256((root / f"rules/editions/{EDITION}.yaml").read_bytes()).hexdigest()
    for number in range(size.cycles):
        cycle = _cycle(number, size, digest)
        write(root, cycle)
        for run in runs_of(cycle, random.Random(f"{seed} {cycle.cycle}")):
            write(root, run)
            manifest = root / run_folder(run.cycle, run.subject, run.agent, run.run) / "manifest.yaml"
            manifest.write_bytes(b"schema: 1\n# Not read by derivations; it makes the tree as wide as a real one.\n")
    return Database(root)


def write(root: Path, record: Record) -> Path:
    """Write a record where its ids put it, without the care that a real write takes."""
    stated = stated_path(record)
    assert stated is not None
    path = root / stated
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dump(record))
    return path


def with_evidence(database: Database, stored: StoredRun) -> None:
    """Give a run the manifest of its own record, so that nothing is wrong with its folder."""
    folder, run = database.root / stored.folder, stored.run
    (folder / "manifest.yaml").unlink(missing_ok=True)
    data = (folder / RUN_FILE).read_bytes()
    edition, digest = database.edition(run.edition)
    named = {
        "run": run.run,
        "cycle": run.cycle,
        "edition": {"id": run.edition, "sha256": digest},
        "instructions": {"id": edition.instructions, "sha256": edition.instructions_sha256},
        "agent": {"id": run.agent, "sha256": _DIGEST},
        "sandbox": {
            "kind": "bubblewrap", "version": "0.11", "host_user": "ordinary", "memory_mb": 4096, "cpus": 2.0,
            "processes": 1024, "disk_mb": 10240, "limits_by": "cgroup-v2", "disk_by": "watchdog",
            "network": "http_proxy",
        },
        "environment": {"os": "Linux", "kernel": "6.1", "machine": "x86_64", "tools": {}, "digest": _DIGEST},
        "key": "none",
        "argusic": {"version": "0.1.0", "commit": None, "dirty": True},
        "coverage": {
            "agent_seconds": 3.0, "recorded_seconds": 0.0, "events": 0, "commands": run.commands, "commands_seen": 0,
            "end_marked": False, "complete": False,
        },
        "files": [
            {
                "name": RUN_FILE, "role": "run", "media_type": "application/yaml", "size": len(data),
                "sha256": hashlib.sha256(data).hexdigest(), "place": "run",
            }
        ],
    }  # fmt: skip
    (folder / MANIFEST_FILE).write_bytes(dump(Manifest.model_validate(named)))


def commit(root: Path) -> None:
    """Make `root` a git checkout with everything in it committed."""
    _git(root, "init", "-q")
    # What each checkout has of its own is never committed.
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text(".argusic/\n")
    _git(root, "add", "-A")
    _git(root, *IDENTITY, "commit", "-q", "-m", "Made")


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


def runs_of(cycle: Cycle, chance: random.Random) -> Iterator[Run]:
    """Yield the runs of a cycle, in no particular order."""
    started = cycle.opens
    for entry in cycle.subjects:
        ease = chance.random()
        for agent in (*AGENTS, *CONTROLS):
            for _ in range(1 if agent in CONTROLS else 3):
                started += timedelta(seconds=chance.randrange(1, 90))
                yield make_run(cycle, entry.subject, agent, started, chance, ease=ease)


def make_run(
    cycle: Cycle, subject: str, agent: str, started: datetime, chance: random.Random, *, ease: float = 0.7
) -> Run:
    """Make one run of a cycle; the higher `ease`, the likelier a pass."""
    entry = cycle.entry(subject)
    assert entry is not None
    endings = ["completed"] * 20 + ["time_limit", "harness_error", "interrupted", "agent_crashed", "memory_limit"]
    tail = "".join(chance.choices(_TAIL, k=6))
    return Run.model_validate(
        {
            "run": f"{started:%Y%m%dT%H%M%SZ}-{tail}",
            "cycle": cycle.cycle,
            "subject": subject,
            "agent": agent,
            "edition": cycle.edition,
            "purpose": "control" if agent in CONTROLS else "board",
            "tier": "standard",
            "budget_seconds": 5400,
            "pin": entry.pin,
            "started": started,
            "finished": started + timedelta(seconds=60),
            "ending": {"how": chance.choice(endings)},
            "phases": [
                {"name": name, "started": started + timedelta(seconds=after), "seconds": 1.5 * after}
                for after, name in enumerate(("prepare", "start", "agent", "collect", "destroy"))
            ],
            "commands": 9,
            "report": (report := _report(chance, ease)),
            "audit": {"program_sha256": _DIGEST, "contradicted": []} if report["state"] == "read" else None,
        }
    )


def invalidate(root: Path, run: Run, reason: str = "A mirror was down.") -> Path:
    """Write down that a run counts nowhere."""
    return write(root, Invalidation(run=run.run, cycle=run.cycle, reason=reason, by="ada", at=run.finished))


def _order(edition: str) -> tuple[int, ...]:
    return tuple(int(number) for number in edition.removeprefix("v").split("."))


def _copy_rules(root: Path) -> None:
    for folder in ("rules/editions", "rules/kinds", "rules/instructions"):
        shutil.copytree(TOP / folder, root / folder)
    # It lives under one edition, however many follow.
    for later in sorted((root / "rules/editions").glob("v*.yaml")):
        if _order(later.stem) > _order(EDITION):
            later.unlink()


def _agent(agent: str) -> Record:
    control = agent in CONTROLS
    return Agent(
        agent=agent,
        title=agent.title(),
        role="control" if control else "agent",
        program="none",
        implementation=agent,
    )


def _subject(kind: str, number: int) -> Subject:
    name = f"made{number:04}"
    if kind == "package":
        source: dict[str, Any] = {"kind": kind, "ecosystem": "pypi", "name": name}
    else:
        source = {"kind": kind, "url": f"https://git.invalid/made/{name}.git"}
    return Subject.model_validate({"kind": kind, "slug": _slug(number), "name": name, "source": source})


def _slug(number: int) -> str:
    # The names begin with different letters, as real ones do.
    return f"{chr(ord('a') + number % 26)}-made{number:04}"


def _cycle(number: int, size: Size, digest: str) -> Cycle:
    opens = OPENS + timedelta(days=number)
    pool = [
        {"subject": f"{kind}/{_slug(subject)}", "pin": _pin(kind, subject)}
        for kind in KINDS
        for subject in range(size.subjects)
    ]
    return Cycle.model_validate(
        {
            "cycle": f"made-{number:02}",
            "title": f"Made cycle {number}",
            "edition": EDITION,
            "edition_sha256": digest,
            "opens": opens,
            "closes": opens + timedelta(days=30),
            "standard_agent": "newcomer",
            "board_agents": AGENTS,
            "controls": CONTROLS,
            "subjects": pool,
        }
    )


def _pin(kind: str, number: int) -> dict[str, Any]:
    if kind == "package":
        sha256 = hashlib.sha256(str(number).encode()).hexdigest()
        return {"kind": kind, "version": "1.0.2", "file": f"made{number:04}-1.0.2-py3-none-any.whl", "sha256": sha256}
    return {"kind": kind, "commit": hashlib.sha1(str(number).encode()).hexdigest()}


def _report(chance: random.Random, ease: float) -> dict[str, Any]:
    if chance.random() < 0.05:
        return {"state": "missing", "problem": "The agent left no report."}
    works = chance.random() < ease
    depth = chance.choice(["tier1_real", "tier1_real", "tier2_mock"]) if works else "tier3_none"
    errors = [
        {
            "fixed": works or chance.random() < 0.4,
            "what": f"the documented command stopped with status {number + 1}: No module named 'example{number}'",
            "fix": "installed the module that it lacks, at the version that the manifest asks for",
        }
        for number in range(chance.randrange(5))
    ]
    command = "python -c \"import made; print(made.load('out.json')['rows'])\""
    how = {"command": command, "result": "3 rows, the second is 'no: 1.10'"}
    return {
        "state": "read",
        "content": {
            "installed": works or chance.random() < 0.6,
            "launched": works,
            "errors": errors,
            "test_depth": depth,
            "verified_how": how if works else "not verified",
            "final_state": "It was installed, it stored three rows in a file\nand read the same three rows back.",
        },
    }
