"""Launches a Space in the background and waits, within bounds, until its interface answers as an interface does."""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import replace

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.pages import local_urls
from argusic.runs.agents.newcomer.spaces.building import Built
from argusic.runs.agents.newcomer.trials.background import LOG, RUNS, STOP, start
from argusic.runs.session import CommandResult

#: Seconds that a Space has to come up, and after how many of them its log is read for another port.
COMES_UP, LOOKS = 240, 20
#: Launches that are tried at most.
_STARTS = 6
#: Where the page that it shows first is kept.
PAGE = "~/page.html"


def serve(bench: Bench, built: Built) -> str | None:
    """Launch a Space until its interface is reached, repaired after each failure; return the interface's address.

    It is left running. None where its interface is never reached; then nothing of it is left running.
    """
    launching = f"launching it with `{built.line}`"
    step: Step | None = Step(launching, built.line, 60, built.folder, built.before)
    met_before = len(bench.journal.errors)
    for _ in range(_STARTS):
        if step is None:
            return None
        bench.look(start(step))
        port = _wait(bench, built.port)
        log = bench.look(f"tail -n 40 {LOG}")
        if port is not None:
            address = f"http://127.0.0.1:{port}/{built.path}"
            bench.journal.launch(f"`{step.line}` came up and answered on port {port}.")
            if _shows(bench, address):
                for met in bench.journal.errors[met_before:]:
                    met.fixed = met.fixed or bool(met.fix)
                return address
            log = bench.look(f"tail -n 40 {LOG}")
        bench.look(STOP)
        what = "reaching its interface" if port is not None else launching
        step = bench.failed(replace(step, what=what), log)
    return None


def _wait(bench: Bench, port: int) -> int | None:
    """Return the port that it answers on: the one that it was given, or one that it says that it took."""
    until = time.monotonic() + COMES_UP
    while time.monotonic() < until:
        asks = f"curl -s -o /dev/null -m 5 --noproxy '*' http://127.0.0.1:{port}/"
        came = bench.look(f"for try in $(seq {LOOKS}); do {RUNS} || exit 1; {asks} && exit; sleep 1; done; exit 2", 90)
        if came.ok:
            return port
        if came.exit_status == 1 or not bench.look(RUNS).ok:
            return None
        said = bench.look(f"tail -n 20 {LOG}")
        port = next((one for one, _ in local_urls(_plain(said))), port)
    return None


def _shows(bench: Bench, address: str) -> bool:
    """Return whether its page is given out as one: with a status that says so, and something in it."""
    asks = f"curl -s -m 60 --noproxy '*' -L -o {PAGE} -w '%{{http_code}} %{{content_type}}\\n' {shlex.quote(address)}"
    page = bench.look(f"{asks} && test -s {PAGE}", 90)
    return page.ok and re.search(r"(?m)^2\d\d ", page.output) is not None


def _plain(log: CommandResult) -> str:
    return log.output.replace("0.0.0.0", "127.0.0.1")
