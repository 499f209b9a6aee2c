"""An image that is kept running: started as documented, waited for, asked what the description asks, and stopped."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

from argusic.runs.agents.newcomer.arranging import Arranged
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.containers.lines import Line
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.trials.background import LOG, STOP, start
from argusic.runs.agents.newcomer.trials.command import telling
from argusic.runs.agents.newcomer.trials.server import ServerTrial
from argusic.runs.session import CommandResult

#: Seconds that an image has to come up, and that one without an address has to stay up.
_COMES_UP, _STAYS = 90, 5
#: Starts that are tried at most.
_STARTS = 3


@dataclass(frozen=True)
class Kept:
    """A command line that keeps an image running.

    Attributes:
        line: The line.
        asks: The lines that the description has its reader type once it runs.
        given: Texts that went in and may come out again, the most telling first.
        installed: Where commands are typed.
    """

    line: Line
    asks: tuple[Line, ...]
    given: tuple[str, ...]
    installed: Installed

    @property
    def _detached(self) -> bool:
        return " -d" in self.line.line or " --detach" in self.line.line

    def run(self, bench: Bench) -> None:
        """Start it, ask it, stop it."""
        typed = self.line.line
        step: Step | None = Step(f"the documented command `{typed}`", typed, 300, self.installed.folder)
        met = len(bench.journal.errors)
        for _ in range(_STARTS):
            if step is None:
                return
            if self._detached:
                started = bench.do(step)
                if started is None:
                    return
                name = started.output.split()[-1] if started.output.split() else ""
            else:
                bench.look(start(step))
                name = self.line.name or ""
            came_up = self._comes_up(bench, name)
            if came_up.ok:
                for error in bench.journal.errors[met:]:
                    error.fixed = error.fixed or bool(error.fix)
                self._ask(bench, step, name)
                self._end(bench, name)
                return
            said = bench.look(self._log(name))
            self._end(bench, name)
            step = bench.failed(step, said._replace(exit_status=1))

    def _comes_up(self, bench: Bench, name: str) -> CommandResult:
        """Wait until it answers; where the description names no address, see whether it stays up."""
        runs = f"docker ps -q | grep -qxF -- {shlex.quote(name)}" if name else "docker ps -q | grep -q ."
        port = self.line.port
        if port is None:
            return bench.look(f"sleep {_STAYS}; {runs}")
        asks = f"curl -s -o /dev/null -m 5 --noproxy '*' http://localhost:{port}/"
        return bench.look(f"while {runs}; do {asks} && exit; sleep 0.3; done; exit 1", _COMES_UP)

    def _ask(self, bench: Bench, step: Step, name: str) -> None:
        """Type what the description has its reader type; else read the pages of a server."""
        port = self.line.port
        how = f"came up and answered on port {port}" if port else f"stayed up for {_STAYS} s"
        bench.journal.launch(f"`{step.line}` {how}.")
        same: list[tuple[str, str]] = []
        for ask in self.asks:
            what = f"the documented `{ask.line}`"
            result = bench.do(Step(what, ask.line, 60, self.installed.folder))
            if result is None:
                continue
            found = next((text for text in self.given if text in result.output), None)
            if found and self._prove(bench, ask.line, found, f"`{ask.line}` answered with “{found}”, which went in."):
                return
            shown = telling(ask.shown, result.output)
            same += [(ask.line, shown)] if shown else []
        if port:
            trial = ServerTrial(
                Arranged(step.line), self.installed, self.installed.folder, self._places(port), self.given
            )
            trial.read(bench, step, port)
        for line, shown in same[:1]:
            if bench.journal.proof is None:
                self._prove(bench, line, shown, f"`{line}` answered “{shown}”, as the description shows it.")

    def _places(self, port: int) -> tuple[tuple[int, str], ...]:
        """Return where it is read: what the description names of it, at the port that it is reached at here."""
        return tuple(dict.fromkeys((port, path) for at, path in self.line.addresses if at == port))

    def _prove(self, bench: Bench, line: str, text: str, shows: str) -> bool:
        command = f"set -o pipefail; {{ {line}; }} 2>&1 | grep -F -- {shlex.quote(text)}"
        result = bench.look(replace(Step("", command, 60), folder=self.installed.folder).command)
        if result.ok:
            bench.journal.proof = Proof(result, shows)
        return result.ok

    def _log(self, name: str) -> str:
        return f"docker logs {shlex.quote(name)} 2>&1 | tail -n 60" if self._detached else f"tail -n 60 {LOG}"

    def _end(self, bench: Bench, name: str) -> None:
        if not self._detached:
            bench.look(STOP)
        if name:
            bench.look(f"docker rm -f {shlex.quote(name)}")
