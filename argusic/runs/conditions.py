"""The conditions that a cycle's attempts get, and that they stay the same for all of its runs.

The first run of a cycle fixes them. A later attempt under others is refused: an edition, limits, budgets or a sandbox
never change inside a cycle; the harness and its image may, and from one cycle to the next under the same edition as
well, where a person has stated that the change has no effect on measurement.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, Protocol, cast

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import conditions_path
from argusic.errors import InputError
from argusic.records.conditions import CycleConditions, HarnessChange
from argusic.records.cycle import Cycle
from argusic.records.manifest import EditionUsed, Fingerprinted
from argusic.runs.harness import harness_used
from argusic.sandbox.registry import image_used, provider, runtime_used

#: What may change without an edition where a person states that it has no effect on measurement.
STATABLE: tuple[Literal["harness", "image"], ...] = ("harness", "image")


def conditions_of(database: Database, cycle: Cycle, sandbox: str | None = None) -> CycleConditions:
    """Return the conditions that an attempt of a cycle gets from the program that runs now.

    Args:
        database: The database.
        cycle: The cycle.
        sandbox: The sandbox that it is made in; None for the cycle's own.

    Raises:
        InputError: Nothing can be run under the cycle's edition, or the list of the harness is not valid.
    """
    edition, digest = database.edition(cycle.edition)
    if edition.instructions is None or edition.instructions_sha256 is None:
        raise InputError(
            f"nothing more can be run under edition {edition.edition}: its standard instructions are not held here."
        )
    name = provider(sandbox).name if sandbox is not None else cycle.sandbox
    return CycleConditions(
        cycle=cycle.cycle,
        edition=EditionUsed(id=edition.edition, sha256=digest),
        instructions=Fingerprinted(id=edition.instructions, sha256=edition.instructions_sha256),
        budgets_minutes=edition.budgets_minutes,
        resources=cycle.conditions,
        sandbox=cast("Literal['bubblewrap', 'docker']", name),
        network=edition.network,
        image=image_used(name, database),
        runtime=runtime_used(name),
        harness=harness_used(database),
    )


def digest(conditions: CycleConditions) -> str:
    """Return what a run names conditions by: the digest of their canonical file."""
    return hashlib.sha256(dump(conditions)).hexdigest()


def differing(one: CycleConditions, other: CycleConditions) -> tuple[str, ...]:
    """Return the fields that two conditions differ in, besides the cycle."""
    names = [name for name in CycleConditions.model_fields if name not in ("cycle", "schema_version")]
    return tuple(name for name in names if getattr(one, name) != getattr(other, name))


def held_conditions(database: Database, cycle: Cycle, sandbox: str | None = None) -> CycleConditions:
    """Return the conditions that the next attempt of a cycle gets, if they are those that its runs had.

    Args:
        database: The database.
        cycle: The cycle.
        sandbox: The sandbox that it is made in; None for the cycle's own.

    Raises:
        InputError: They are others, and nobody stated that the change has no effect; or see `conditions_of`.
    """
    now = conditions_of(database, cycle, sandbox)
    fixed = fixed_conditions(database, cycle.cycle)
    stated = database.harness_changes(cycle.cycle).values()
    what = refusal(now, fixed, None if fixed else before(database, cycle), stated)
    if what is not None:
        raise InputError(what, advice=_advice(now, fixed))
    return now


def keep_conditions(database: Database, conditions: CycleConditions) -> str:
    """Write conditions down where they are not yet, and return their digest, which the run names."""
    sha256 = digest(conditions)
    path = conditions_path(conditions.cycle, sha256)
    if not database.holds(path):
        try:
            database.write(path, conditions)
        except InputError:
            if not database.holds(path):
                raise  # Otherwise another attempt was quicker: one digest is one text.
    return sha256


class MadeUnder(Protocol):
    """A run, as far as the order of conditions goes."""

    @property
    def run(self) -> str:
        """Its id."""

    @property
    def started(self) -> datetime:
        """When it began."""

    @property
    def conditions_sha256(self) -> str | None:
        """The conditions that it names."""


def fixed_conditions(database: Database, cycle: str) -> list[CycleConditions]:
    """Return the conditions that runs of a cycle name, in the order of the first run of each."""
    held = database.conditions(cycle)
    runs = (stored.run for stored in (database.runs(cycle) if held else ()))
    return [held[sha256] for sha256 in in_order(runs) if sha256 in held]


def in_order(runs: Iterable[MadeUnder]) -> list[str]:
    """Return the conditions that runs name, each once, in the order of the first run of each."""
    ordered = sorted(runs, key=lambda run: (run.started, run.run))
    return list(dict.fromkeys(run.conditions_sha256 for run in ordered if run.conditions_sha256 is not None))


def before(database: Database, cycle: Cycle) -> CycleConditions | None:
    """Return the conditions of the last run of other cycles under the same edition; None where there are none."""
    last: tuple[datetime, str, CycleConditions] | None = None
    for other in database.cycles():
        if other.cycle == cycle.cycle or other.edition_sha256 != cycle.edition_sha256:
            continue
        held = database.conditions(other.cycle)
        for stored in database.runs(other.cycle) if held else ():
            run = stored.run
            conditions = held.get(run.conditions_sha256 or "")
            if conditions is not None and (last is None or (run.started, run.run) > last[:2]):
                last = run.started, run.run, conditions
    return last[2] if last is not None else None


def refusal(
    now: CycleConditions,
    fixed: Sequence[CycleConditions],
    before: CycleConditions | None,
    changes: Iterable[HarnessChange],
) -> str | None:
    """Return why no attempt may be made under some conditions, in one sentence; None where one may.

    Args:
        now: The conditions that it would get.
        fixed: Those that runs of the cycle had, in order; empty for the first run.
        before: Those of the cycle before under the same edition, where this is the first run.
        changes: The statements that changes have no effect, of this cycle.
    """
    sha256 = digest(now)
    known = [digest(one) for one in (*fixed, *([before] if before is not None else []))]
    if sha256 in known or not known:
        return None
    if any(change.conditions == sha256 and change.replaces in known for change in changes):
        return None
    if not fixed:
        assert before is not None, "something is known"
        moved = [field for field in differing(now, before) if field in STATABLE]
        if not moved:
            return None  # Limits and sandbox are each cycle's own to choose.
        return (
            f"the {' and the '.join(moved)} changed since cycle {before.cycle}, under the same edition "
            f"{now.edition.id}, and nobody has stated that this has no effect on measurement."
        )
    changed = differing(now, fixed[-1])
    return (
        f"the runs of cycle {now.cycle} had another {' and another '.join(changed)} than this program would give, "
        "and every agent of a cycle gets the same."
    )


def _advice(now: CycleConditions, fixed: Sequence[CycleConditions]) -> str:
    if fixed and not set(differing(now, fixed[-1])) <= set(STATABLE):
        return "Make the attempt as the cycle's runs were made."
    say = f"If the change has no effect on measurement, state why: `argusic cycle harness {now.cycle} --no-effect ...`."
    return f"Go on with the program that its runs were made with. {say}" if fixed else say
