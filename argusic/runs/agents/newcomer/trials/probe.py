"""The weakest launches: a command that prints its help, a module that can be imported. They verify nothing.

What a program's help says can lead further: to a file that it wants, or, where the project is there to run tests,
to a run without arguments. Any other program may wait for somebody to type when it is started bare.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass

from argusic.runs.agents.newcomer.arranging import Arranged, arrange
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.trials.command import CommandTrial

_WANTS_FILE = re.compile(
    r"(?<![-\w=])[\[<{]?(?:paths?|files?|filenames?|inputs?|input_?files?|sources?|src|infile|entry[- ]?points?)\b"
    r"(?:\s*\.\.\.)?[\]>}]?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class HelpTrial:
    """A program that no documented command starts."""

    program: str
    installed: Installed

    def run(self, bench: Bench) -> None:
        """Ask it for its help, and try what the help says."""
        line = f"{self.program} --help"
        place = self.installed
        step = Step(f"`{line}`", line, 40, place.folder, place.before, leaves=("timeout",))
        result = bench.do(step)
        if result is None:
            # What goes on when it is asked for its help waits for something to read.
            filtered = self._as_filter(bench) if bench.left else None
            if filtered:
                CommandTrial(filtered, place, what="the command, given something to read,").run(bench)
            return
        bench.journal.launch(f"`{line}` printed its help.")
        arranged = self._further(bench, result.output)
        if arranged:
            CommandTrial(arranged, self.installed, what="the command that its help describes,").run(bench)

    def _as_filter(self, bench: Bench) -> Arranged | None:
        samples = bench.knowledge.samples
        ending = samples.ending_for(f"{self.program} {self.installed.summary}") or "txt"
        return arrange(f"{self.program} < sample.{ending}", samples, ending)

    def _further(self, bench: Bench, said: str) -> Arranged | None:
        usage = re.search(r"(?is)^usage:?\s*(.*?)(\n\s*\n|$)", said, re.MULTILINE)
        if usage is None:
            return None
        samples = bench.knowledge.samples
        words = re.sub(r"(?s)\[-[^\]]*\]|\[options?\]", " ", usage[1], flags=re.IGNORECASE)
        if _WANTS_FILE.search(words):
            summed_up = f"{self.program} {self.installed.summary}"
            ending = samples.ending_for(summed_up) or samples.ending_for(said[:600]) or "txt"
            return arrange(f"{self.program} sample.{ending}", samples, ending)
        if not re.search(r"(?i)\btest(s|ing)?\b", self.installed.summary):
            return None
        leftover = re.sub(rf"\b{re.escape(self.program)}\b|[\s\[\].]", "", words.replace("python", ""))
        return arrange(self.program, samples, "txt") if not leftover else None


@dataclass(frozen=True)
class ImportTrial:
    """A module, where nothing else could be tried."""

    module: str
    installed: Installed

    def run(self, bench: Bench) -> None:
        """Import it, and ask where it came from."""
        code = f"import {self.module}; print({self.module}.__name__, 'imported')"
        line = f"python -c {shlex.quote(code)}"
        if self.module in self.installed.packages:
            code = (
                f"import({json.dumps(self.module)}).then(it => console.log(Object.keys(it).length, 'names imported'))"
            )
            line = f"node -e {shlex.quote(code)}"
        step = Step(f"importing {self.module}", line, 120, self.installed.workspace, self.installed.before)
        if bench.do(step):
            bench.journal.launch(f"The module {self.module} could be imported.")
