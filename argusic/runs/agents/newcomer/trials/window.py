"""Starts a program with windows on a virtual screen, and decodes the picture of that screen.

The decoder (`screen.py`) is carried into the sandbox, where the recording shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.trials.background import STOP, kept_up
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import CommandResult

#: Seconds that a window has to come up.
_COMES_UP = 8
#: Where the virtual screen is, and where it keeps its picture: the table of repairs starts it so.
_DISPLAY = ":99"
_PICTURE = "~/screen/Xvfb_screen0"
_NO_SCREEN = re.compile(r"\bQT_QPA_PLATFORM=offscreen\b")
_WINDOW = re.compile(r'^\s+0x[0-9a-f]+ "(?P<name>[^"\n]+)": \([^)]*\)\s+(?P<width>\d+)x(?P<height>\d+)', re.MULTILINE)
_COMPLAINS = re.compile(r"(?i)\b(error|exception|warning|failed|traceback)\b")


def is_without_screen(line: str) -> bool:
    """Return whether a command was told to draw on no screen at all."""
    return bool(_NO_SCREEN.search(line))


@dataclass(frozen=True)
class WindowTrial:
    """A program that opens a window and stays.

    Attributes:
        line: The command.
        installed: The project.
        met: The run of it that showed that it wants a display.
        what: What it is, for descriptions.
    """

    line: str
    installed: Installed
    met: CommandResult
    what: str

    def run(self, bench: Bench) -> None:
        """Start a screen, start the program on it, look at the picture, stop it."""
        carried = files("argusic.runs.agents.newcomer").joinpath("screen.py").read_text(encoding="utf-8")
        before = len(bench.journal.errors)
        place = self.installed
        step = bench.failed(Step(self.what, self.line, 60, place.folder, place.before), self.met)
        up = kept_up(bench, step, _COMES_UP, before)
        if up is None:
            return
        bench.look(write_file("screen.py", carried))
        self._look_at(bench, up)
        bench.look(STOP)

    def _look_at(self, bench: Bench, step: Step) -> None:
        if is_without_screen(step.line):
            bench.journal.launch(f"`{step.line}` stayed up, without any screen.")
            return
        listed = bench.look(f"DISPLAY={_DISPLAY} xwininfo -root -tree")
        windows = [found for found in _WINDOW.finditer(listed.output) if int(found["width"]) > 1]
        names = [found["name"] for found in windows]
        called = f", and its window is called “{names[0]}”" if names else ""
        bench.journal.launch(f"`{step.line}` stayed up on a virtual screen{called}.")
        if any(_COMPLAINS.search(name) for name in names):
            return
        picture = bench.look(f"python3 ~/screen.py {_PICTURE}")
        drawn = re.search(r"^Drawn on: (.*)\.$", picture.output, re.MULTILINE)
        if picture.ok and drawn:
            bench.journal.proof = Proof(picture, f"The picture of the screen was decoded: {drawn[1]}.")
