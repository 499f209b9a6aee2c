"""Starts a documented server in the background, waits until it answers, and decodes a page of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from argusic.runs.agents.newcomer.arranging import Arranged, make_files
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.pages import decoding, fetch, finding, links, local_urls
from argusic.runs.agents.newcomer.trials.background import LOG, RUNS, STOP, start
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import CommandResult

#: Seconds that a server has to come up.
_COMES_UP = 90
#: Pages that are read at most.
_PAGES = 12
#: Starts that are tried at most.
_STARTS = 4
#: The port to ask for where the documented one is taken.
_OTHER_PORT = "8765"


@dataclass(frozen=True)
class ServerTrial:
    """A command that goes on running and answers on a port.

    Attributes:
        arranged: The command.
        installed: The project.
        folder: Where it runs.
        addresses: Ports and paths of this machine that the documentation names around it.
        given: Texts that go in and may come out again, besides those of the command.
        writes: Files to write first, by name.
        fresh: Whether its folder is to be made first.
    """

    arranged: Arranged
    installed: Installed
    folder: str
    addresses: tuple[tuple[int, str], ...] = ()
    given: tuple[str, ...] = ()
    writes: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False

    def run(self, bench: Bench) -> None:
        """Start it, read its pages, stop it."""
        if self.fresh:
            bench.look(f"mkdir -p {self.folder}")
        for name, text in self.writes.items():
            bench.look(f"cd {self.folder} && {write_file(name, text)}")
        if not make_files(bench, self.arranged, self.folder):
            return
        bench.values["port"] = _OTHER_PORT
        step: Step | None = Step(
            f"the documented server `{self.arranged.line}`",
            self.arranged.line,
            60,
            self.folder,
            self.installed.before,
        )
        met_before = len(bench.journal.errors)
        for _ in range(_STARTS):
            if step is None:
                return
            bench.look(start(step))
            port, log = self._wait(bench, step)
            if port:
                for met in bench.journal.errors[met_before:]:
                    met.fixed = met.fixed or bool(met.fix)
                self.read(bench, step, port)
                bench.look(STOP)
                return
            bench.look(STOP)
            step = bench.failed(step, log)

    def _wait(self, bench: Bench, step: Step) -> tuple[int | None, CommandResult]:
        """Wait until it answers; return the port that it answers on, or None, and what it wrote."""
        known = next((port for port, _ in self.addresses), None)
        asked = re.search(r"(?:-p|--port)[ =](\d+)", step.line)
        port = int(asked[1]) if asked else known
        log = bench.look(f"sleep 2; cat {LOG}")
        for _ in range(5 if port is None else 0):
            port = next((p for p, _ in local_urls(log.output)), None) or _named_port(log.output)
            if port or not bench.look(RUNS).ok:
                break
            log = bench.look(f"sleep 3; cat {LOG}")
        if port is None:
            return None, log
        asks = f"curl -s -o /dev/null -m 5 --noproxy '*' http://localhost:{port}/"
        came_up = bench.look(f"while {RUNS}; do {asks} && exit; sleep 0.5; done; exit 1", _COMES_UP)
        log = bench.look(f"{RUNS} && tail -n 30 {LOG}")
        if came_up.ok and log.ok:
            return port, log
        said = bench.look(f"tail -n 60 {LOG}")
        return None, said

    def read(self, bench: Bench, step: Step, port: int) -> None:
        """Read pages until one holds what went in; else decode the first page that can be decoded."""
        base = f"http://localhost:{port}"
        told = [path for _, path in self.addresses if path != "/"]
        words = [word for path in told for word in re.findall(r"[A-Za-z]{4,}", path)]
        given = [*self.arranged.given, *self.given, *reversed(words)]
        queue = [base + path for path in dict.fromkeys([*told, "/"])]
        answered: list[tuple[str, str]] = []
        held: list[tuple[int, str]] = []
        while queue and len(answered) < _PAGES and 0 not in [place for place, _ in held]:
            url = queue.pop(0)
            page = bench.look(fetch(url))
            if not page.ok:
                continue
            bench.journal.launch(f"`{step.line}` came up and answered on port {port}.")
            answered.append((url, page.output))
            held += [(given.index(text), url) for text in given if text in page.output][:1]
            read = {url for url, _ in answered}
            queue += [link for link in links(url, page.output) if link not in read and link not in queue]
        for place, url in sorted(held)[:1]:
            shows = f"{_path(url)} of its server holds “{given[place]}”, which went in."
            self._prove(bench, finding(url, given[place]), shows)
        for url, body in answered:
            command = decoding(url, body)
            if bench.journal.proof is None and command:
                self._prove(bench, command, f"{_path(url)} of its server was decoded")

    def _prove(self, bench: Bench, command: str, shows: str) -> None:
        proof = bench.look(command)
        if proof.ok:
            told = "" if shows.endswith(".") else f": {' '.join(proof.output.split())[:120]}"
            bench.journal.proof = Proof(proof, shows + told)


def _named_port(log: str) -> int | None:
    match = re.search(r"(?i)\b(?:port|listening on|:)\s*:?\s*(\d{4,5})\b", log)
    return int(match[1]) if match else None


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3]
