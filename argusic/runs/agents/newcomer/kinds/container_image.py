"""The newcomer's way with a container image: its description is read and typed, until one of its lines is proven."""

from __future__ import annotations

import re

from argusic.runs.agents.newcomer.arranging import Arranged
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.blocks import Block, blocks
from argusic.runs.agents.newcomer.containers.kept import Kept
from argusic.runs.agents.newcomer.containers.lines import (
    Line,
    files_of,
    folders_shown,
    given_by,
    is_question,
    lines_of,
    texts_in,
    written_by,
)
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.failures import fill
from argusic.runs.agents.newcomer.looking import look_around, read_text
from argusic.runs.agents.newcomer.trials.command import CommandTrial
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import Mission

_FOLDER = "~/work"
_WRITES = re.compile(r"(?:--out(?:put|file)?|-o)[ =](?P<name>[\w./-]+)|>\s*(?P<target>[\w./-]+)\s*$")


def work(bench: Bench, mission: Mission) -> None:
    """Type what the description says."""
    bench.session.note("reading")
    look_around(bench, mission.subject_folder)
    told = blocks(read_text(bench, f"{mission.subject_folder}/DESCRIPTION.md"))
    bench.session.note("installing")
    bench.look(f"mkdir -p {_FOLDER} ~/.local/bin && ln -sf {mission.subject_folder}/docker ~/.local/bin/docker")
    typed = lines_of(told, bench.knowledge.samples)
    installed = _installed(bench, mission, typed)
    if installed is None:
        return
    bench.session.note("launching and verifying")
    if not any(line.does in ("run", "keep") for line in typed):
        bench.journal.stopped = "Its description names no command that runs it and that a newcomer could type."
        return
    _follow(bench, told, typed, installed)


def _installed(bench: Bench, mission: Mission, typed: tuple[Line, ...]) -> Installed | None:
    """See that the image is there, by the description's own line where it has one."""
    for line in (line.line for line in typed if line.does == "pull"):
        if bench.do(Step(f"the documented `{line}`", line, 60)) is None:
            return None
    there = bench.do(Step("looking for the image", "docker images", 60))
    if there is None:
        return None
    shows = f"The image is in the machine: {' '.join(there.output.split())}."
    bench.journal.installed = shows
    return Installed(shows=shows, folder=_FOLDER, workspace=_FOLDER, programs=("docker",))


def _follow(bench: Bench, told: tuple[Block, ...], typed: tuple[Line, ...], installed: Installed) -> None:
    """Type the lines in order, until one is proven. What is asked belongs to what was last kept running."""
    given: list[str] = []
    for name, text in files_of(told).items():
        above = f"mkdir -p {name.rpartition('/')[0]} && " if "/" in name else ""
        bench.look(f"cd {_FOLDER} && {above}test -e {name} || {write_file(name, text)}")
        given += texts_in(text)
    for place, line in enumerate(typed):
        if bench.journal.proof:
            return
        if line.does == "prepare":
            if bench.do(Step(f"the documented `{line.line}`", line.line, 60, _FOLDER)):
                given += written_by(line.line)
        elif line.does == "run":
            went_in = (*given_by(line.line), *given)
            written = _WRITES.search(line.line)
            writes = (written["name"] or written["target"]) if written else None
            ready = Arranged(line.line, given=went_in, writes=writes)
            CommandTrial(ready, installed, line.shown, probe=is_question(line.line)).run(bench)
        elif line.does == "keep":
            sample = _show_something(bench, line)
            went_in = (*given_by(line.line), *given, *sample)
            Kept(line, _asks(typed[place + 1 :]), went_in, installed).run(bench)


def _asks(after: tuple[Line, ...]) -> tuple[Line, ...]:
    """Return the lines that ask what a line before them keeps running: those until the next that keeps something."""
    found = []
    for line in after:
        if line.does == "keep":
            break
        found += [line] if line.does == "ask" else []
    return tuple(found)


def _show_something(bench: Bench, line: Line) -> tuple[str, ...]:
    """Put a page into each folder that is to be shown in the image and is not there; return what it holds."""
    sample = bench.knowledge.samples.samples["html"]
    held: tuple[str, ...] = ()
    for folder in folders_shown(line.line):
        make = fill(sample.make, {"path": "index.html"}) or "false"
        made = bench.look(f'cd {_FOLDER} && ! test -e "{folder}" && mkdir -p "{folder}" && cd "{folder}" && {make}')
        held = sample.holds if made.ok else held
    return held
