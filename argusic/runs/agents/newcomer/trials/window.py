"""Starts a program with windows on the display that the task promises, and decodes the picture of that display.

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

#: Seconds that a window has to come up.
_COMES_UP = 8
_NO_SCREEN = re.compile(r"\bQT_QPA_PLATFORM=offscreen\b")
_WINDOW = re.compile(r"^Window: \d+ by \d+ dots(?:: (?P<name>.+))?$", re.MULTILINE)
_DRAWN = re.compile(r"^Drawn on: (.*)\.$", re.MULTILINE)
_COMPLAINS = re.compile(r"(?i)\b(error|exception|warning|failed|traceback)\b")
_LOOK = "python3 ~/screen.py"


def is_without_screen(line: str) -> bool:
    """Return whether a command was told to draw on no screen at all."""
    return bool(_NO_SCREEN.search(line))


@dataclass(frozen=True)
class WindowTrial:
    """A program that opens a window and stays.

    Attributes:
        line: The command.
        installed: The project.
        what: What it is, for descriptions.
    """

    line: str
    installed: Installed
    what: str

    def run(self, bench: Bench) -> bool:
        """Start the program, look at the picture of the display, stop it; return whether it is one with a window.

        One that does not stay up is none.
        """
        before = len(bench.journal.errors)
        place = self.installed
        up = kept_up(bench, Step(self.what, self.line, 60, place.folder, place.before), _COMES_UP, before)
        if up is None:
            return False
        shown = self._look_at(bench, up)
        bench.look(STOP)
        return shown

    def _look_at(self, bench: Bench, step: Step) -> bool:
        if is_without_screen(step.line):
            bench.journal.launch(f"`{step.line}` stayed up, without any screen.")
            return True
        carried = files("argusic.runs.agents.newcomer").joinpath("screen.py").read_text(encoding="utf-8")
        bench.look(write_file("screen.py", carried))
        seen = bench.look(_LOOK)
        windows = [found["name"] or "" for found in _WINDOW.finditer(seen.output)]
        if not windows:
            return False
        names = [name for name in windows if name]
        called = f", and its window is called “{names[0]}”" if names else ""
        bench.journal.launch(f"`{step.line}` stayed up on the display{called}.")
        drawn = _DRAWN.search(seen.output)
        if seen.ok and drawn and not any(_COMPLAINS.search(name) for name in names):
            bench.journal.proof = Proof(seen, f"The picture of the display was decoded: {drawn[1]}.")
        return True
