"""Whatever a record names must exist and agree with it: pins, editions, agents, runs, and frozen derivations."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.paths import (
    agent_path,
    close_path,
    cycle_path,
    edition_path,
    instructions_path,
    kind_path,
    recipients_path,
    subject_path,
    withdrawal_path,
)
from argusic.errors import Finding
from argusic.records.cycle import Close, Cycle
from argusic.records.findings import ClaimScreening, Dispute, Invalidation, Screening, Withdrawal
from argusic.referee.checks.survey import ManifestFacts, RunFacts, Survey


def check_references(made: Survey) -> Iterator[Finding]:
    """Yield every name that leads nowhere, and every statement that the record it names contradicts."""
    for edition in made.editions.values():
        if edition.instructions is None:
            continue
        path = instructions_path(edition.instructions)
        digest = made.digests.get(str(path))
        if digest is None:
            yield made.found(edition_path(edition.edition), f"names {path}, which does not exist.", at="instructions")
        elif digest != edition.instructions_sha256:
            what = f"is not the sha256 of {path}, which is {digest}."
            yield made.found(edition_path(edition.edition), what, at="instructions_sha256")
    for subject in made.subjects.values():
        if made.lacks(kind_path(subject.kind)):
            path = subject_path(subject.kind, subject.slug)
            yield made.found(path, f"names the kind {subject.kind}, which rules/kinds/ does not declare.", at="kind")
    for cycle in made.cycles.values():
        yield from _cycle(made, cycle)
    for run in made.runs:
        yield from _run(made, run)
        manifest = made.manifests.get(str(run.path.parent))
        if manifest is not None:
            yield from _manifest(made, run, manifest)
    yield from _later(made)
    yield from _withdrawn(made)
    for cycle_id in made.recipients:
        if made.lacks(cycle_path(cycle_id)):
            what = f"names the cycle {cycle_id}, which does not exist."
            yield made.found(recipients_path(cycle_id), what, at="cycle")
    for close in made.closes.values():
        yield from _close(made, close)
    for path, named in made.derived:
        if made.lacks(cycle_path(named)):
            yield made.found(path, f"names the cycle {named}, which does not exist.", at="cycle")


def _cycle(made: Survey, cycle: Cycle) -> Iterator[Finding]:
    path = cycle_path(cycle.cycle)
    digest = made.digests.get(str(edition_path(cycle.edition)))
    if digest is None:
        yield made.found(path, f"pins the edition {cycle.edition}, which does not exist.", at="edition")
    elif digest != cycle.edition_sha256:
        what = f"pins another text of {cycle.edition}: its file has the sha256 {digest}."
        yield made.found(path, what, at="edition_sha256")
    edition = made.editions.get(cycle.edition)
    for number, entry in enumerate(cycle.subjects):
        at = f"subjects[{number}]"
        if edition is not None and edition.budgets_minutes.minutes(entry.tier) is None:
            what = f"gives the tier {entry.tier}, which {cycle.edition} does not have."
            yield made.found(path, what, at=f"{at}.tier")
        if made.lacks(subject_path(*entry.subject.split("/"))):
            yield made.found(path, f"names {entry.subject}, which the pool does not hold.", at=f"{at}.subject")
        if getattr(entry.pin, "kind", None) != entry.subject.split("/")[0]:
            yield made.found(path, f"does not pin {entry.subject} by its own kind.", at=f"{at}.pin.kind")
    for at, names, role in (
        ("standard_agent", [cycle.standard_agent], "agent"),
        ("stronger_agent", [cycle.stronger_agent], "agent"),
        ("board_agents", cycle.board_agents, "agent"),
        ("controls", cycle.controls, "control"),
    ):
        for name in names:
            agent = made.agents.get(name) if name else None
            if name and made.lacks(agent_path(name)):
                yield made.found(path, f"names the agent {name}, which the pool does not hold.", at=at)
            elif agent is not None and agent.role != role:
                yield made.found(path, f"names {name}, whose role is {agent.role}, not {role}.", at=at)


def _run(made: Survey, run: RunFacts) -> Iterator[Finding]:
    agent = made.agents.get(run.agent)
    if made.lacks(agent_path(run.agent)):
        yield made.found(run.path, f"names the agent {run.agent}, which the pool does not hold.", at="agent")
    elif agent is not None and (agent.role == "control") != (run.purpose == "control"):
        what = f"says {run.purpose}, which the role of {run.agent} ({agent.role}) does not allow."
        yield made.found(run.path, what, at="purpose")
    if made.lacks(subject_path(*run.subject.split("/"))):
        yield made.found(run.path, f"names {run.subject}, which the pool does not hold.", at="subject")
    cycle = made.cycles.get(run.cycle)
    if cycle is None:
        if made.lacks(cycle_path(run.cycle)):
            yield made.found(run.path, f"names the cycle {run.cycle}, which does not exist.", at="cycle")
        return
    if run.edition != cycle.edition:
        yield made.found(run.path, f"says {run.edition}; its cycle pins {cycle.edition}.", at="edition")
    close = made.closes.get(run.cycle)
    if close is not None and run.started > close.closed:
        yield made.found(run.path, f"started after its cycle was closed ({close.closed}).", at="started")
    entry = cycle.entry(run.subject)
    if entry is None:
        yield made.found(run.path, f"names {run.subject}, which its cycle does not test.", at="subject")
        return
    if run.pin != entry.pin:
        yield made.found(run.path, f"is not what {cycle_path(run.cycle)} pins for {run.subject}.", at="pin")
    if run.tier != entry.tier:
        yield made.found(run.path, f"says {run.tier}; its cycle says {entry.tier}.", at="tier")
    edition = made.editions.get(cycle.edition)
    if edition is not None:
        minutes = edition.budgets_minutes.minutes(entry.tier)
        if minutes is not None and run.budget_seconds != 60 * minutes:
            what = f"says {run.budget_seconds}; {cycle.edition} gives the {entry.tier} tier {60 * minutes}."
            yield made.found(run.path, what, at="budget_seconds")


def _manifest(made: Survey, run: RunFacts, manifest: ManifestFacts) -> Iterator[Finding]:
    for at, said, really in (
        ("run", manifest.run, run.run),
        ("cycle", manifest.cycle, run.cycle),
        ("agent.id", manifest.agent, run.agent),
        ("edition.id", manifest.edition.id, run.edition),
    ):
        if said != really:
            yield made.found(manifest.path, f"says {said}; the run beside it says {really}.", at=at)
    cycle, edition = made.cycles.get(run.cycle), made.editions.get(run.edition)
    if cycle is not None and cycle.edition == run.edition and manifest.edition.sha256 != cycle.edition_sha256:
        yield made.found(
            manifest.path, f"is not the digest that the cycle pins for {run.edition}.", at="edition.sha256"
        )
    recipients = made.recipients.get(run.cycle)
    for keys in sorted(manifest.sealed_to):
        if recipients is None or keys != recipients.keys():
            what = f"was sealed to other keys than {recipients_path(run.cycle)} states."
            yield made.found(manifest.path, what, at="sealed")
    if edition is not None and edition.instructions is not None:
        given = (manifest.instructions.id, manifest.instructions.sha256)
        if given != (edition.instructions, edition.instructions_sha256):
            yield made.found(manifest.path, f"are not those of edition {run.edition}.", at="instructions")


def _later(made: Survey) -> Iterator[Finding]:
    cycle_of = {run.run: run.cycle for run in made.runs}
    for path, record in made.later:
        cycle = made.cycles.get(record.cycle)
        if made.lacks(cycle_path(record.cycle)):
            yield made.found(path, f"names the cycle {record.cycle}, which does not exist.", at="cycle")
        match record:
            case Screening():
                named, at = record.invalidates, "invalidates"
                if cycle is not None and cycle.entry(record.subject) is None:
                    yield made.found(path, f"names {record.subject}, which its cycle does not test.", at="subject")
            case Invalidation() | ClaimScreening() | Dispute() | Withdrawal():
                named, at = (record.run,), "run"
        for run in named:
            if cycle_of.get(run) != record.cycle:
                yield made.found(path, f"names {run}, which is no run of the cycle {record.cycle}.", at=at)


def _withdrawn(made: Survey) -> Iterator[Finding]:
    """A tombstone speaks of files that the manifest names, by the fingerprints that it states."""
    manifests = {manifest.run: manifest for manifest in made.manifests.values()}
    for tombstone in made.withdrawn.values():
        manifest = manifests.get(tombstone.run)
        if manifest is None:
            continue  # That there is no such run is said already.
        for file in tombstone.files:
            if manifest.digests.get(file.name) != file.sha256:
                what = f"names {file.name} with a digest that {manifest.path} does not state."
                yield made.found(withdrawal_path(tombstone.cycle, tombstone.run), what, at="files")


def _close(made: Survey, close: Close) -> Iterator[Finding]:
    path = close_path(close.cycle)
    if made.lacks(cycle_path(close.cycle)):
        yield made.found(path, f"names the cycle {close.cycle}, which does not exist.", at="cycle")
    held = sum(run.cycle == close.cycle for run in made.runs)
    if held != close.runs:
        yield made.found(path, f"says {close.runs}; the cycle holds {held}.", at="runs")
    for derived, digest in close.derived.items():
        really = made.digests.get(derived)
        if really is None:
            yield made.found(path, f"names {derived}, which does not exist.", at="derived")
        elif really != digest:
            yield made.found(derived, f"was frozen when {close.cycle} closed and is no longer what it was.")
    for derived_path, cycle in made.derived:
        if cycle == close.cycle and str(derived_path) not in close.derived:
            yield made.found(derived_path, f"is not among what {close.cycle} held when it closed.")
