"""Writing a reproduction down: the runs of a scratch database as facts of one file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePosixPath
from typing import Literal

from argusic.database.database import Database, StoredRun
from argusic.database.paths import MANIFEST_FILE, RUN_FILE, reproduction_path, run_folder
from argusic.errors import InputError
from argusic.evidence.signing.manifests import unsigned_runs
from argusic.records.manifest import Manifest
from argusic.records.reproduction import Place, ReproducedCell, ReproducedRun, Reproduction
from argusic.records.run import Run
from argusic.referee.findings import stated
from argusic.referee.reproducing.sides import Cell, Side, facts_of
from argusic.rules.scored import Later
from argusic.runs.held import learnt_later


def reproduction_of(
    database: Database, scratch: Database, cycle: str, first: Side, *, by: str, where: str | None, at: datetime
) -> Reproduction:
    """Return what a scratch database holds of a cycle, as facts of one record. Runs of controls are not part of it.

    Args:
        database: The database that holds the cycle's own runs.
        scratch: The one that the cycle was run again in.
        cycle: The cycle.
        first: The cycle's own runs.
        by: Who made it.
        where: The repository or workflow run that holds the runs, if any does.
        at: Now.

    Raises:
        InputError: There is no run in it, or a text that the record is to hold is none that it may.
    """
    found = [stored for stored in scratch.runs(cycle) if stored.run.purpose != "control"]
    if not found:
        raise InputError(f"nothing of cycle {cycle} has been run again here.")
    manifests = {stored.run.run: scratch.read(stored.folder / MANIFEST_FILE, Manifest) for stored in found}
    unsigned = {folder.name for folder in unsigned_runs(scratch, cycle)}
    later = learnt_later(scratch, cycle)
    cells: dict[Cell, list[StoredRun]] = {}
    for stored in sorted(found, key=lambda stored: stored.run.run):
        cells.setdefault((stored.run.subject, stored.run.agent), []).append(stored)
    originals = {cell: sorted(run.scored.run for run in first[cell]) for cell in cells}
    used = {stored.run.conditions_sha256 for stored in found}
    held = scratch.conditions(cycle)
    record = database.cycle(cycle)
    return stated(
        Reproduction,
        reproduction=min(stored.run.run for stored in found),
        cycle=cycle,
        edition={"id": record.edition, "sha256": record.edition_sha256},
        by=by,
        where=where,
        recorded=at,
        signed=sum(stored.run.run not in unsigned for stored in found),
        original_sha256=original_digest(database, cycle, originals.items()),
        conditions=[held[sha256] for sha256 in sorted(held) if sha256 in used],
        places=_places(manifests.values()),
        cells=[
            ReproducedCell(
                subject=cell[0],
                agent=cell[1],
                pin=runs[0].run.pin,
                agent_sha256=manifests[runs[0].run.run].agent.sha256,
                original=tuple(originals[cell]),
                runs=tuple(_run(scratch, stored, later) for stored in runs),
            )
            for cell, runs in sorted(cells.items())
        ],
    )


def record_reproduction(database: Database, made: Reproduction) -> PurePosixPath:
    """Write a reproduction down beside the cycle's own runs, and return where.

    Raises:
        InputError: It is there already.
    """
    path = reproduction_path(made.cycle, made.reproduction)
    database.write(path, made)
    return path


def original_digest(database: Database, cycle: str, cells: Iterable[tuple[Cell, Iterable[str]]]) -> str:
    """Return the digest of runs of a cycle: of the lines `<run>  <sha256 of run.yaml>`, sorted.

    Args:
        database: The database that holds them.
        cycle: The cycle.
        cells: The ids of the runs of each subject and agent.

    Raises:
        InputError: One of them is not there.
    """
    lines = []
    for cell, runs in cells:
        for run in runs:
            lines.append(f"{run}  {_sha256(database, run_folder(cycle, *cell, run) / RUN_FILE)}\n")
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def _run(scratch: Database, stored: StoredRun, later: Later) -> ReproducedRun:
    run = stored.run
    edition, _ = scratch.edition(run.edition)
    assert run.conditions_sha256 is not None, "runs made by this program name their conditions"
    return ReproducedRun(
        run=run.run,
        ending=run.ending.how,
        report=facts_of(run.report),
        stands=_stands(run, later, later.score(run, edition).outcome),
        conditions=run.conditions_sha256,
        run_sha256=_sha256(scratch, stored.path),
        manifest_sha256=_sha256(scratch, stored.folder / MANIFEST_FILE),
    )


def _stands(run: Run, later: Later, outcome: str) -> Literal["as_it_is", "invalidated", "held"]:
    if run.run in later.invalidations:
        return "invalidated"
    return "held" if outcome == "held" else "as_it_is"


def _places(manifests: Iterable[Manifest]) -> list[Place]:
    """Return where runs were made, each place once, those of most runs first."""
    found: list[Place] = []
    for manifest in manifests:
        place = Place(runs=1, argusic=manifest.argusic, sandbox=manifest.sandbox, environment=manifest.environment)
        for number, one in enumerate(found):
            if one.model_copy(update={"runs": 1}) == place:
                found[number] = one.model_copy(update={"runs": one.runs + 1})
                break
        else:
            found.append(place)
    return sorted(found, key=lambda place: -place.runs)


def _sha256(database: Database, path: PurePosixPath) -> str:
    return hashlib.sha256(database.read_bytes(path)).hexdigest()
