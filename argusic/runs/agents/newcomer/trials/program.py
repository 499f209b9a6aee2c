"""Runs the JavaScript programs of the documentation as a reader pastes them, and compares what they return."""

from __future__ import annotations

import re
from dataclasses import dataclass

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.javascript import Program
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.reporting import write_file

#: Programs that a reader tries before giving up on seeing a result.
_PROGRAMS = 5
_COUNTED = re.compile(r"^(?P<agree>\d+) of (?P<shown>\d+) documented results agree\.\s*\Z", re.MULTILINE)
#: What a fragment ends with: it names things that only its reader has.
_FRAGMENT = re.compile(r"ReferenceError: \w+ is not defined|ERR_MODULE_NOT_FOUND|Cannot find (module|package) '\.")


@dataclass(frozen=True)
class ProgramTrial:
    """The documentation's JavaScript programs, one after the other.

    Attributes:
        programs: They.
        installed: The project.
    """

    programs: tuple[Program, ...]
    installed: Installed

    def run(self, bench: Bench) -> None:
        """Run them until one comes out as documented."""
        for number, program in enumerate(self.programs[:_PROGRAMS], 1):
            if bench.journal.proof:
                return
            self._run(bench, f"example-{number}.mjs", program)

    def _run(self, bench: Bench, file: str, program: Program) -> None:
        bench.look(f"cd {self.installed.workspace} && {write_file(file, program.source)}")
        line = f"node {file}"
        step = Step(f"the documented program, {file}", line, 120, self.installed.workspace, self.installed.before)
        tried = bench.look(step.command, step.seconds)
        if _FRAGMENT.search(tried.output):
            return
        result = tried if tried.ok else bench.do(step)
        if result is None:
            return
        bench.journal.launch("The documented program ran to its end.")
        counted = _COUNTED.search(result.output)
        agree, shown = (int(counted["agree"]), int(counted["shown"])) if counted else (0, 0)
        said = [f"{agree} of {shown} results that the documentation shows came out the same"] if agree else []
        printed = re.sub(r"(?m)^> .*$", "", result.output)
        came = next((text for text in program.given if text in printed), None)
        if came:
            said.append(f"“{came}” went in and came out again")
        if said:
            bench.journal.proof = Proof(result, f"In it, {', and '.join(said)}.")
