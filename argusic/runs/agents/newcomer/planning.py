"""Decides which ways to launch a project are tried, and in which order: what the documentation tells, first."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from argusic.runs.agents.newcomer.arranging import (
    Arranged,
    arrange,
    is_probe,
    plainly,
    program_of,
    uses,
    without_options,
)
from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.blocks import Block
from argusic.runs.agents.newcomer.documented import DocumentedCommand, commands
from argusic.runs.agents.newcomer.documents import saved_files
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.examples import put_in
from argusic.runs.agents.newcomer.javascript import programs
from argusic.runs.agents.newcomer.knowledge import Knowledge, Samples
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.newcomer.servers import command_server, program_servers, script_servers, serves
from argusic.runs.agents.newcomer.trials import Trial
from argusic.runs.agents.newcomer.trials.command import CommandTrial
from argusic.runs.agents.newcomer.trials.example import ExampleTrial, Groups, example_groups
from argusic.runs.agents.newcomer.trials.probe import HelpTrial, ImportTrial
from argusic.runs.agents.newcomer.trials.program import ProgramTrial
from argusic.runs.agents.newcomer.trials.suite import SuiteTrial
from argusic.runs.agents.newcomer.trials.worker import WorkerTrial

#: Documented commands that are tried at most, and programs that are asked for their help.
_COMMANDS = 4
_PROGRAMS = 2
#: Commands of one program that begin with the same word, at most: others tell more than a third.
_ALIKE = 2
#: What says that a program opens windows: then every documented command is worth a look.
_WINDOWS = re.compile(r"(?i)\b(games?|gui|desktop|graphical|tk|tkinter|qt|pyqt\d?|gtk|turtle|labell?ing tool)\b")
#: How documentation introduces what a command prints, and the languages of such a block.
_PRINTS = re.compile(r"(?i)\b(prints?|outputs?|produces?|results?|displays?|shows?|gives?|returns?|see)\b")
_OUTPUT = frozenset({"", "text", "console", "output", "json", "plaintext", "txt"})


def trials(project: Project, installed: Installed, bench: Bench) -> Iterator[Trial]:
    """Return the ways to launch the project, the most telling first. What was seen meanwhile decides what follows."""
    known, journal = bench.knowledge, bench.journal
    saved = saved_files(project, frozenset(installed.modules), known.samples.names)
    local = frozenset(name.removesuffix(".py") for name in saved if name.endswith(".py"))
    groups = example_groups(project.blocks, installed, known, local)
    given = tuple(text for content in saved.values() for text in put_in(content))
    # What was handed in as a file is used where it was installed, not where it was unpacked to be read.
    here = frozenset(saved) if project.handed else frozenset((*project.files, *saved))
    ready = _documented(project, installed, known.samples, here)
    firm = [(c, a) for c, a in ready if not is_probe(c.line)]
    windows = bool(_WINDOWS.search(installed.summary))
    telling = [
        (c, a)
        for c, a in firm
        if windows or a.given or c.shown or serves(c, installed) or _goes_on(c.line, known.samples)
    ]
    for command, arranged in _in_order(_varied(_each_script_once(telling)), known.samples)[:_COMMANDS]:
        yield _command(command, arranged, installed, given, project, known, groups)
    yield from script_servers(project, installed)
    if groups:
        yield ExampleTrial(groups, installed, bool(local))
    pasted = programs(project.blocks, installed.packages)
    yield from program_servers(pasted, installed)
    ends = tuple(one for one in pasted if not one.listens)
    if ends:
        yield ProgramTrial(ends, installed)
    if installed.tests:
        yield SuiteTrial(installed)
    stay = {program_of(a.line)[0] for c, a in telling if serves(c, installed) or _goes_on(c.line, known.samples)}
    for program in _by_nearness(installed.programs, project.metadata.name)[:_PROGRAMS]:
        # What was seen to stay tells nothing more when it is asked for its help, and may stay again.
        if not (journal.launched and program in stay):
            yield HelpTrial(program, installed)
    if journal.launched:
        return
    for command, arranged in [pair for pair in ready if pair not in telling][:1]:
        yield _command(command, arranged, installed, (), project, known, groups)
    nothing_else = not (ready or groups or installed.programs or installed.tests)
    for module in _by_nearness(installed.modules or installed.packages, project.metadata.name)[: int(nothing_else)]:
        yield ImportTrial(module, installed)


def _documented(
    project: Project, installed: Installed, samples: Samples, files: frozenset[str]
) -> list[tuple[DocumentedCommand, Arranged]]:
    """Return the documented commands that start the project and can be run here, in order, each once."""
    ending = samples.ending_for(installed.summary) or ("py" if installed.modules else "txt")
    found: dict[str, tuple[DocumentedCommand, Arranged]] = {}
    told = [replace(c, line=plainly(c.line)) for c in _with_what_follows(project.blocks)]
    for command in (c for c in told if uses(c.line, installed, files)):
        line = without_options(command.line) if serves(command, installed) else command.line
        arranged = arrange(line, samples, ending)
        if arranged is not None:
            first = found.get(arranged.line, (command, arranged))[0]
            # Shown more than once, it may print any of what is shown.
            shown = "\n\n".join(dict.fromkeys(filter(None, (first.shown, command.shown))))
            found[arranged.line] = (replace(first, shown=shown), arranged)
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


def _varied(pairs: list[tuple[DocumentedCommand, Arranged]]) -> list[tuple[DocumentedCommand, Arranged]]:
    """Return commands without those that only say once more, in other arguments, what a subcommand was told before."""
    seen: dict[tuple[str, ...], int] = {}
    kept = []
    for command, arranged in pairs:
        words = tuple(program_of(arranged.line)[:2])
        # A first word that is no plain word is an argument, and no subcommand.
        plain = len(words) == 2 and re.fullmatch(r"[a-z][a-z-]+", words[1]) is not None
        seen[words] = seen.get(words, 0) + 1
        if not plain or seen[words] <= _ALIKE:
            kept.append((command, arranged))
    return kept


def _command(
    command: DocumentedCommand,
    ready: Arranged,
    installed: Installed,
    given: tuple[str, ...],
    project: Project,
    known: Knowledge,
    groups: Groups,
) -> Trial:
    """Return the trial of a documented command: one that serves, one that works on and on, or one that ends."""
    if serves(command, installed):
        return command_server(command, ready, installed, given, project.documentation, known.samples)
    if _goes_on(command.line, known.samples):
        return WorkerTrial(ready, installed, groups)
    return CommandTrial(ready, installed, command.shown)


def _goes_on(line: str, samples: Samples) -> bool:
    return not is_probe(line) and any(re.search(expression, line) for expression in samples.goes_on)


def _in_order(
    pairs: list[tuple[DocumentedCommand, Arranged]], samples: Samples
) -> list[tuple[DocumentedCommand, Arranged]]:
    """Return commands in the order to try: as documented, but of those that go on the plainest first.

    One that goes on and wants a file which the documentation does not have its reader write is left alone.
    """
    going = [(c, a) for c, a in pairs if _goes_on(c.line, samples)]
    ending = [pair for pair in pairs if pair not in going]
    plainest = sorted(going, key=lambda pair: sum(not word.startswith("-") for word in pair[1].line.split()))
    return [*ending, *(pair for pair in plainest if not pair[1].makes)]


def _by_nearness(names: tuple[str, ...], name: str) -> list[str]:
    """Return names, those most like the project's first."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    alike = [re.sub(r"[^a-z0-9]", "", each.lower()) for each in names]
    return [each for _, each in sorted(zip(((a != plain, a[:4] != plain[:4], a) for a in alike), names, strict=True))]
