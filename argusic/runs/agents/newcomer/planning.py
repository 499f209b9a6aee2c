"""Decides which ways to launch a project are tried, and in which order: what the documentation tells, first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from argusic.runs.agents.newcomer.arranging import Arranged, arrange, is_probe, uses
from argusic.runs.agents.newcomer.documented import DocumentedCommand, commands, is_python, saved_as
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.examples import imports, put_in
from argusic.runs.agents.newcomer.knowledge import Samples
from argusic.runs.agents.newcomer.pages import local_urls
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.newcomer.trials import Trial
from argusic.runs.agents.newcomer.trials.command import CommandTrial
from argusic.runs.agents.newcomer.trials.example import ExampleTrial, example_groups
from argusic.runs.agents.newcomer.trials.probe import HelpTrial, ImportTrial
from argusic.runs.agents.newcomer.trials.server import ServerTrial
from argusic.runs.agents.newcomer.trials.suite import SuiteTrial

#: Documented commands that are tried at most, and programs that are asked for their help.
_COMMANDS = 4
_PROGRAMS = 2
_SERVES = re.compile(r"(?<![\w-])(serve|server|runserver|run-server)(?![\w-])|\bnpm (start|run (dev|start|serve))\b")
_RUNS_SERVER = re.compile(r"\b(serve_forever|app\.run|uvicorn\.run|run_simple|run|serve|listen)\(")


def saved_files(project: Project) -> dict[str, str]:
    """Return the files that the documentation says to save, by name. The first of a name stays."""
    found: dict[str, str] = {}
    for block in project.blocks:
        name = saved_as(block)
        if name and name not in project.files:
            found.setdefault(name, block.text)
    return found


def trials(project: Project, installed: Installed, samples: Samples) -> Iterator[Trial]:
    """Return the ways to launch the project, the most telling first."""
    saved = saved_files(project)
    given = tuple(text for content in saved.values() for text in put_in(content))
    files = frozenset((*project.files, *saved))
    ending = samples.ending_for(installed.summary) or ("py" if installed.modules else "txt")
    told = [c for block in project.blocks for c in commands(block) if uses(c.line, installed, files)]
    arranged = [(c, arrange(c.line, samples, ending)) for c in told]
    usable = [(c, a) for c, a in arranged if a is not None]
    firm = [(c, a) for c, a in usable if not is_probe(c.line)]
    for command, ready in firm[:_COMMANDS]:
        yield _command(command, ready, installed, given)
    yield from _script_servers(project, installed)
    groups = example_groups(project.blocks, installed, samples.elsewhere)
    if groups:
        yield ExampleTrial(groups, installed)
    if installed.tests:
        yield SuiteTrial(installed)
    for command, ready in [(c, a) for c, a in usable if is_probe(c.line)][:1]:
        yield _command(command, ready, installed, ())
    for program in _by_nearness(installed.programs, project.metadata.name)[:_PROGRAMS]:
        yield HelpTrial(program, installed)
    if not installed.programs:
        for module in _by_nearness(installed.modules, project.metadata.name)[:1]:
            yield ImportTrial(module, installed)


def _command(command: DocumentedCommand, ready: Arranged, installed: Installed, given: tuple[str, ...]) -> Trial:
    around = "\n".join((command.shown, command.block.text, command.block.after, command.block.before))
    if local_urls(command.shown) or (_SERVES.search(command.line) and not is_probe(command.line)):
        return ServerTrial(ready, installed, installed.folder, local_urls(around), given)
    return CommandTrial(ready, installed, command.shown)


def _script_servers(project: Project, installed: Installed) -> Iterator[Trial]:
    """Return the documented programs that start a server and whose address the documentation names."""
    for number, block in enumerate(project.blocks, 1):
        addresses = local_urls("\n".join((block.text, block.after, block.before)))
        if not is_python(block) or not imports(block.text) & set(installed.modules):
            continue
        if not _RUNS_SERVER.search(block.text) or not (addresses or "port=" in block.text):
            continue
        name = f"documented_{number}.py"
        ready = Arranged(f"python {name}", given=put_in(block.text))
        yield ServerTrial(ready, installed, installed.workspace, addresses, writes={name: block.text})


def _by_nearness(names: tuple[str, ...], name: str) -> list[str]:
    """Return names, those most like the project's first."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    alike = [re.sub(r"[^a-z0-9]", "", each.lower()) for each in names]
    return [each for _, each in sorted(zip(((a != plain, a[:4] != plain[:4], a) for a in alike), names, strict=True))]
