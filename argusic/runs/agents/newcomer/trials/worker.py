"""Starts a documented worker in the background, follows the example that gives it work, and reads what it did."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from doctest import Example

from argusic.runs.agents.newcomer import examples
from argusic.runs.agents.newcomer.arranging import Arranged
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.failures import recognise
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.trials.background import LOG, RUNS, STOP, kept_up
from argusic.runs.agents.newcomer.trials.example import Groups
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import CommandResult

#: Seconds that a worker has to fail, and to do what it has begun.
_COMES_UP = 5
_WORKS = 4
_ELSEWHERE = re.compile(r"https?://(?!localhost|127\.0\.0\.1)[\w.-]+[^'\"\s]*")
#: The page of this machine that an example asks for where the one that it names cannot be reached.
_HERE = "http://127.0.0.1:8766/page.html"
_SERVE_HERE = (
    "mkdir -p ~/pages && echo '<p>The wandering albatross has a wingspan of 351 cm.</p>' > ~/pages/page.html && "
    "(setsid python3 -m http.server 8766 --bind 127.0.0.1 -d ~/pages > ~/pages.log 2>&1 < /dev/null & sleep 1)"
)


@dataclass(frozen=True)
class WorkerTrial:
    """A command that goes on running, takes work from somewhere, and answers on no port.

    Attributes:
        arranged: The command.
        installed: The project.
        groups: The statements of the documentation's example, block by block.
    """

    arranged: Arranged
    installed: Installed
    groups: Groups

    def run(self, bench: Bench) -> None:
        """Start it, give it work, read its log, stop it."""
        line, place = self.arranged.line, self.installed
        step = Step(f"the documented command `{line}`", line, 60, place.folder, place.before)
        running = kept_up(bench, step, _COMES_UP, len(bench.journal.errors))
        if running is None:
            return
        bench.journal.launch(f"`{line}` came up and went on running.")
        self._give_work(bench, running)
        bench.look(STOP)

    def _give_work(self, bench: Bench, running: Step) -> None:
        """Follow the example block by block until the worker's log holds what the example handed over."""
        for number in range(1, len(self.groups) + 1):
            told = [example for group in self.groups[:number] for example in group]
            handed = examples.handed_over("\n".join(example.source for example in told))
            if not handed:
                continue
            log = self._follow(bench, told, number, handed)
            if log is not None and not bench.look(RUNS).ok:
                # It ended when nobody looked any more, of something that the example may have had mended since.
                again = kept_up(bench, running, _COMES_UP, len(bench.journal.errors))
                log = self._follow(bench, told, number, handed) if again is not None else None
            if log is None:
                return
            if recognise(_as_failed(log), bench.knowledge.repairs).kind == "network":
                told = self._from_here(bench, told)
                log = self._follow(bench, told, number, handed)
            found = next((text for text in handed if log and text in log.output), None)
            if log and found and "Traceback" not in log.output:
                proof = bench.look(f"! grep -a Traceback {LOG} && grep -aF -- {shlex.quote(found)} {LOG}")
                if proof.ok:
                    shows = f"Its log holds “{found}”, which the documented example gave it to do, and no failure."
                    bench.journal.proof = Proof(proof, shows)
            return

    def _follow(self, bench: Bench, told: list[Example], number: int, handed: tuple[str, ...]) -> CommandResult | None:
        """Run the example beside the worker; return what the worker then wrote, or None where the example failed."""
        bench.look(f": > {LOG}")
        source = "".join(example.source for example in told)
        file = f"work_{number}.py"
        bench.look(f"cd {self.installed.workspace} && {write_file(file, source)}")
        what = "the documented example beside it"
        step = Step(what, f"python {file}", 120, self.installed.workspace, self.installed.before)
        if bench.do(step) is None:
            return None
        appears = f"grep -aqF -- {shlex.quote(handed[0])} {LOG}"
        return bench.look(f"for try in $(seq 30); do {appears} && break; sleep 0.5; done; sleep {_WORKS}; cat {LOG}")

    def _from_here(self, bench: Bench, told: list[Example]) -> list[Example]:
        """Note that an address of the example cannot be reached, and have it ask for a page of this machine."""
        log = bench.look(f"tail -n 20 {LOG}")
        failure = recognise(_as_failed(log), bench.knowledge.repairs)
        met = bench.journal.meet("the documented example beside it", failure)
        met.fix = "asked for a page of this machine instead of the one that the example names"
        met.fixed = bench.look(_SERVE_HERE).ok
        return [_with_source(one, _ELSEWHERE.sub(_HERE, one.source)) for one in told]


def _as_failed(result: CommandResult) -> CommandResult:
    """Return a look at a log as the failed command that the log is of."""
    return result._replace(exit_status=1)


def _with_source(example: Example, source: str) -> Example:
    """Return a statement with another source."""
    return Example(source, example.want, example.exc_msg, options=example.options)
