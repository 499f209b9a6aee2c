"""The runs of a cycle had the same conditions: those that its file and edition state, and one harness throughout."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.paths import conditions_path, harness_change_path
from argusic.errors import Finding
from argusic.records.conditions import CycleConditions, HarnessChange
from argusic.referee.checks.survey import RunFacts, Survey
from argusic.runs.conditions import STATABLE, differing, refusal


def check_conditions(made: Survey) -> Iterator[Finding]:
    """Yield each run under other conditions than its cycle's, and each statement about a change that is not there.

    Runs made before conditions were written down name none, and nothing is held against them.
    """
    for cycle, held in made.conditions.items():
        for sha256, conditions in held.items():
            yield from _agrees(made, cycle, sha256, conditions)
    for changes in made.harness_changes.values():
        for change in changes:
            yield from _statement(made, change)
    by_cycle: dict[str, list[RunFacts]] = {}
    for run in sorted(made.runs, key=lambda run: (run.started, run.run)):
        by_cycle.setdefault(run.cycle, []).append(run)
    for runs in by_cycle.values():
        yield from _runs(made, runs)


def _agrees(made: Survey, cycle_id: str, sha256: str, conditions: CycleConditions) -> Iterator[Finding]:
    path = conditions_path(cycle_id, sha256)
    cycle = made.cycles.get(cycle_id)
    edition = made.editions.get(conditions.edition.id)
    if cycle is None:
        yield made.found(path, f"names the cycle {cycle_id}, which does not exist.", at="cycle")
        return
    if (conditions.edition.id, conditions.edition.sha256) != (cycle.edition, cycle.edition_sha256):
        yield made.found(path, "is not the edition that the cycle pins.", at="edition")
    if conditions.resources != cycle.conditions:
        yield made.found(path, "are not the limits that the cycle states.", at="resources")
    if edition is not None and conditions.edition.id == cycle.edition:
        given = (conditions.instructions.id, conditions.instructions.sha256)
        for at, said, really in (
            ("instructions", given, (edition.instructions, edition.instructions_sha256)),
            ("budgets_minutes", conditions.budgets_minutes, edition.budgets_minutes),
            ("network", conditions.network, edition.network),
        ):
            if said != really:
                yield made.found(path, f"does not say what edition {edition.edition} says.", at=at)


def _statement(made: Survey, change: HarnessChange) -> Iterator[Finding]:
    path = harness_change_path(change.cycle, change.conditions)
    own = made.conditions.get(change.cycle, {})
    everywhere = {sha256: one for held in made.conditions.values() for sha256, one in held.items()}
    new, old = own.get(change.conditions), everywhere.get(change.replaces)
    for at, found in (("conditions", new), ("replaces", old)):
        if found is None:
            yield made.found(path, "names conditions that are not written down.", at=at)
    if new is not None and old is not None:
        really = tuple(field for field in differing(new, old) if field in STATABLE or new.cycle == old.cycle)
        if really != change.changed:
            yield made.found(path, f"is not what changed: {', '.join(really) or 'nothing'}.", at="changed")


def _runs(made: Survey, runs: list[RunFacts]) -> Iterator[Finding]:
    """Go through the runs of one cycle in order, each against those before it."""
    cycle = runs[0].cycle
    held, changes = made.conditions.get(cycle, {}), made.harness_changes.get(cycle, [])
    before: list[CycleConditions] = []
    for run in runs:
        if run.conditions_sha256 is None:
            if before:
                what = "names no conditions, though earlier runs of its cycle do."
                yield made.found(run.path, what, at="conditions_sha256")
            continue
        now = held.get(run.conditions_sha256)
        if now is None:
            path = conditions_path(cycle, run.conditions_sha256)
            # Conditions that are there and cannot be read, or are others than their name says, are named by themselves.
            if made.lacks(path):
                yield made.found(run.path, f"names {path}, which does not exist.", at="conditions_sha256")
            continue
        if now in before:
            continue
        why = refusal(now, before, None if before else _other(made, run), changes)
        if why is not None:
            yield made.found(run.path, f"was made under other conditions: {why}", at="conditions_sha256")
        before.append(now)


def _other(made: Survey, first: RunFacts) -> CycleConditions | None:
    """Return the conditions of the last run before `first` that another cycle made under the same edition."""
    pinned = _edition_of(made, first.cycle)
    earlier = [
        run
        for run in made.runs
        if run.cycle != first.cycle
        and run.conditions_sha256 in made.conditions.get(run.cycle, {})
        and (run.started, run.run) < (first.started, first.run)
        and _edition_of(made, run.cycle) == pinned
    ]
    if not earlier:
        return None
    last = max(earlier, key=lambda run: (run.started, run.run))
    return made.conditions[last.cycle][last.conditions_sha256 or ""]


def _edition_of(made: Survey, cycle: str) -> str | None:
    record = made.cycles.get(cycle)
    return record.edition_sha256 if record is not None else None
