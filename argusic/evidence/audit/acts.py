"""What a command line does: each program that runs in it, and whether that decodes, probes, installs or runs.

A pipe is as good as what it reads: what searches the output of a probe is a probe. What stands in a here-document,
in quotes or behind `echo` is no command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from argusic.evidence.audit.inline import only_probes
from argusic.evidence.audit.shell.parser import Unreadable, parse
from argusic.evidence.audit.shell.tree import Compound, Pipeline, Script, Simple, Word
from argusic.evidence.audit.shell.unwrap import unwrapped
from argusic.evidence.audit.tables import Tables, named

#: `decodes` and `probes` as the tables say; `runs` is a program that they do not list, most often the project's own;
#: `says` prints what it was told; `quiet` prepares.
Role = Literal["decodes", "probes", "installs", "runs", "says", "quiet"]

_ASKS = ("--version", "--help", "-version", "--usage")
_ASKS_ALONE = ("-V", "-h", "version", "help", "-v", "-?")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")
_TO_A_FILE = re.compile(r"(^| )(-[a-zA-Z]*o|--output|-O|--remote-name)( |=|$)")
_TO_THE_SCREEN = re.compile(r"(^| )(-[a-zA-Z]*O|--output-document|-o|--output)[ =]?-( |$)")


@dataclass(frozen=True)
class Act:
    """One program that runs.

    Attributes:
        simple: It, without what wraps it.
        role: What it does.
        detail: The medium that it decodes, or what it only sees.
        silent: Whether it prints to nowhere or to a file.
    """

    simple: Simple
    role: Role
    detail: str = ""
    silent: bool = False


@dataclass
class _Known:
    """What earlier commands of the line defined."""

    variables: dict[str, Act] = field(default_factory=dict)
    functions: dict[str, Script] = field(default_factory=dict)


def acts(script: Script, tables: Tables) -> tuple[tuple[Act, ...], ...]:
    """Return what each pipeline of a script does: the programs of every pipe that runs, in order.

    Raises:
        Unreadable: A script inside cannot be read.
    """
    return tuple(_Reader(tables).script(script, _Known(), 0))


def act_of(stages: tuple[Act, ...], tables: Tables) -> Act:
    """Return the act that decides what a pipe does."""
    loud = [act for act in stages if act.role != "quiet"]
    if not loud:
        return stages[-1]
    source, *later = loud
    for act in later:
        if act.role == "probes":
            return act
    if source.role in ("probes", "says"):
        return source
    checks = (act for act in later if act.role == "decodes" and act.simple.program not in tables.accepting)
    if source.role == "decodes":
        return source
    return next(checks, source)


class _Reader:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def script(self, script: Script, known: _Known, depth: int) -> Iterator[tuple[Act, ...]]:
        if depth > 20:
            raise Unreadable("the command line is nested too deeply")
        for item in script.items:
            yield from self._pipeline(item.pipeline, known, depth)

    def _pipeline(self, pipeline: Pipeline, known: _Known, depth: int) -> Iterator[tuple[Act, ...]]:
        stages: list[Act] = []
        for part in pipeline.parts:
            inner = unwrapped(part, self._tables) if isinstance(part, Simple) else part
            if isinstance(inner, Simple):
                if inner.program in known.functions and not stages:
                    yield from self.script(known.functions[inner.program], known, depth + 1)
                    continue
                act, below = self._simple(inner, known, depth)
                yield from below
                if isinstance(part, Simple) and part.program in ("xargs", "parallel") and act.role == "decodes":
                    # It is given names, and reads what they name.
                    stages.clear()
                stages.append(act)
                continue
            if isinstance(inner, Compound) and inner.kind == "function":
                known.functions[inner.name] = inner.bodies[0]
                continue
            scripts = (inner,) if isinstance(inner, Script) else (*inner.conditions, *inner.bodies)
            found = [pipe for below in scripts for pipe in self.script(below, known, depth + 1)]
            if len(pipeline.parts) == 1:
                yield from found
                continue
            deciding = [act_of(pipe, self._tables) for pipe in found if pipe]
            best = next((act for act in deciding if act.role == "decodes"), deciding[-1] if deciding else None)
            if best is not None:
                if best.role == "decodes" and not _reads_input(best):
                    stages.clear()
                stages.append(best)
        if stages:
            yield tuple(stages)

    def _simple(self, simple: Simple, known: _Known, depth: int) -> tuple[Act, list[tuple[Act, ...]]]:
        """Return what a program does, and what its substitutions run."""
        below: list[tuple[Act, ...]] = []
        values: dict[Word, Act] = {}
        for word in (*simple.words, *(word for _, word in simple.assigned)):
            for inner in word.inner:
                found = list(self.script(parse(inner), known, depth + 1))
                below += found
                if found and found[-1]:
                    values[word] = act_of(found[-1], self._tables)
        for name, word in simple.assigned:
            if word in values:
                known.variables[name] = values[word]
        used = list(values.values())
        for word in simple.words[1:]:
            used += [known.variables[name] for name in _VARIABLE.findall(word.text) if name in known.variables]
        return self._judged(simple, used), below

    def _judged(self, simple: Simple, used: list[Act]) -> Act:
        """Return what a program does, with what was put into its arguments."""
        tables = self._tables
        program, arguments = simple.program, simple.arguments
        module = _module(simple, tables)
        if module is not None:
            program, arguments = module
        act = Act(simple, "quiet", silent=_is_silent(simple))
        text = " ".join(arguments)
        if not simple.words:
            return act
        if program in tables.speakers or program in tables.tests:
            return self._compared(replace(act, role="says" if program in tables.speakers else "probes"), used)
        if simple.here is not None and program in ("cat", "tee") and not arguments:
            # It prints, or writes, what the command line itself holds.
            return replace(act, role="says", detail="what the command line itself holds")
        asks = any(word in _ASKS for word in arguments) or (len(arguments) == 1 and arguments[0] in _ASKS_ALONE)
        if asks and program not in tables.quiet and program not in tables.filters:
            return replace(act, role="probes", detail="that a program answers a version or help command")
        if program in tables.quiet and program != "kill":
            return act
        interpreter = tables.interpreter(program)
        if interpreter is not None and module is None and (code := _code(simple, tables)) is not None:
            sees = only_probes(code, tables) if named(program, ("python*", "pypy3")) else None
            return replace(act, role="probes" if sees else "decodes", detail=sees or "code")
        if (probe := tables.probe(program, text)) is not None:
            return replace(act, role="probes", detail=probe.sees)
        if program in tables.quiet:
            return act
        if (decoder := tables.decoder(program, text)) is not None:
            return self._decoder(act, program, arguments, text, decoder.medium)
        if tables.installs(program, text):
            return replace(act, role="installs")
        return replace(act, role="runs")

    def _compared(self, act: Act, used: list[Act]) -> Act:
        """Return what `echo` or `test` does: as much as what is put into it."""
        if used:
            best = next((one for one in used if one.role in ("decodes", "runs")), used[-1])
            role: Role = "decodes" if best.role in ("decodes", "runs") else best.role
            if act.simple.program in self._tables.speakers and best.role == "runs":
                role = "runs"
            return replace(act, role=role, detail=best.detail or "a comparison")
        sees = "what it was told to print" if act.role == "says" else "that something is there, or is not empty"
        return replace(act, detail=sees)

    def _decoder(self, act: Act, program: str, arguments: tuple[str, ...], text: str, medium: str) -> Act:
        if medium == "HTTP body" and _goes_to_a_file(program, text):
            return replace(act, role="quiet", detail="the body goes to a file")
        if medium == "HTTP body" and act.silent:
            return replace(act, role="probes", detail="that a server answers")
        if medium == "text":
            names = [word.rsplit("/", 1)[-1].lower() for word in arguments if not word.startswith("-")]
            endings = [name.rsplit(".", 1)[-1] for name in names if "." in name]
            if endings and endings[-1] in self._tables.binary:
                return replace(act, role="probes", detail=f"the bytes of a .{endings[-1]} file as text")
        return replace(act, role="decodes", detail=medium)


def _goes_to_a_file(program: str, arguments: str) -> bool:
    if program == "wget":
        return not _TO_THE_SCREEN.search(arguments)
    return program == "curl" and bool(_TO_A_FILE.search(arguments)) and not _TO_THE_SCREEN.search(arguments)


def _reads_input(act: Act) -> bool:
    return not any(not word.text.startswith("-") for word in act.simple.words[1:])


def _is_silent(simple: Simple) -> bool:
    """Return whether what is printed goes elsewhere."""
    return any(one.operator in (">", ">>", "1>", "1>>", "&>", "&>>", ">|") for one in simple.redirects)


def _module(simple: Simple, tables: Tables) -> tuple[str, tuple[str, ...]] | None:
    """Return the module that an interpreter is told to run, and its arguments."""
    interpreter = tables.interpreter(simple.program)
    if interpreter is None:
        return None
    arguments = simple.arguments
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        if arguments[at] in interpreter.module and at + 1 < len(arguments):
            return arguments[at + 1], arguments[at + 2 :]
        if arguments[at] in interpreter.code:
            return None
        at += 2 if arguments[at] in interpreter.values else 1
    if at < len(arguments) and arguments[at].rsplit("/", 1)[-1] in ("setup.py", "manage.py"):
        return arguments[at].rsplit("/", 1)[-1], arguments[at + 1 :]
    return None


def _code(simple: Simple, tables: Tables) -> str | None:
    """Return the code that an interpreter is given on the command line or in a here-document."""
    interpreter = tables.interpreter(simple.program)
    assert interpreter is not None
    arguments = simple.arguments
    for at, word in enumerate(arguments):
        if word in interpreter.code and at + 1 < len(arguments):
            return arguments[at + 1]
        if not word.startswith("-"):
            return None
    return simple.here
