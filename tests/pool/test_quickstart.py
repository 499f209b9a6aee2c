"""The pool that ships with the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.pool.kinds.registry import kind, kinds
from argusic.records.cycle import Cycle
from argusic.records.sources.repository import Source

DATABASE = Database(Path(__file__).parents[2])


def test_the_quickstart_cycle_pins_the_edition_as_it_is() -> None:
    cycle = DATABASE.cycle("quickstart")
    _, digest = DATABASE.edition(cycle.edition)
    assert cycle.edition_sha256 == digest, (
        f"rules/editions/{cycle.edition}.yaml has changed. While no run of the cycle is committed, write\n"
        f"edition_sha256: {digest}\ninto pool/cycles/quickstart.yaml; afterwards editions are no longer edited."
    )


@pytest.mark.parametrize("cycle", DATABASE.cycles(), ids=lambda cycle: cycle.cycle)
def test_every_cycle_names_subjects_agents_and_kinds_that_are_there(cycle: Cycle) -> None:
    for agent in (cycle.standard_agent, *cycle.board_agents, *cycle.controls):
        assert agent is None or DATABASE.agent(agent)
    for entry in cycle.subjects:
        subject = DATABASE.subject(entry.subject)
        assert kind(subject.kind).task(subject, entry.pin).startswith("The subject is ")


def test_the_quickstart_subjects_say_what_the_control_earns_and_how() -> None:
    for entry in DATABASE.cycle("quickstart").subjects:
        control = DATABASE.subject(entry.subject).control
        assert control is not None and control.oracle == 100
        solution = control.solution
        assert solution.install and solution.launch and solution.verify and "assert" in solution.verify


def test_all_eight_kinds_are_declared_and_each_runnable_one_is_among_them() -> None:
    declared = [one.kind for one in DATABASE.kinds()]
    assert len(declared) == 8
    assert [one.place for one in DATABASE.kinds()] == list(range(1, 9))
    assert set(kinds()) <= set(declared)


def test_a_repository_of_the_pool_lies_on_no_machine() -> None:
    for subject in DATABASE.subjects():
        if isinstance(subject.source, Source) and subject.source.url is not None:
            assert not subject.source.url.startswith(("/", "file:"))
