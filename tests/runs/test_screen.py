"""Desktop applications: the agent gets a display and nothing more of it; what is to be seen is filmed, and sealed."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from PIL import Image

from argusic.database.database import Database
from argusic.database.faults import FAULT_VARIABLE
from argusic.database.paths import subject_path
from argusic.errors import EnvironmentLack
from argusic.evidence.commands import read_commands
from argusic.evidence.keys import KeyFolder
from argusic.evidence.layout import MANIFEST_NAME, VIDEO_NAME
from argusic.evidence.reel.video import read_video
from argusic.evidence.sealing.keys import identities, private_keys
from argusic.evidence.sealing.sealing import unseal
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify_run
from argusic.records.manifest import Manifest
from argusic.records.run import Run
from argusic.rules.rubric import score
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.order import order
from argusic.runs.recover import recover
from argusic.runs.session import Mission, Session
from argusic.runs.watching import Cancellation
from argusic.sandbox.display import display
from argusic.sandbox.registry import provider
from tests.program import variables_of, words_of
from tests.quiet import Quiet
from tests.runs.scripted import Act, Scripted

pytestmark = [pytest.mark.sandbox, pytest.mark.display, pytest.mark.ffmpeg]

Make = Callable[..., Database]

FFMPEG = "Ffmpeg is not installed, which films the display. Install it with: sudo apt-get install -y ffmpeg."

WINDOW = """python3 -c "
import tkinter
top = tkinter.Tk()
top.geometry('400x300+100+50')
tkinter.Frame(top, bg='#00ff00', width=400, height=300).pack()
top.after(1500, top.destroy)
top.mainloop()
"
"""
#: Takes memory from whoever serves it: pictures of 64 MB, filled.
GREEDY = """python3 -c "
import os, socket, struct
host, number = os.environ['DISPLAY'].split(':')
s = socket.create_connection((host, 6000 + int(number)))
s.sendall(struct.pack('<cxHHHHxx', b'l', 11, 0, 0, 0))
head = s.recv(8, socket.MSG_WAITALL)
body = s.recv(4 * struct.unpack('<H', head[6:])[0], socket.MSG_WAITALL)
base, vendor, formats = struct.unpack('<I', body[4:8])[0], struct.unpack('<H', body[16:18])[0], body[21]
root = struct.unpack_from('<I', body, 32 + (vendor + 3) // 4 * 4 + 8 * formats)[0]
for number in range(1, 40):
    picture, gc = base + 2 * number, base + 2 * number + 1
    s.sendall(struct.pack('<BBHIIHH', 53, 24, 4, picture, root, 4096, 4096))
    s.sendall(struct.pack('<BBHIIII', 55, 0, 5, gc, picture, 4, 0xffffff))
    s.sendall(struct.pack('<BBHIIhhHH', 70, 0, 5, picture, gc, 0, 0, 4096, 4096))
s.recv(1)
"; sleep 20
"""

#: Makes a key mean that the server is to end, and presses it.
ENDING = """cat > map << 'END'
xkb_keymap {
  xkb_keycodes { minimum = 8; maximum = 255; <AE01> = 10; };
  xkb_types { include "complete" };
  xkb_compat { include "complete" };
  xkb_symbols { key <AE01> { [ 1 ], actions = [ Terminate() ] }; };
};
END
xkbcomp -w0 map $DISPLAY && python3 -c "
import os, socket, struct
host, number = os.environ['DISPLAY'].split(':')
s = socket.create_connection((host, 6000 + int(number)))
s.sendall(struct.pack('<cxHHHHxx', b'l', 11, 0, 0, 0))
s.recv(4 * struct.unpack('<H', s.recv(8, socket.MSG_WAITALL)[6:])[0], socket.MSG_WAITALL)
s.sendall(struct.pack('<BxHHxx8s', 98, 4, 5, b'XTEST'))
code = s.recv(32, socket.MSG_WAITALL)[9]
s.sendall(struct.pack('<BBHBBxxIIxxxxxxxxhhxxxxxxxx', code, 2, 9, 2, 10, 0, 0, 0, 0))
s.recv(1)
"; sleep 20
"""


@dataclasses.dataclass(frozen=True)
class Bench:
    """A database with a desktop application, and everything to make an attempt on it."""

    database: Database

    def attempt(self, act: Act) -> Run:
        made = dataclasses.replace(
            order(self.database, self.database.cycle("small"), "repository/greeter", "newcomer"), budget_seconds=60
        )
        quiet, cancellation = Quiet(), Cancellation()
        sandboxes = provider("bubblewrap")
        return attempt(Equipment(self.database, sandboxes, quiet, cancellation, lambda *_: Scripted(act)), made)

    def outcome(self, run: Run) -> str:
        return score(run, self.database.edition("v1.5")[0]).outcome

    def manifest(self, run: Run) -> Manifest:
        """Return the manifest of the one run, having verified everything and that nothing is left."""
        (stored,) = self.database.runs()
        assert stored.run == run
        assert verify_run(self.database.root / stored.folder, FolderStore(self.database.store_folder)) == []
        assert [path for path in self.database.work.iterdir() if path.is_dir()] == []
        assert processes(run.run) == []
        return self.database.read(stored.folder / MANIFEST_NAME, Manifest)

    def open(self, manifest: Manifest, folder: Path) -> Path:
        (entry,) = [sealed for sealed in manifest.sealed or () if sealed.role == "video"]
        keys = identities(private_keys(KeyFolder.of_user(), "small")[0])
        return unseal(entry, FolderStore(self.database.store_folder), keys, folder)


def processes(word: str) -> list[psutil.Process]:
    """Return the processes of this machine with a word in their command line."""
    return [one for one in psutil.process_iter(["cmdline"]) if any(word in part for part in one.info["cmdline"] or ())]


@pytest.fixture
def bench(small_database: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    database = small_database()
    subject = database.subject("repository/greeter").model_copy(update={"desktop": True})
    database.write(subject_path(subject.kind, subject.slug), subject, replace=True)
    return Bench(database)


def test_a_desktop_application_is_filmed_from_outside_and_the_film_is_sealed(bench: Bench, tmp_path: Path) -> None:
    said: dict[str, str] = {}

    def act(session: Session, mission: Mission) -> None:
        said["task"] = mission.task
        said["display"] = session.run("echo $DISPLAY").output
        said["window"] = session.run(WINDOW).output
        looks = "ls -a /tmp; ls ~; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; pkill -9 Xvfb; kill -9 -1 2>&1"
        said["looked"] = session.run(looks).output
        said["reached"] = session.run("python3 -c 'import tkinter; tkinter.Tk()' && echo still there").output

    run = bench.attempt(act)
    assert (run.ending.how, bench.outcome(run), said["window"]) == ("completed", "fail", "")
    assert "DISPLAY=127.0.0.1:10" in said["task"] and said["display"] == "127.0.0.1:10\n"
    assert "Xvfb" not in said["looked"].replace("pkill -9 Xvfb", "") and ".X11" not in said["looked"]
    assert said["reached"] == "still there\n"

    manifest = bench.manifest(run)
    assert manifest.sandbox is not None and manifest.sandbox.display is not None
    assert manifest.sandbox.display.server.startswith("Xvfb ")
    facts = manifest.video
    assert facts is not None and facts.complete and facts.began < 5 and facts.pictures == 2 * facts.seconds
    assert abs(facts.began + facts.seconds - manifest.coverage.recorded_seconds) < 2.5
    assert [sealed.name for sealed in manifest.sealed or ()] == [VIDEO_NAME]
    assert VIDEO_NAME not in {file.name for file in manifest.files}

    pictures = list(read_video(bench.open(manifest, tmp_path / "opened"), 1280, 800))
    assert len(pictures) == facts.pictures
    shown = [number / 2 + facts.began for number, picture in enumerate(pictures) if green(picture)]
    rows = bench.database.root / next(iter(bench.database.runs())).folder
    began, ended = window_times(rows, FolderStore(bench.database.store_folder), manifest)
    assert shown and began <= shown[0] <= began + 2 and ended - 1 <= shown[-1] <= ended + 1


def green(picture: Image.Image) -> bool:
    dot = picture.getpixel((300, 200))
    assert isinstance(dot, tuple)
    return dot[0] < 60 and dot[1] > 200 and dot[2] < 60


def window_times(folder: Path, store: FolderStore, manifest: Manifest) -> tuple[float, float]:
    """Return when the command that shows the window began and ended, by the command table."""
    (table,) = [file for file in manifest.files if file.role == "commands"]
    (row,) = [row for row in read_commands(store.path(table.sha256)) if "tkinter.Frame" in row.command]
    assert row.ended is not None
    return row.started, row.ended


def test_nothing_else_gets_a_display(small_database: Make) -> None:
    said: dict[str, str] = {}

    def act(session: Session, mission: Mission) -> None:
        said["task"] = mission.task
        said["display"] = session.run("echo [$DISPLAY]").output

    bench = Bench(small_database())
    run = bench.attempt(act)
    assert said["display"] == "[]\n" and "display" not in said["task"].lower()
    manifest = bench.manifest(run)
    assert manifest.video is None and manifest.sandbox is not None and manifest.sandbox.display is None


def killing(program: str) -> Act:
    """Return an agent under which a program of ours, and only ours, is killed from outside."""

    def act(session: Session, mission: Mission) -> None:
        session.run("sleep 0.5")
        mine = psutil.Process()
        (pid,) = [one.pid for one in mine.children(recursive=True) if one.name() == program]
        os.kill(pid, signal.SIGKILL)
        session.run("sleep 10" if program == "Xvfb" else "sleep 0.7")

    return act


@pytest.mark.parametrize(
    ("program", "how", "detail"),
    [
        ("Xvfb", "harness_error", "The display's server ended with status 137."),
        ("ffmpeg", "recording_incomplete", "the video of the display is not complete; the encoder ended"),
    ],
)
def test_a_display_or_a_film_that_breaks_is_our_own_fault(bench: Bench, program: str, how: str, detail: str) -> None:
    begun = time.monotonic()
    run = bench.attempt(killing(program))
    assert (run.ending.how, bench.outcome(run)) == (how, "invalid") and time.monotonic() - begun < 9
    assert detail in (run.ending.detail or "")
    manifest = bench.manifest(run)
    assert manifest.video is not None and manifest.video.complete is (program == "Xvfb")


def test_what_fills_the_display_is_the_doing_of_whoever_draws(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "LIMITS", dataclasses.replace(display.LIMITS, memory_mb=300))
    run = bench.attempt(lambda session, mission: session.run(GREEDY) and None)
    assert (run.ending.how, bench.outcome(run)) == ("memory_limit", "fail")
    assert run.ending.detail == "The display used more memory than its limit."
    assert bench.manifest(run).video is not None


def test_who_makes_the_display_end_gets_no_further_attempt_for_it(bench: Bench) -> None:
    run = bench.attempt(lambda session, mission: session.run(ENDING) and None)
    assert (run.ending.how, bench.outcome(run)) == ("sandbox_destroyed", "fail")
    assert run.ending.detail == "The display's server was made to end by what draws on it."
    assert bench.manifest(run).video is not None


@pytest.mark.parametrize(
    ("absent", "sentence"),
    [
        (
            "ffmpeg",
            "Ffmpeg is not installed, which films the display. Install it with: sudo apt-get install -y ffmpeg.",
        ),
        ("Xvfb", "There is no virtual display: install the system's package `xvfb`."),
    ],
)
def test_where_there_can_be_no_display_or_film_nothing_is_begun(
    bench: Bench, absent: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if absent == "ffmpeg":
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        monkeypatch.setattr("argusic.sandbox.bubblewrap.provider._PROGRAMS", (tmp_path,))
    with pytest.raises(EnvironmentLack) as lack:
        bench.attempt(lambda session, mission: None)
    assert lack.value.what == f"repository/greeter is a desktop application and needs a display. {sentence}"
    assert not bench.database.work.exists() and list(bench.database.runs()) == []


@pytest.mark.endurance
def test_killed_in_the_middle_the_film_is_kept_sealed_and_nothing_runs_on(bench: Bench, tmp_path: Path) -> None:
    given = {FAULT_VARIABLE: "agent-done", "ARGUSIC_KEYS": os.environ["ARGUSIC_KEYS"]}
    words = words_of(bench.database, "attempt", "small", "repository/greeter", "nop")
    done = subprocess.run(words, env=variables_of(bench.database, **given), capture_output=True, timeout=100)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (run,) = recover(bench.database, {"bubblewrap": provider("bubblewrap")})
    assert (run.ending.how, bench.outcome(run)) == ("interrupted", "invalid")
    manifest = bench.manifest(run)
    assert manifest.video is None
    assert next(read_video(bench.open(manifest, tmp_path / "opened"), 1280, 800)).size == (1280, 800)
