"""Runs the project's own tests, and reads what their runner counted."""

from __future__ import annotations

from dataclasses import dataclass, replace

from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.counting import counted, found_none
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.journal import Proof


@dataclass(frozen=True)
class SuiteTrial:
    """The test suite."""

    installed: Installed

    def run(self, bench: Bench) -> None:
        """Install what the tests need, run them, and believe the runner's own count."""
        *needs, tests = self.installed.tests
        if any(bench.do(step) is None for step in needs):
            return
        runners = bench.knowledge.runners
        # A runner that finds no test says nothing of the project.
        result = bench.do(
            replace(tests, fine=lambda seen: seen.ok or (not seen.cut and found_none(seen.output, runners)))
        )
        seen = result or bench.last
        count = counted(seen.output, runners) if seen and not seen.cut else None
        if count is None or not count.passed:
            return
        # Tests of its own that fail are a project that launched, and that nothing verified.
        bench.journal.launch(f"Its tests ran: “{count.summary}”.")
        if result and not count.failed:
            bench.journal.proof = Proof(result, f"{count.passed} of its tests passed and none failed.")
