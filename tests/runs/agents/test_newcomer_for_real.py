"""The newcomer's day with real software, in a real sandbox, over the real network: the pool of the quickstart."""

from __future__ import annotations

import itertools
import shutil
import threading
from pathlib import Path

import pytest
import yaml

from argusic.database.database import Database
from argusic.evidence.commands import read_commands
from argusic.evidence.layout import COMMANDS_NAME
from argusic.pool.kinds.protocol import Workshop
from argusic.pool.kinds.registry import kind
from argusic.records.report import Report, VerifiedHow
from argusic.runs.agents.registry import implementation
from argusic.runs.recorded_session import RecordedSession
from argusic.runs.recorder import Recorder
from argusic.runs.session import Mission
from argusic.sandbox.protocol import HOME_FOLDER, SUBJECT_FOLDER, Sandbox, SandboxSpec
from argusic.sandbox.registry import provider

TOP = Path(__file__).parents[3]
REPORT = f"{HOME_FOLDER}/report.yaml"

pytestmark = [pytest.mark.sandbox, pytest.mark.network]


def lived(reference: str, agent: str, tmp_path: Path) -> tuple[Report, Path]:
    """Let an agent live its day on a subject of the quickstart; return its report and the folder of its evidence."""
    database = Database(TOP)
    entry = database.cycle("quickstart").entry(reference)
    assert entry is not None
    subject = database.subject(reference)
    numbers = itertools.count(1)
    opened: list[Sandbox] = []

    def sandbox(name: str) -> Sandbox:
        work = tmp_path / name
        work.mkdir()
        opened.append(provider("bubblewrap").start(SandboxSpec(name=f"test-{tmp_path.name}-{name}", work=work)))
        return opened[-1]

    workshop = Workshop(database.cache_folder, lambda: sandbox(f"fetch-{next(numbers)}"), lambda doing: None)
    handed = tmp_path / "subject"
    handed.mkdir()
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    try:
        subject_kind = kind(subject.kind)
        subject_kind.hand_in(subject, entry.pin, subject_kind.fetch(subject, entry.pin, workshop), handed)
        inside = sandbox("agent")
        inside.put(handed, SUBJECT_FOLDER)
        recorder = Recorder(evidence)
        session = RecordedSession(inside, recorder, budget_seconds=280, cancel=threading.Event())
        mission = Mission(
            kind=subject.kind,
            name=subject.name,
            task=subject_kind.task(subject, entry.pin),
            instructions="",
            subject_folder=SUBJECT_FOLDER,
            report_path=REPORT,
            budget_seconds=280,
            solution=subject.control.solution if agent == "oracle" and subject.control else None,
        )
        implementation(agent).run(session, mission)
        recorder.end()
        recorder.close()
        raw = inside.get(REPORT, max_bytes=1_000_000)
    finally:
        for each in opened:
            each.destroy()
        shutil.rmtree(handed)
    assert raw is not None
    return Report.model_validate(yaml.safe_load(raw)), evidence


@pytest.mark.parametrize(
    ("reference", "errors", "decoded"),
    [
        ("package/cowsay", 0, "Hello World"),
        ("package/tinydb", 0, "documented results agree"),
        ("package/datasette", 0, "wandering albatross"),
        ("package/nose", None, "Ran 2 tests"),
        ("repository/bottle", 0, "Hello world"),
    ],
)
def test_the_newcomer_installs_launches_and_decodes_and_the_record_bears_it_out(
    reference: str, errors: int | None, decoded: str, tmp_path: Path
) -> None:
    report, evidence = lived(reference, "newcomer", tmp_path)
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real"), report
    if errors is None:
        assert report.encountered >= 1 and report.fixed == report.encountered, report
    else:
        assert report.encountered == errors, report
    assert isinstance(report.verified_how, VerifiedHow) and decoded in report.verified_how.result
    rows = [row for row in read_commands(evidence / COMMANDS_NAME) if row.command == report.verified_how.command]
    assert rows and rows[-1].exit_status == 0
