"""The newcomer's way with a Space: read its definition, build it from that, launch it, reach it, put something in."""

from __future__ import annotations

from dataclasses import replace

from argusic.pool.spaces.definition import README, Definition, DefinitionUnusable, read_definition
from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.failures import Recognised
from argusic.runs.agents.newcomer.knowledge import Knowledge
from argusic.runs.agents.newcomer.looking import names_in, read_text, ready_to_read
from argusic.runs.agents.newcomer.spaces.building import FOLDER, Built, build
from argusic.runs.agents.newcomer.spaces.containers import follow
from argusic.runs.agents.newcomer.spaces.dockerfile import instructions
from argusic.runs.agents.newcomer.spaces.serving import serve
from argusic.runs.agents.newcomer.spaces.talking import talk
from argusic.runs.agents.newcomer.trials.background import STOP
from argusic.runs.session import Mission

_LISTS = ("requirements.txt", "packages.txt", "pre-requirements.txt")
#: Lines of a README that are read: its front matter stands first.
_FRONT = 300


def work(bench: Bench, mission: Mission) -> None:
    """Do the mission, and note what was seen."""
    bench.knowledge = _without_samples(bench.knowledge)
    bench.session.note("reading")
    ready_to_read(bench)
    names = names_in(bench, mission.subject_folder)
    definition = _defined(bench, mission.subject_folder, names)
    if definition is None:
        return
    bench.session.note("building")
    bench.look(f"cp -r {mission.subject_folder} {FOLDER}")
    built = _build(bench, definition, mission.subject_folder, names)
    if built is None:
        return
    bench.journal.installed = " ".join(part for part in (built.shows, built.aside) if part)
    bench.session.note("launching")
    address = serve(bench, built)
    if address is None:
        return
    bench.session.note("verifying")
    talk(bench, address, client=built.client)
    bench.look(STOP)


def _defined(bench: Bench, folder: str, names: tuple[str, ...]) -> Definition | None:
    """Return the Space's definition, read as the recording shows; None where it cannot be followed."""
    text = read_text(bench, f"{folder}/{README}", _FRONT) if README in names else ""
    for name in (one for one in _LISTS if one in names):
        read_text(bench, f"{folder}/{name}")
    try:
        return read_definition(text)
    except DefinitionUnusable as error:
        bench.journal.meet("reading its definition", Recognised("unknown", str(error), ""))
        return None


def _without_samples(known: Knowledge) -> Knowledge:
    """Return what is known, but for making up files: a Space brings its own, or lacks them."""
    failures = tuple(
        one.model_copy(update={"repairs": tuple(repair for repair in one.repairs if repair.sample is None)})
        for one in known.repairs.failures
    )
    return replace(known, repairs=known.repairs.model_copy(update={"failures": failures}))


def _build(bench: Bench, definition: Definition, folder: str, names: tuple[str, ...]) -> Built | None:
    if definition.sdk != "docker":
        return build(bench, definition, names)
    return follow(bench, definition, instructions(read_text(bench, f"{folder}/Dockerfile")))
