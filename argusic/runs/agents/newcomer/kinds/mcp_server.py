"""The newcomer's way with an MCP server: installed, started as documented, its tools called, its answers judged."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Ecosystem, Installed
from argusic.runs.agents.newcomer.ecosystems.node import NodeTrade
from argusic.runs.agents.newcomer.ecosystems.python import PythonTrade
from argusic.runs.agents.newcomer.failures import Recognised
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.looking import look_around
from argusic.runs.agents.newcomer.mcp.answers import Answer, Judged, Shown, answers, clean, named
from argusic.runs.agents.newcomer.mcp.calls import calls
from argusic.runs.agents.newcomer.mcp.configured import entries, loosely, objects
from argusic.runs.agents.newcomer.mcp.reaching import CALLS, Reached, call, install_client, leave_it, reach
from argusic.runs.agents.newcomer.mcp.starting import Places, launches
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import Mission

_TRADES: tuple[Ecosystem, ...] = (PythonTrade(), NodeTrade())
#: The client where the task names none.
_CLIENT = "mcp>=2,<3"
#: Errors of calls that are noted, at most.
_NOTED = 3
_NEEDS_REPOSITORY = re.compile(r"(?i)\brepo_path\b|--repository\b|\bgit repositor")
#: Paths that only the document's author has.
_ELSEWHERE = re.compile(r'"(~|\.{0,2}/|[A-Za-z]:\\)')
_PEOPLE = "git config user.name Newcomer && git config user.email newcomer@example.com"
_BIRD = "echo 'The wandering albatross has a wingspan of 351 cm.'"


def work(bench: Bench, mission: Mission) -> None:
    """Do the mission, and note what was seen."""
    bench.session.note("reading")
    project = look_around(bench, mission.subject_folder)
    bench.session.note("installing")
    installed = _install(bench, project)
    if installed is None:
        return
    bench.journal.installed = installed.shows
    client = re.search(r"\bmcp==[\w.]+", mission.task)
    if not install_client(bench, client[0].rstrip(".") if client else _CLIENT):
        return
    use(bench, mission.task, project, installed)


def use(bench: Bench, task: str, project: Project, installed: Installed) -> None:
    """Start what was installed, connect to it, call its tools, and judge the answers."""
    bench.session.note("launching")
    home = bench.look("echo ~").output.strip()
    places = Places(f"{home}/playground", f"{home}/playground/repository")
    _make(bench, places, project)
    ways = launches(entries(project.blocks), installed, places, _transport(task))
    reached = reach(bench, ways, installed, project.documentation)
    _list(bench, installed)
    if reached is not None:
        shown = reached.shown
        bench.journal.launch(
            f"`{clean(reached.line, 200)}` came up as {shown.server}, spoke version {shown.protocol} of the protocol "
            f"and showed {_counted(shown)}."
        )
        bench.session.note("verifying")
        _verify(bench, reached, installed, _documented(project), places)
    leave_it(bench, ways)


def _install(bench: Bench, project: Project) -> Installed | None:
    trade = next((one for one in _TRADES if one.recognises(project)), None)
    if trade is None:
        bench.do(Step("finding out how it is installed", f"ls {project.folder}/pyproject.toml", 10))
        return None
    return trade.install(bench, project)


def _transport(task: str) -> str:
    named = re.search(r"\((sse|streamable-http)\)", task)
    return named[1] if named else "stdio"


def _make(bench: Bench, places: Places, project: Project) -> None:
    """Make what the server's arguments may name: a folder with a file, and a repository where one is spoken of."""
    bench.look(f"mkdir -p {places.folder} && {_BIRD} > {places.folder}/albatross.txt")
    if any(_NEEDS_REPOSITORY.search(text) for text in project.documentation):
        bench.look(
            f"git init -q {places.repository} && cd {places.repository} && {_PEOPLE} && {_BIRD} > birds.txt && "
            "git add . && git commit -q -m 'The first bird' && echo 'Another bird is the little tern.' > notes.txt"
        )


def _list(bench: Bench, installed: Installed) -> None:
    """Print what was installed beside the server: names and versions decide what comes of it."""
    if installed.packages:
        bench.look(f"cd {installed.folder} && npm ls --all --no-progress --loglevel=error")
    else:
        bench.look("~/venv/bin/python -m pip list --format=freeze")


def _documented(project: Project) -> dict[str, Mapping[str, Any]]:
    """Return the arguments that the documentation calls tools with, by tool. The first of a tool stays."""
    found: dict[str, Mapping[str, Any]] = {}
    for block in project.blocks:
        for one in objects(loosely(block.text)):
            name, arguments = one.get("name"), one.get("arguments")
            if isinstance(name, str) and isinstance(arguments, dict) and not _ELSEWHERE.search(json.dumps(arguments)):
                found.setdefault(name, arguments)
    return found


def _verify(
    bench: Bench, reached: Reached, installed: Installed, documented: Mapping[str, Mapping[str, Any]], places: Places
) -> None:
    """Call the tools, note what went wrong, and take the answers for proof where they are one."""
    tools = tuple(tool for tool in reached.shown.tools if not tool.task)
    if not tools:
        bench.journal.stopped = "It showed no tool that this client can call."
        return
    made = calls(tools, documented, {"folder": places.folder, "repository": places.repository})
    listed = json.dumps([{"tool": one.tool, "arguments": one.arguments} for one in made], indent=1)
    bench.look(write_file(CALLS, listed))
    result = call(bench, reached, installed)
    came = answers(result.output) if result else ()
    judged = Judged(came, _uncalled(reached.shown, len(made) - len(came)))
    _note(bench, came)
    if result is not None and result.ok and judged.verified:
        bench.journal.proof = Proof(result, judged.sentence)
    else:
        bench.journal.stopped = judged.sentence


def _note(bench: Bench, came: tuple[Answer, ...]) -> None:
    """Note the errors that calls met. That a tool refuses what was made up for it is none."""
    says = {
        "silent": "it did not answer in time",
        "gone": "the server went away",
        "contradicts": "it answers otherwise than it declares",
    }
    wrong = [one for one in came if one.end in says]
    for one in [one for one in wrong if one.end != "gone"][:_NOTED] + [one for one in wrong if one.end == "gone"][:1]:
        failure = Recognised("unknown", says[one.end], clean(one.says, 200))
        bench.journal.meet(f"calling its tool {named(one.tool)}", failure)


def _uncalled(shown: Shown, silent: int) -> tuple[str, ...]:
    tasks = [tool for tool in shown.tools if tool.task]
    said = []
    if tasks:
        which = ", ".join(named(tool.name) for tool in tasks[:4])
        said.append(f"Not called: {which}, which can only be called as a task, and the client offers no tasks.")
    if silent:
        said.append(f"{silent} more were not called, since the others took too long.")
    if shown.left_out:
        said.append(f"{shown.left_out} more that it advertises were not called.")
    return tuple(said)


def _counted(shown: Shown) -> str:
    count = len(shown.tools) + shown.left_out
    return "one tool" if count == 1 else f"{count} tools"
