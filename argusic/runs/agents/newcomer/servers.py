"""Finds the servers of a project in its documentation: commands that serve, and programs that listen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from argusic.runs.agents.newcomer.arranging import Arranged, is_probe, program_of
from argusic.runs.agents.newcomer.documented import DocumentedCommand, is_python
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.examples import imports, put_in
from argusic.runs.agents.newcomer.javascript import Program
from argusic.runs.agents.newcomer.knowledge import Samples
from argusic.runs.agents.newcomer.pages import local_urls
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.newcomer.trials.server import ServerTrial

_SERVES = re.compile(r"(?<![\w-])(serve|server|runserver|run-server)(?![\w-])|\bnpm (start|run (dev|start|serve))\b")
_SERVER = re.compile(r"(?i)\b(?:web|https?|asgi|wsgi|static|file|api)[\w/-]* server\b")
_SERVES_FILES = re.compile(r"(?i)\b(?:static|file|https?)[\w/-]* server\b")
_NAMED = re.compile(r"^(?:npx (?:-\S+ )*)?[\w@/-]*-(?:server|serve|httpd)\b")
_RUNS_SERVER = re.compile(r"\b(serve_forever|app\.run|uvicorn\.run|run_simple|run|serve|listen)\(")


def serves(command: DocumentedCommand, installed: Installed) -> bool:
    """Return whether a command goes on running and answers on a port, by what the documentation says of it."""
    if is_probe(command.line):
        return False
    if _starts(command.line, installed) and (_SERVER.search(installed.summary) or _NAMED.search(command.line)):
        return True
    return bool(local_urls(command.shown)) or bool(_SERVES.search(command.line))


def command_server(
    command: DocumentedCommand,
    ready: Arranged,
    installed: Installed,
    given: tuple[str, ...],
    documentation: tuple[str, ...],
    samples: Samples,
) -> ServerTrial:
    """Return the trial of a documented command that serves."""
    around = "\n".join((command.shown, command.block.text, command.block.after, command.block.before))
    near = local_urls(around)
    port = near[0][0] if near else None
    far = tuple(place for place in local_urls("\n".join(documentation)) if place[0] == port and place not in near)
    if not (ready.makes or given) and _SERVES_FILES.search(installed.summary):
        # A server of files is given one to serve, in a folder that holds nothing else.
        ready = Arranged(ready.line, ("sample.html",), samples.samples["html"].holds)
        return ServerTrial(ready, installed, f"{installed.workspace}/served", near, fresh=True)
    return ServerTrial(ready, installed, installed.folder, near + far, given)


def script_servers(project: Project, installed: Installed) -> Iterator[ServerTrial]:
    """Return the documented Python programs that start a server and whose address the documentation names."""
    for number, block in enumerate(project.blocks, 1):
        addresses = local_urls("\n".join((block.text, block.after, block.before)))
        if not is_python(block) or not imports(block.text) & set(installed.modules):
            continue
        if not _RUNS_SERVER.search(block.text) or not (addresses or "port=" in block.text):
            continue
        name = f"documented_{number}.py"
        ready = Arranged(f"python {name}", given=put_in(block.text))
        yield ServerTrial(ready, installed, installed.workspace, addresses, writes={name: block.text})


def program_servers(pasted: tuple[Program, ...], installed: Installed) -> Iterator[ServerTrial]:
    """Return the documented JavaScript programs that listen."""
    for number, program in enumerate((one for one in pasted if one.listens), 1):
        name = f"documented-{number}.mjs"
        ready = Arranged(f"node {name}", given=program.given)
        where = _listened(program.source)
        yield ServerTrial(ready, installed, installed.workspace, where, writes={name: program.source})


def _starts(line: str, installed: Installed) -> bool:
    words = program_of(line)
    return bool(words) and (words[0] in installed.programs or words[0] == "npx")


def _listened(source: str) -> tuple[tuple[int, str], ...]:
    """Return where a program says that it listens."""
    match = re.search(r"\.listen\(\s*(\d{2,5})|\bport\s*[=:]\s*(\d{4,5})", source)
    return ((int(match[1] or match[2]), "/"),) if match else local_urls(source)
