"""A reproduction of a fixture's cycle: what its runs would be if they had come out again, some of them otherwise."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, reproduction_path
from argusic.records.conditions import CycleConditions
from argusic.records.manifest import EditionUsed, Fingerprinted, Manifest
from argusic.records.reproduction import Place, ReproducedCell, ReproducedReport, ReproducedRun, Reproduction
from argusic.referee.reproducing.recording import original_digest
from argusic.referee.reproducing.sides import facts_of, published

NOTHING = ReproducedReport(state="missing")


def reproduce(database: Database, cycle_id: str, year: int, by: str, otherwise: str = "", hidden: str = "") -> None:
    """Write down a reproduction of every run that is no control's.

    Args:
        database: The database.
        cycle_id: The cycle.
        year: When its runs were made.
        by: Who made it.
        otherwise: The subject of which nothing was reported this time.
        hidden: Text put into every field that outsiders write.
    """
    cycle = database.cycle(cycle_id)
    edition, _ = database.edition(cycle.edition)
    assert edition.instructions is not None and edition.instructions_sha256 is not None
    conditions = CycleConditions(
        cycle=cycle_id,
        edition=EditionUsed(id=cycle.edition, sha256=cycle.edition_sha256),
        instructions=Fingerprinted(id=edition.instructions, sha256=edition.instructions_sha256),
        budgets_minutes=edition.budgets_minutes,
        resources=cycle.conditions,
        sandbox="bubblewrap",
        network=edition.network,
        image=f"sha256:{'1' * 64}{hidden}",
    )
    sha256 = hashlib.sha256(dump(conditions)).hexdigest()
    stored = {one.run.run: one for one in database.runs(cycle_id)}
    cells = []
    for (subject, agent), runs in published(database, cycle_id).items():
        if runs[0].scored.control:
            continue
        own = tuple(sorted(run.scored.run for run in runs))
        again = tuple(
            ReproducedRun(
                run=f"{year}{run[4:]}",
                ending=stored[run].run.ending.how,
                report=NOTHING if subject == otherwise else facts_of(stored[run].run.report),
                conditions=sha256,
                run_sha256="2" * 64,
                manifest_sha256="3" * 64,
            )
            for run in own
        )
        pin = stored[own[0]].run.pin
        cells.append(
            ReproducedCell(subject=subject, agent=agent, pin=pin, agent_sha256="4" * 64, original=own, runs=again)
        )
    manifest = database.read(stored[cells[0].original[0]].folder / MANIFEST_FILE, Manifest)
    assert manifest.sandbox is not None and manifest.environment is not None
    place = Place(
        runs=sum(len(cell.runs) for cell in cells),
        argusic=manifest.argusic.model_copy(update={"version": "0.2.0" + hidden}),
        sandbox=manifest.sandbox.model_copy(update={"version": "0.12" + hidden, "lacks": ("UDP" + hidden,)}),
        environment=manifest.environment.model_copy(
            update={"os": "Other" + hidden, "kernel": "7" + hidden, "tools": {"go" + hidden: "1.30" + hidden}}
        ),
    )
    made = Reproduction(
        reproduction=min(run.run for cell in cells for run in cell.runs),
        cycle=cycle_id,
        edition=EditionUsed(id=cycle.edition, sha256=cycle.edition_sha256),
        by=by,
        where="https://github.example/ada/argusic",
        recorded=datetime(year + 1, 1, 1, tzinfo=UTC),
        signed=2,
        original_sha256=original_digest(
            database, cycle_id, [((cell.subject, cell.agent), cell.original) for cell in cells]
        ),
        conditions=(conditions,),
        places=(place,),
        cells=tuple(cells),
    )
    database.write(reproduction_path(cycle_id, made.reproduction), made)
