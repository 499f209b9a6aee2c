"""What a reproduction could not have the same: conditions, sandbox, machine and program, on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, run_folder
from argusic.records.conditions import CycleConditions
from argusic.records.manifest import ArgusicFacts, EnvironmentFacts, Manifest, SandboxFacts
from argusic.records.reproduction import Reproduction
from argusic.referee.reproducing.sides import Side

#: What is said where a side states nothing.
NOT_STATED: Final = "not stated"
_NONE: Final = "none"


@dataclass(frozen=True)
class Had:
    """What the runs of one side had.

    Attributes:
        conditions: The conditions that are written down of them.
        places: The program, sandbox and machine of each; some more than once.
        agents: The fingerprint of each agent's file, by agent.
    """

    conditions: tuple[CycleConditions, ...]
    places: tuple[tuple[ArgusicFacts, SandboxFacts | None, EnvironmentFacts | None], ...]
    agents: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Difference:
    """One thing in which the two sides differ.

    Attributes:
        what: What it is.
        first: What the cycle's runs had.
        again: What the reproduction's runs had.
    """

    what: str
    first: tuple[str, ...]
    again: tuple[str, ...]


def had_here(database: Database, cycle: str, runs: Side) -> Had:
    """Return what some runs of a cycle had, by their manifests.

    Args:
        database: The database.
        cycle: The cycle.
        runs: The runs.
    """
    held = database.conditions(cycle)
    manifests = [
        database.read(run_folder(cycle, *cell, run.scored.run) / MANIFEST_FILE, Manifest)
        for cell, found in runs.items()
        for run in found
    ]
    return Had(
        conditions=tuple(held[sha256] for sha256 in sorted(held)),
        places=tuple((one.argusic, one.sandbox, one.environment) for one in manifests),
        agents=frozenset((one.agent.id, one.agent.sha256) for one in manifests),
    )


def had_there(reproduction: Reproduction) -> Had:
    """Return what the runs of a reproduction had, as it says."""
    return Had(
        conditions=reproduction.conditions,
        places=tuple((place.argusic, place.sandbox, place.environment) for place in reproduction.places),
        agents=frozenset((cell.agent, cell.agent_sha256) for cell in reproduction.cells),
    )


def differences(first: Had, again: Had) -> tuple[Difference, ...]:
    """Return in what two sides differ; nothing of what both had in the same ways."""
    one, other = dict(_facts(first)), dict(_facts(again))
    found = []
    for what in (*one, *(what for what in other if what not in one)):
        before, now = one.get(what, (NOT_STATED,)), other.get(what, (NOT_STATED,))
        if before != now:
            found.append(Difference(what, before, now))
    return tuple(found)


def _facts(had: Had) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what there is to say of a side, each with all that its runs had of it, sorted."""
    conditions = had.conditions
    yield "sandbox", _all(one.sandbox for one in conditions)
    yield "image", _all(one.image for one in conditions)
    yield "program that runs containers", _all(one.runtime for one in conditions)
    yield "harness", _all(None if one.harness is None else one.harness.sha256 for one in conditions)
    sandboxes = [sandbox for _, sandbox, _ in had.places if sandbox is not None]
    yield "version of the sandbox", _all(f"{one.kind} {one.version}" for one in sandboxes)
    yield "user that it ran as", _all(one.host_user for one in sandboxes)
    yield "limits held by", _all(one.limits_by for one in sandboxes)
    yield "disk limit held by", _all(one.disk_by for one in sandboxes)
    yield "way to the network", _all(one.network for one in sandboxes)
    yield "what the sandbox lacked", _all(lack for one in sandboxes for lack in one.lacks or (_NONE,))
    machines = [machine for _, _, machine in had.places if machine is not None]
    yield "system", _all(one.os for one in machines)
    yield "kernel", _all(one.kernel for one in machines)
    yield "processor", _all(one.machine for one in machines)
    for tool in sorted({tool for one in machines for tool in one.tools}):
        yield f"tool {tool}", _all(one.tools.get(tool) for one in machines)
    yield "program that measured", _all(_program(argusic) for argusic, _, _ in had.places)
    for agent, _ in sorted(had.agents):
        yield f"file of the agent {agent}", _all(sha256 for named, sha256 in had.agents if named == agent)


def _program(argusic: ArgusicFacts) -> str:
    commit = argusic.commit or "of no commit"
    return f"{argusic.version} {commit}{' with changes' if argusic.dirty and argusic.commit else ''}"


def _all(values: Iterable[Any]) -> tuple[str, ...]:
    found: Sequence[str] = sorted({_NONE if value is None else str(value) for value in values})
    return tuple(found) or (NOT_STATED,)
