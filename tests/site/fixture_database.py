"""A small database of valid records with real evidence files, for the tests of the site."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

import yaml

from argusic.database import paths
from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.evidence.audit import audit
from argusic.evidence.audit.publishing import program_sha256
from argusic.evidence.audit.reading import session_of
from argusic.evidence.coverage import measure
from argusic.evidence.store import FolderStore
from argusic.records.agent import Agent
from argusic.records.audit import AuditedClaims
from argusic.records.base import Part
from argusic.records.cycle import Cycle, PoolEntry
from argusic.records.edition import Edition
from argusic.records.kind import Kind
from argusic.records.manifest import (
    ArgusicFacts,
    EditionUsed,
    EnvironmentFacts,
    EvidenceFile,
    Fingerprinted,
    Manifest,
    Redaction,
    SandboxFacts,
    Transform,
)
from argusic.records.report import Report
from argusic.records.run import Ending, LimitHit, Phase, Run, RunReport
from argusic.records.sources.package import Pin, Source
from argusic.records.subject import Subject
from argusic.referee.recompute import recompute

REPOSITORY = Path(__file__).parents[2]
OPENS = datetime(2026, 11, 1, tzinfo=UTC)
DIGEST = "0" * 64
CYCLE = "first"


class Command(NamedTuple):
    """A command of a run, with what it printed."""

    command: str
    output: str = ""
    exit_status: int | None = 0
    seconds: float = 2.0


PASS: dict[str, Any] = {
    "installed": True,
    "launched": True,
    "errors": [{"fixed": True, "what": "no module named wheel", "fix": "installed wheel"}],
    "test_depth": "tier1_real",
    "verified_how": {"command": "python -m demo decode out.bin", "result": "42 frames decoded, no errors"},
    "final_state": "Installed, launched — it decoded its own output.",
}
FAIL: dict[str, Any] = {
    "installed": True,
    "launched": False,
    "errors": [{"fixed": False, "what": "the port was taken", "fix": ""}],
    "test_depth": "tier3_none",
    "verified_how": "not verified",
    "final_state": "Installed. It did not launch.",
}
COMMANDS = (
    Command("pip install demo", "Collecting demo\nSuccessfully installed demo-1.0\n"),
    Command("python -m demo", "usage: demo decode FILE\nerror: no file\n", 2, 12.0),
    Command("python -m demo decode out.bin", "42 frames decoded, no errors\n"),
)


@dataclass
class FixtureDatabase:
    """Builds a database, record by record. `finish` derives boards and verdicts."""

    root: Path
    hidden: str = ""
    """Text put into every field that outsiders write."""
    subjects: dict[str, PoolEntry] = field(default_factory=dict)
    board_agents: list[str] = field(default_factory=lambda: ["newcomer"])
    _made: int = 0

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        elsewhere = shutil.ignore_patterns(paths.EVIDENCE_HOME_PATH.name)  # Its evidence lies in the folder alone.
        shutil.copytree(REPOSITORY / "rules", self.root / "rules", dirs_exist_ok=True, ignore=elsewhere)
        (self.root / "pool").mkdir(exist_ok=True)
        self.agent("newcomer", "Newcomer")
        self.agent("nop", "No-op", role="control")

    @property
    def database(self) -> Database:
        return Database(self.root)

    def agent(self, agent: str, title: str, role: Literal["agent", "control"] = "agent") -> None:
        made = Agent(agent=agent, title=title + self.hidden, role=role, program="none", implementation=agent)
        self.database.write(paths.agent_path(agent), made, replace=True)

    def subject(self, slug: str, name: str | None = None, summary: str | None = None) -> str:
        subject = Subject(
            kind="package",
            slug=slug,
            name=(name or slug) + self.hidden,
            source=Source(ecosystem="pypi", name=slug),
            summary=(summary or f"A package called {slug} — small, but real.") + self.hidden,
            licence="MIT" + self.hidden,
            languages=("Python" + self.hidden,),
        )
        return self.pooled(subject, Pin(version="1.0", file=f"{slug}-1.0-py3-none-any.whl", sha256=DIGEST))

    def pooled(self, subject: Subject, pin: Part) -> str:
        """Put a subject of any kind into the pool."""
        self.database.write(paths.subject_path(subject.kind, subject.slug), subject)
        self.subjects[subject.ref] = PoolEntry(subject=subject.ref, pin=pin)
        return subject.ref

    def run(
        self,
        subject: str,
        report: dict[str, Any] | None = None,
        *,
        agent: str = "newcomer",
        purpose: Literal["verdict", "board", "control"] = "verdict",
        ending: Ending | None = None,
        commands: Sequence[Command] = COMMANDS,
        cast: bytes | None = None,
        log: bytes | None = None,
        keep: bool = True,
        audited: bool = False,
    ) -> Run:
        """Publish a run. With `keep` false its stored files are lost from the evidence store."""
        self._made += 1
        started = OPENS + timedelta(hours=self._made)
        seconds = sum(command.seconds for command in commands) + 1
        run = Run(
            run=f"{started:%Y%m%dT%H%M%SZ}-{'abcdefgh'[self._made % 8]}aaaaa",
            cycle=CYCLE,
            subject=subject,
            agent=agent,
            edition="v1.5",
            purpose=purpose,
            tier="standard",
            budget_seconds=5400,
            pin=self.subjects[subject].pin,
            started=started,
            finished=started + timedelta(seconds=seconds + 3),
            ending=ending or Ending(how="completed"),
            phases=(
                Phase(name="start", started=started, seconds=0.4),
                Phase(name="agent", started=started + timedelta(seconds=1), seconds=seconds),
            ),
            commands=len(commands),
            limits_hit=(LimitHit(limit="command_time", count=1),),
            report=self._report(report),
        )
        if audited:
            run = run.model_copy(update={"audit": self._audited(run, commands)})
        folder = paths.run_folder(CYCLE, subject, agent, run.run)
        self._evidence(run, folder, commands, cast, log, keep)
        return run

    def finish(self) -> Database:
        """Write the cycle and derive everything."""
        edition = REPOSITORY / paths.edition_path("v1.5")
        cycle = Cycle(
            cycle=CYCLE,
            title="First cycle" + self.hidden,
            edition="v1.5",
            edition_sha256=hashlib.sha256(edition.read_bytes()).hexdigest(),
            opens=OPENS,
            closes=OPENS + timedelta(days=29),
            standard_agent="newcomer",
            board_agents=tuple(self.board_agents),
            controls=("nop",),
            subjects=tuple(self.subjects.values()),
        )
        self.database.write(paths.cycle_path(CYCLE), cycle, replace=True)
        recompute(self.database)
        return self.database

    def _audited(self, run: Run, commands: Sequence[Command]) -> AuditedClaims | None:
        _, table, text = _session(commands, self.hidden)
        session = session_of(table, text)
        assert run.report.content is not None
        contradicted = {found.field for found in audit(run.report.content, session) if found.severity == "contradicted"}
        return AuditedClaims(program_sha256=program_sha256(), contradicted=tuple(sorted(contradicted)))

    def _report(self, report: dict[str, Any] | None) -> RunReport:
        if report is None:
            return RunReport(state="missing", problem="There was no file." + self.hidden)
        return RunReport(state="read", content=Report.model_validate(_with(report, self.hidden)))

    def _evidence(
        self,
        run: Run,
        folder: Path | Any,
        commands: Sequence[Command],
        cast: bytes | None,
        log: bytes | None,
        keep: bool,
    ) -> None:
        top = self.root / folder
        top.mkdir(parents=True)
        written, table, text = _session(commands, self.hidden)
        scratch = self.root / ".argusic" / "scratch"
        scratch.mkdir(parents=True, exist_ok=True)
        store = FolderStore(self.database.store_folder)
        files = [
            _put(top / "run.yaml", dump(run), "run", "run"),
            _put(top / "recording.cast", written if cast is None else cast, "recording", "run"),
        ]
        left = [("report.yaml", "report", _left(run.report.content))] if run.report.content is not None else []
        for name, role, data in (
            ("commands.jsonl", "commands", table),
            ("session.log", "log", text if log is None else log),
            *left,
        ):
            files.append(_put(scratch / name, data, role, "store"))
            if keep:
                store.put(scratch / name)
        coverage = measure(
            top / "recording.cast", scratch / "commands.jsonl", scratch / "session.log", run.phases[-1].seconds
        )
        manifest = Manifest(
            run=run.run,
            cycle=run.cycle,
            edition=EditionUsed(id="v1.5", sha256=_digest(paths.edition_path("v1.5"))),
            instructions=Fingerprinted(id="standard-1", sha256=_digest(paths.instructions_path("standard-1"))),
            agent=Fingerprinted(id=run.agent, sha256=DIGEST),
            sandbox=SandboxFacts(
                kind="bubblewrap",
                version="0.11.0" + self.hidden,
                host_user="ordinary",
                memory_mb=4096,
                cpus=2.0,
                processes=1024,
                disk_mb=10240,
                limits_by="cgroup-v2",
                disk_by="watchdog",
                network="http_proxy",
                lacks=("raw TCP" + self.hidden,),
            ),
            environment=EnvironmentFacts(
                os="Linux" + self.hidden,
                kernel="6.1",
                machine="x86_64",
                tools={"python" + self.hidden[:200]: "3.11.2" + self.hidden},
                digest=DIGEST,
            ),
            key="none",
            argusic=ArgusicFacts(version="0.1.0", commit="a" * 40, dirty=False),
            coverage=coverage,
            files=tuple(sorted(files, key=lambda file: file.name)),
            redaction=Redaction(
                rules_sha256=DIGEST,
                transforms=(Transform(file="session.log", what="generated_key", rule="armour" + self.hidden, count=2),),
            ),
        )
        (top / paths.MANIFEST_FILE).write_bytes(dump(manifest))


def _with(value: Any, hidden: str) -> Any:
    """Return plain data with `hidden` behind every text that is no keyword of the schema."""
    if isinstance(value, str):
        return value if value in ("tier1_real", "tier2_mock", "tier3_none", "not verified") else value + hidden
    if isinstance(value, dict):
        return {key: _with(item, hidden) for key, item in value.items()}
    return [_with(item, hidden) for item in value] if isinstance(value, list) else value


def _session(commands: Sequence[Command], hidden: str) -> tuple[bytes, bytes, bytes]:
    """Return recording, command table and log of a session."""
    events: list[tuple[float, str, str]] = [(0.0, "m", "begin")]
    rows, log, now = [], "", 0.5
    for number, command in enumerate(commands, 1):
        text, output = command.command + hidden, command.output + hidden
        rows.append(
            {
                "number": number,
                "command": text,
                "started": now,
                "ended": None if command.exit_status is None else now + command.seconds,
                "exit_status": command.exit_status,
                "cut": None,
                "offset": len(events),
                "log_line": log.count("\n") + 1,
                "recorded_by": "host",
            }
        )
        events.append((now, "m", f"command {number}{hidden}"))
        events.append((now, "o", f"$ {text}\r\n"))
        events.append((now + command.seconds / 2, "o", output.replace("\n", "\r\n") + "\r\n"))
        log += f"$ {text}\n{output.rstrip()}\n"
        now += command.seconds
    events.append((now, "m", "end"))
    header = json.dumps({"version": 2, "width": 100, "height": 24, "env": {"TERM": "xterm-256color"}})
    cast = "\n".join([header, *(json.dumps(event) for event in events)]) + "\n"
    return cast.encode(), "".join(json.dumps(row) + "\n" for row in rows).encode(), log.encode()


def _left(report: Report) -> bytes:
    """Return the file that an agent left as its report."""
    return yaml.safe_dump(report.model_dump(mode="json", exclude_none=True), allow_unicode=True).encode()


def _digest(path: PurePosixPath) -> str:
    return hashlib.sha256((REPOSITORY / path).read_bytes()).hexdigest()


def _put(path: Path, data: bytes, role: Any, place: Any) -> EvidenceFile:
    path.write_bytes(data)
    return EvidenceFile(
        name=path.name,
        role=role,
        media_type="text/plain",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        place=place,
    )


def kinds(root: Path) -> list[Kind]:
    """Return the kinds of the database at `root`."""
    return list(Database(root).kinds())


def newest_edition() -> Edition:
    """Return the newest edition of this repository."""
    return Database(REPOSITORY).editions()[-1]
