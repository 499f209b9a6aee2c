"""Reaches a server with the official client: starts it over its pipes, or in the background and at its address."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.mcp.answers import Shown, shown
from argusic.runs.agents.newcomer.mcp.starting import Launch
from argusic.runs.agents.newcomer.pages import local_urls
from argusic.runs.agents.newcomer.trials.background import LOG, RUNS, STOP, kept_up
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import CommandResult

CLIENT = "~/client/bin/python"
PROBE, CALLS = "probe.py", "calls.json"
#: Ways to start it that are tried at most, and seconds that asking for its tools and calling them may take.
_TRIES, _ASKING, _CALLING = 3, 90, 280
#: Seconds that a server has to answer when it is connected to: of a large budget, and of a small one the part.
_ANSWERS, _PART = 45, 12
#: Seconds that a server has to fail, and then to listen.
_FAILS, _LISTENS = 4, 60
#: Prints the ports that something listens on inside, by the kernel's own table.
_PORTS = """\
python3 -c '
for table in ("/proc/net/tcp", "/proc/net/tcp6"):
    for row in open(table).read().splitlines()[1:]:
        if row.split()[3] == "0A":
            print(int(row.split()[1].rpartition(":")[2], 16))
' 2> /dev/null | sort -un"""
#: Where each transport is usually found, and how many places are tried.
_PATHS = 4
_USUAL = {"sse": ("/sse", "/"), "streamable-http": ("/mcp", "/mcp/", "/")}


@dataclass(frozen=True)
class Reached:
    """A server that was reached.

    Attributes:
        shown: What it showed.
        options: What tells the probe to reach it again.
        line: How it was started.
    """

    shown: Shown
    options: tuple[str, str]
    line: str


def install_client(bench: Bench, wanted: str) -> bool:
    """Install the client into an environment of its own, and write the probe; return whether that worked."""
    install = f"python3 -m venv ~/client && {CLIENT} -m pip install -q {shlex.quote(wanted)}"
    if bench.do(Step("installing the client", install, 900)) is None:
        return False
    bench.look(f"{CLIENT} -m pip list --format=freeze")
    text = files(__package__).joinpath(PROBE).read_text(encoding="utf-8")
    return bench.look(write_file(PROBE, text)).ok


def reach(bench: Bench, launches: tuple[Launch, ...], installed: Installed, known: tuple[str, ...]) -> Reached | None:
    """Start the server in the ways that are documented until one of them shows its tools; None where none does.

    Args:
        bench: Where.
        launches: The ways.
        installed: What was installed.
        known: The texts of the documentation, which may name addresses.
    """
    met_before = len(bench.journal.errors)
    for launch in launches[:_TRIES]:
        way = _over_pipes if launch.transport == "stdio" else _at_address
        reached = way(bench, launch, installed, known)
        if reached is not None:
            for met in bench.journal.errors[met_before:]:
                if not met.fixed:
                    met.fixed, met.fix = True, f"started it as `{launch.line}`, which is documented as well"
            return reached
    return None


def call(bench: Bench, reached: Reached, installed: Installed) -> CommandResult | None:
    """Make the calls that were written down; return what came of them, also where that ended badly."""
    step = Step("calling its tools", _probe(CALLS, reached.options), _CALLING, installed.folder, installed.before)
    return bench.do(step) or bench.last


def leave_it(bench: Bench, launches: tuple[Launch, ...]) -> None:
    """Stop what was started in the background."""
    if any(launch.transport != "stdio" for launch in launches):
        bench.look(STOP)


def _over_pipes(bench: Bench, launch: Launch, installed: Installed, known: tuple[str, ...]) -> Reached | None:
    env = "".join(f" --env {shlex.quote(f'{name}={value}')}" for name, value in launch.env.items())
    options = (f"{_patience(bench)}{env}", launch.line)
    step = Step("starting it and asking for its tools", "", _ASKING, installed.folder, installed.before)
    return _asked(bench, step, options, launch.line)


def _at_address(bench: Bench, launch: Launch, installed: Installed, known: tuple[str, ...]) -> Reached | None:
    before = set(bench.look(_PORTS).output.split())
    started = Step("starting the server", launch.assignments + launch.line, 60, installed.folder, installed.before)
    if kept_up(bench, started, _FAILS, len(bench.journal.errors)) is None:
        return None
    port = next(_new(bench, before), None)
    if port is None:
        bench.do(Step("waiting for it to listen", f"tail -n 40 {LOG}; echo 'it listens on no port'; false", 30))
        bench.look(STOP)
        return None
    log = bench.look(f"tail -n 40 {LOG}")
    told = [path for at, path in local_urls("\n".join((log.output, *known))) if at == port and path != "/"]
    options = ("", "")
    for path in list(dict.fromkeys([*told, *_USUAL[launch.transport]]))[:_PATHS]:
        url = shlex.quote(f"http://127.0.0.1:{port}{path}")
        options = (f"{_patience(bench)} --transport {launch.transport} --url {url}", "")
        found = shown(bench.look(_probe("tools", options), _ASKING).output)
        if found is not None:
            return Reached(found, options, launch.line)
    reached = _asked(bench, Step(f"connecting to it on port {port}", "", _ASKING), options, launch.line)
    if reached is None:
        bench.look(STOP)
    return reached


def _new(bench: Bench, before: set[str]) -> Iterator[int]:
    """Yield the ports that are listened on and were not before, until the server is gone or it takes too long."""
    for _ in range(_LISTENS // 3):
        found = [port for port in bench.look(_PORTS).output.split() if port.isdigit() and port not in before]
        if found:
            yield from map(int, found)
            return
        if not bench.look(f"sleep 3; {RUNS}").ok:
            return


def _asked(bench: Bench, step: Step, options: tuple[str, str], line: str) -> Reached | None:
    """Ask for the tools, repairing what can be repaired."""
    asking = Step(step.what, _probe("tools", options), step.seconds, step.folder, step.before, _shows)
    result = bench.do(asking)
    found = shown(result.output) if result else None
    return Reached(found, options, line) if found else None


def _patience(bench: Bench) -> str:
    return f" --seconds {max(2, min(_ANSWERS, int(bench.limit(_ANSWERS * _PART) / _PART)))}"


def _shows(result: CommandResult) -> bool:
    return result.ok and shown(result.output) is not None


def _probe(what: str, options: tuple[str, str]) -> str:
    target = what if what == "tools" else f"~/{what}"
    return f"{CLIENT} ~/{PROBE}{options[0]} {target} {options[1]}".rstrip()
