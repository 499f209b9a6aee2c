"""The newcomer's day with real software, in a real sandbox, over the real network: subjects of the pool, and npm."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pytest
import yaml

from argusic.database.database import Database
from argusic.evidence.commands import read_commands
from argusic.evidence.layout import COMMANDS_NAME
from argusic.pool.kinds.protocol import Workshop
from argusic.pool.kinds.registry import kind
from argusic.records.base import Part
from argusic.records.report import Report, VerifiedHow
from argusic.records.sources import package
from argusic.records.subject import Subject
from argusic.runs.agents.registry import implementation
from argusic.runs.recorded_session import RecordedSession
from argusic.runs.recorder import Recorder
from argusic.runs.screen import TASK
from argusic.runs.session import Mission
from argusic.sandbox.display.display import Display, start_display
from argusic.sandbox.protocol import HOME_FOLDER, SUBJECT_FOLDER, Sandbox, SandboxSpec
from argusic.sandbox.registry import provider
from tests.runs.agents.wheels import wheel

TOP = Path(__file__).parents[3]
REPORT = f"{HOME_FOLDER}/report.yaml"

pytestmark = pytest.mark.sandbox

WINDOW = """\
import os, sys, time
def main():
    if "DISPLAY" not in os.environ:
        sys.exit('_tkinter.TclError: no display name and no $DISPLAY environment variable')
    import tkinter
    top = tkinter.Tk()
    top.title("Wingspan")
    tkinter.Label(top, text="351 cm", bg="green", width=30, height=10).pack()
    top.mainloop()
"""


class Day:
    """One day of the newcomer in a sandbox of its own, and the sandboxes that fetch what it is handed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        self._opened: list[Sandbox] = []
        self.handed = folder / "subject"
        self.handed.mkdir()

    def fetch(self, subject: Subject, pin: Part) -> None:
        """Hand in a published subject."""
        workshop = Workshop(Database(TOP).cache_folder, lambda: self._sandbox("fetch"), lambda doing: None)
        one = kind(subject.kind)
        one.hand_in(subject, pin, one.fetch(subject, pin, workshop), self.handed)

    def live(self, name: str, display: Display | None = None, kind: str = "package") -> Report:
        """Let the newcomer live it, with a display where one is promised; return its report."""
        evidence = self._folder / "evidence"
        evidence.mkdir()
        inside = self._sandbox("agent", display)
        inside.put(self.handed, SUBJECT_FOLDER)
        recorder = Recorder(evidence)
        session = RecordedSession(inside, recorder, budget_seconds=280, cancel=threading.Event())
        task = TASK if display is not None else ""
        implementation("newcomer").run(session, Mission(kind, name, task, "", SUBJECT_FOLDER, REPORT, 280))
        recorder.end()
        recorder.close()
        raw = inside.get(REPORT, max_bytes=1_000_000)
        assert raw is not None
        return Report.model_validate(yaml.safe_load(raw))

    def bears_out(self, report: Report, decoded: str) -> bool:
        """Return whether the record holds the command that verified, ending well, and its result holds `decoded`."""
        how = report.verified_how
        if not isinstance(how, VerifiedHow) or decoded not in how.result:
            return False
        rows = [row for row in read_commands(self._folder / "evidence" / COMMANDS_NAME) if row.command == how.command]
        return bool(rows) and rows[-1].exit_status == 0

    def end(self) -> None:
        """Destroy what was opened."""
        for each in self._opened:
            each.destroy()

    def _sandbox(self, name: str, display: Display | None = None) -> Sandbox:
        work = self._folder / f"{name}-{next(self._numbers)}"
        work.mkdir()
        reach = display.reach if display is not None else None
        spec = SandboxSpec(name=f"test-{token_hex(4)}-{work.name}", work=work, display=reach)
        self._opened.append(provider("bubblewrap").start(spec))
        return self._opened[-1]


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    one = Day(tmp_path)
    yield one
    one.end()


@pytest.mark.parametrize(
    ("reference", "errors", "decoded"),
    [
        ("package/cowsay", 0, "Hello World"),
        pytest.param("package/tinydb", 0, "documented results agree", marks=pytest.mark.endurance),
        ("package/datasette", 0, "wandering albatross"),
        pytest.param("package/nose", None, "Ran 2 tests", marks=pytest.mark.endurance),
        ("repository/bottle", 0, "Hello world"),
    ],
)
@pytest.mark.network
def test_the_newcomer_installs_launches_and_decodes_and_the_record_bears_it_out(
    reference: str, errors: int | None, decoded: str, day: Day
) -> None:
    database = Database(TOP)
    entry = database.cycle("quickstart").entry(reference)
    assert entry is not None
    day.fetch(database.subject(reference), entry.pin)
    report = day.live(reference)
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real"), report
    if errors is None:
        assert report.encountered >= 1 and report.fixed == report.encountered, report
    else:
        assert report.encountered == errors, report
    assert day.bears_out(report, decoded)


@pytest.mark.node
@pytest.mark.network
@pytest.mark.parametrize(
    ("name", "version", "sha256", "integrity", "decoded"),
    [
        (
            "cowsay",
            "1.6.0",
            "0210efeacf9344acf80b2f6a4037518a27217da52825f84e3de04b385322d389",
            "sha512-8C4H1jdrgNusTQr3Yu4SCm+ZKsAlDFbpa0KS0Z3im8ueag+9pGOf3CrioruvmeaW/A5oqg9L0ar6qeftAh03jw==",
            "FTW!",
        ),
    ],
)
def test_a_package_of_npm_is_installed_into_an_empty_project_and_decoded(
    name: str, version: str, sha256: str, integrity: str, decoded: str, day: Day
) -> None:
    subject = Subject(kind="package", slug=name, name=name, source=package.Source(ecosystem="npm", name=name))
    day.fetch(subject, package.Pin(version=version, file=f"{name}-{version}.tgz", sha256=sha256, integrity=integrity))
    report = day.live(name)
    assert (report.installed, report.launched, report.test_depth, report.encountered) == (True, True, "tier1_real", 0)
    assert day.bears_out(report, decoded)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the newcomer wait less long for what stays."""
    monkeypatch.setattr("argusic.runs.agents.newcomer.trials.command._MAY_STAY", 2)
    monkeypatch.setattr("argusic.runs.agents.newcomer.trials.window._COMES_UP", 2)


@pytest.mark.display
@pytest.mark.usefixtures("quick")
def test_a_window_on_the_promised_display_is_decoded(day: Day, tmp_path: Path) -> None:
    wheel(day.handed, "bird", "```console\n$ bird show 'the Window'\n```\n", WINDOW, command="bird")
    display = start_display(provider("bubblewrap"), f"test-{token_hex(4)}", tmp_path / "display")
    try:
        report = day.live("bird", display)
    finally:
        display.destroy()
    assert (report.launched, report.test_depth, report.encountered) == (True, "tier1_real", 0), report
    assert "stayed up on the display, and its window is called “Wingspan”" in report.final_state
    assert day.bears_out(report, "Drawn on:")
