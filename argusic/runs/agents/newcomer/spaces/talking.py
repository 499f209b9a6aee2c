"""Carries the interaction of a Space through, by its client or a browser, and judges what came out.

The programs that do so (`ask.py`, `browse.py`) are carried into the sandbox, where the recording shows them.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.failures import Recognised, public
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.pages import decoding
from argusic.runs.agents.newcomer.spaces.serving import PAGE
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import CommandResult

#: Seconds that a program may talk to the Space.
_TALKS = 480
_BROWSER = "~/browser/bin/python"
_PACKAGE = "argusic.runs.agents.newcomer.spaces"


@dataclass(frozen=True)
class Line:
    """A line of one of the programs: its word, and what it says."""

    word: str
    says: Any


def lines(output: str) -> tuple[Line, ...]:
    """Return the lines of the programs in what they printed."""
    found = []
    for word, text in re.findall(r"(?m)^([a-z]+): (.+?)\r?$", output):
        try:
            found.append(Line(word, json.loads(text)))
        except (ValueError, RecursionError):
            continue
    return tuple(found)


def judged(output: str, where: str) -> str | None:
    """Return what shows that an interaction was carried through, in a sentence; None where nothing does.

    Args:
        output: What one of the programs printed.
        where: What the values were put into, as the sentence says it.
    """
    for line in lines(output):
        if line.word != "tried" or not isinstance(line.says, dict):
            continue
        said = line.says
        found = [one for one in said.get("found again") or () if isinstance(one, str)]
        named = public(str(said.get("name") or said.get("label") or said.get("control") or ""), 80)
        if found:
            values = " and ".join(f"“{public(one, 60)}”" for one in found[:3])
            return f"Put into {where} ({named}), {values} came out again in the answer, and not for other values."
        if said.get("follows") is True:
            first, other = (public(str(said.get(key)), 80) for key in ("came out", "then came out"))
            return (
                f"What {where} ({named}) answers depends on what is put in: “{first}” for one value, “{other}” for "
                "another, and the first again for the first."
            )
    return None


def talk(bench: Bench, address: str, *, client: bool) -> None:
    """Carry an interaction through, by Gradio's client where that can, and otherwise in a browser."""
    if client:
        _by(bench, "ask.py", "source ~/venv/bin/activate && python", address, "its interface for clients")
        if bench.journal.proof is not None:
            return
    if "<" not in bench.look(f"head -c 300 {PAGE}").output:
        _decode(bench, address)
        return
    if not _browser(bench):
        return
    _by(bench, "browse.py", _BROWSER, address, "its page")


def _by(bench: Bench, program: str, python: str, address: str, where: str) -> CommandResult:
    carried = files(_PACKAGE).joinpath(program).read_text(encoding="utf-8")
    bench.look(write_file(program, carried))
    result = bench.look(f"{python} ~/{program} {shlex.quote(address)}", _TALKS)
    shows = judged(result.output, where) if result.ok else None
    if shows is not None:
        bench.journal.proof = Proof(result, shows)
        return result
    refused = [line.says for line in lines(result.output) if line.word == "refused" and isinstance(line.says, dict)]
    tried = [line for line in lines(result.output) if line.word == "tried"]
    if not result.ok:
        last = next((line for line in reversed(result.output.splitlines()) if line.strip()), "")
        bench.journal.meet(f"putting values into {where}", Recognised("unknown", "it failed", public(last)))
    elif refused and not tried:
        why = public(str(refused[0].get("why")))
        bench.journal.meet(f"putting values into {where}", Recognised("unknown", "it refused", why))
    return result


def _browser(bench: Bench) -> bool:
    """Install what drives the system's own browser, into an environment apart from the Space's."""
    for step in (
        Step("finding a browser", "command -v chromium || command -v google-chrome", 10),
        Step("making an environment for the browser's driver", "python3 -m venv ~/browser", 300),
        Step(
            "installing the browser's driver",
            f"{_BROWSER} -m pip install -q --disable-pip-version-check --progress-bar off playwright",
            600,
        ),
    ):
        if not bench.look(step.command, step.seconds).ok:
            bench.journal.stopped = "There was no browser to carry its interaction through with."
            return False
    return True


def _decode(bench: Bench, address: str) -> None:
    """Decode what answers, where that is no page for a browser."""
    body = bench.look(f"head -c 100000 {PAGE}")
    command = decoding(address, body.output)
    result = bench.look(command) if command else None
    if result is not None and result.ok:
        bench.journal.proof = Proof(result, f"What it answers was decoded: {public(result.output, 120)}.")
