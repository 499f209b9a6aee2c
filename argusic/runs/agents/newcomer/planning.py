"""Decides which ways to launch a project are tried, and in which order: what the documentation tells, first."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from argusic.runs.agents.newcomer.arranging import Arranged, arrange, is_probe, plainly, program_of, uses
from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.blocks import Block
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
#: How documentation introduces what a command prints, and the languages of such a block.
_PRINTS = re.compile(r"(?i)\b(prints?|outputs?|produces?|results?|displays?|shows?|gives?|returns?|see)\b")
_OUTPUT = frozenset({"", "text", "console", "output", "json", "plaintext", "txt"})
_SERVER = re.compile(r"(?i)\b(?:web|https?|asgi|wsgi|static|file|api)[\w/-]* server\b")
_RUNS_SERVER = re.compile(r"\b(serve_forever|app\.run|uvicorn\.run|run_simple|run|serve|listen)\(")


def saved_files(project: Project) -> dict[str, str]:
    """Return the files that the documentation has its reader save, by name. The first of a name stays.

    Where it does not say so, but starts a program by its file's name, that is the program shown last before.
    """
    found: dict[str, str] = {}
    for block in project.blocks:
        name = saved_as(block)
        if name and name not in project.files:
            found.setdefault(name, block.text)
    program = ""
    for block in project.blocks:
        for command in commands(block):
            named = re.match(r"(?:python3?|node) ([\w-]+\.(?:py|js))\b", command.line)
            if named and program and named[1] not in project.files:
                found.setdefault(named[1], program)
        program = block.text if is_python(block) else program
    return found


def trials(project: Project, installed: Installed, bench: Bench) -> Iterator[Trial]:
    """Return the ways to launch the project, the most telling first. What was seen meanwhile decides what follows."""
    known, journal = bench.knowledge, bench.journal
    saved = saved_files(project)
    given = tuple(text for content in saved.values() for text in put_in(content))
    ready = _documented(project, installed, known.samples, frozenset((*project.files, *saved)))
    firm = [(c, a) for c, a in ready if not is_probe(c.line)]
    telling = [(c, a) for c, a in firm if a.given or c.shown or _serves(c, installed)]
    for command, arranged in _each_script_once(telling)[:_COMMANDS]:
        yield _command(command, arranged, installed, given, project.documentation)
    yield from _script_servers(project, installed)
    groups = example_groups(project.blocks, installed, known)
    if groups:
        yield ExampleTrial(groups, installed)
    if installed.tests:
        yield SuiteTrial(installed)
    for program in _by_nearness(installed.programs, project.metadata.name)[:_PROGRAMS]:
        yield HelpTrial(program, installed)
    if journal.launched:
        return
    for command, arranged in [pair for pair in ready if pair not in telling][:1]:
        yield _command(command, arranged, installed, (), project.documentation)
    nothing_else = not (ready or groups or installed.programs or installed.tests)
    for module in _by_nearness(installed.modules, project.metadata.name)[: int(nothing_else)]:
        yield ImportTrial(module, installed)


def _documented(
    project: Project, installed: Installed, samples: Samples, files: frozenset[str]
) -> list[tuple[DocumentedCommand, Arranged]]:
    """Return the documented commands that start the project and can be run here, in order, each once."""
    ending = samples.ending_for(installed.summary) or ("py" if installed.modules else "txt")
    found: dict[str, tuple[DocumentedCommand, Arranged]] = {}
    told = [replace(c, line=plainly(c.line)) for c in _with_what_follows(project.blocks)]
    for command in (c for c in told if uses(c.line, installed, files)):
        arranged = arrange(command.line, samples, ending)
        if arranged is not None:
            found.setdefault(arranged.line, (command, arranged))
    return list(found.values())


def _with_what_follows(told: tuple[Block, ...]) -> Iterator[DocumentedCommand]:
    """Return the commands of blocks; what the next block says that a command prints is what it shows."""
    for block, after in itertools.zip_longest(told, told[1:]):
        found = list(commands(block))
        if found and not found[-1].shown and after and after.language in _OUTPUT and _PRINTS.search(after.before):
            found[-1] = replace(found[-1], shown=after.text)
        yield from found


def _each_script_once(
    pairs: list[tuple[DocumentedCommand, Arranged]],
) -> list[tuple[DocumentedCommand, Arranged]]:
    """Return one command for each file that is handed to an interpreter: when one fails, so do the others."""
    seen: set[str] = set()
    kept = []
    for command, arranged in pairs:
        words = program_of(arranged.line)
        script = words[1] if len(words) > 1 and re.fullmatch(r"[\w./-]+\.(py|js|mjs)", words[1]) else arranged.line
        if script not in seen:
            kept.append((command, arranged))
        seen.add(script)
    return kept


def _serves(command: DocumentedCommand, installed: Installed) -> bool:
    """Return whether a command goes on running and answers on a port, by what the documentation says of it."""
    if is_probe(command.line):
        return False
    is_server = bool(_SERVER.search(installed.summary)) and program_of(command.line)[0] in installed.programs
    return is_server or bool(local_urls(command.shown)) or bool(_SERVES.search(command.line))


def _command(
    command: DocumentedCommand,
    ready: Arranged,
    installed: Installed,
    given: tuple[str, ...],
    documentation: tuple[str, ...],
) -> Trial:
    around = "\n".join((command.shown, command.block.text, command.block.after, command.block.before))
    if _serves(command, installed):
        near = local_urls(around)
        port = near[0][0] if near else None
        far = tuple(place for place in local_urls("\n".join(documentation)) if place[0] == port and place not in near)
        return ServerTrial(ready, installed, installed.folder, near + far, given)
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
