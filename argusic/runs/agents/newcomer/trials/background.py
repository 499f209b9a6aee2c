"""Processes that go on running while they are looked at: how one is started, read and stopped."""

from __future__ import annotations

import re
from dataclasses import replace

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.failures import recognise

#: Where what runs in the background writes, and where its process id is kept.
LOG, PID = "~/server.log", "~/server.pid"
#: Says whether it still runs.
RUNS = f"kill -0 $(cat {PID})"
#: Ends it and what it started.
STOP = f"kill -- -$(cat {PID}) 2> /dev/null; true"
#: Seconds that one has to die whose log shows a known trouble.
_DIES = 15
#: Starts that are tried at most.
_STARTS = 5


def kept_up(bench: Bench, step: Step | None, seconds: int, since: int) -> Step | None:
    """Start a step in the background until it stays up, repaired after each failure; return it as it then ran.

    It is left running, and what was repaired counts as fixed. None where it never stays up.

    Args:
        bench: Where.
        step: What to start.
        seconds: How long it has to fail.
        since: The number of errors met before all this.
    """
    for _ in range(_STARTS):
        if step is None:
            return None
        bench.look(start(step))
        stays = bench.look(f"sleep {seconds}; {RUNS}")
        log = bench.look(f"tail -n 60 {LOG}")
        if stays.ok and recognise(log._replace(exit_status=1), bench.knowledge.repairs).kind != "unknown":
            # What it wrote is the trouble that others die of: on a busy machine that takes a while.
            stays = bench.look(f"for try in $(seq {_DIES}); do {RUNS} || exit 1; sleep 1; done")
            log = bench.look(f"tail -n 60 {LOG}")
        if stays.ok:
            for met in bench.journal.errors[since:]:
                met.fixed = met.fixed or bool(met.fix)
            return step
        bench.look(STOP)
        step = bench.failed(step, log)
    return None


def start(step: Step) -> str:
    """Return the command that starts a step in the background, in a process group of its own."""
    assignments = re.match(r"(?:[A-Za-z_]\w*=\S*\s+)*", step.line)
    front = assignments[0] if assignments else ""
    line = f"{front}exec setsid {step.line[len(front) :]} >> {LOG} 2>&1 < /dev/null"
    # Appending lets the log be emptied while it is written to.
    return f": > {LOG}; ( {replace(step, line=line).command} ) & echo $! > {PID}; sleep 1"
