"""Processes that go on running while they are looked at: how one is started, read and stopped."""

from __future__ import annotations

import re
from dataclasses import replace

from argusic.runs.agents.newcomer.bench import Step

#: Where what runs in the background writes, and where its process id is kept.
LOG, PID = "~/server.log", "~/server.pid"
#: Says whether it still runs.
RUNS = f"kill -0 $(cat {PID})"
#: Ends it and what it started.
STOP = f"kill -- -$(cat {PID}) 2> /dev/null; true"


def start(step: Step) -> str:
    """Return the command that starts a step in the background, in a process group of its own."""
    assignments = re.match(r"(?:[A-Za-z_]\w*=\S*\s+)*", step.line)
    front = assignments[0] if assignments else ""
    line = f"{front}exec setsid {step.line[len(front) :]} >> {LOG} 2>&1 < /dev/null"
    # Appending lets the log be emptied while it is written to.
    return f": > {LOG}; ( {replace(step, line=line).command} ) & echo $! > {PID}; sleep 1"
