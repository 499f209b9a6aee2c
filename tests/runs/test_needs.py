"""What a subject needs and this machine has not is refused before anything runs; what it was given is in its run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from argusic.database.database import Database
from argusic.database.paths import cycle_path
from argusic.errors import EnvironmentLack
from argusic.evidence.layout import MANIFEST_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify_run
from argusic.records.manifest import GpuFacts, Manifest, SandboxFacts
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.cycle import run_cycle
from argusic.runs.order import order
from argusic.runs.watching import Cancellation
from argusic.sandbox.protocol import Need, Provider, Sandbox, SandboxSpec
from argusic.sandbox.registry import provider
from tests.program import argusic
from tests.quiet import Quiet
from tests.runs.scripted import Scripted

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]
SENTENCE = (
    "repository/greeter needs a GPU and is not run without one. A bubblewrap sandbox has no GPU: use `--sandbox "
    "docker` on a machine with a GPU."
)
GPU = GpuFacts(name="NVIDIA H200", memory_mb=143771, driver="570.86.15")


def with_tier(made: Database, tier: str) -> Database:
    """Return a database with another tier of its one subject."""
    cycle = made.cycle("small")
    entries = tuple(entry.model_copy(update={"tier": tier}) for entry in cycle.subjects)
    made.write(cycle_path("small"), cycle.model_copy(update={"subjects": entries}), replace=True)
    return made


@pytest.fixture
def database(small_database: Make) -> Database:
    return with_tier(small_database(), "gpu")


def equipment(database: Database, using: Provider) -> Equipment:
    return Equipment(database, using, Quiet(), Cancellation(), lambda *_: Scripted(lambda session, mission: None))


def test_a_subject_that_needs_a_gpu_is_not_run_slower_without_one(database: Database) -> None:
    bubblewrap = provider("bubblewrap")
    made = order(database, database.cycle("small"), "repository/greeter", "newcomer")
    for run in (
        lambda: attempt(equipment(database, bubblewrap), made),
        lambda: run_cycle(equipment(database, bubblewrap), database.cycle("small"), {}),
    ):
        with pytest.raises(EnvironmentLack) as lack:
            run()
        assert lack.value.what == SENTENCE
    assert list(database.runs()) == [] and not (database.root / "runs").exists()


def test_on_the_command_line_that_is_one_sentence_and_status_3(database: Database) -> None:
    done = argusic(database, "cycle", "run", "small")
    assert done.returncode == 3
    assert SENTENCE in " ".join(done.stderr.split()) and "Traceback" not in done.stderr


class Given:
    """A provider of real sandboxes that stands in for one whose engine gives a GPU."""

    name = "bubblewrap"

    def __init__(self) -> None:
        self._real = provider("bubblewrap")
        self.asked: list[bool] = []

    def lack(self) -> str | None:
        return None

    def lack_of(self, need: Need) -> str | None:
        return None

    def start(self, spec: SandboxSpec) -> Sandbox:
        self.asked.append(spec.gpu)
        real = self._real.start(SandboxSpec(spec.name, spec.work, spec.limits))
        return cast(Sandbox, WithGpu(real)) if spec.gpu else real

    def reap(self, name: str, work: Path) -> None:
        self._real.reap(name, work)


class WithGpu:
    """A real sandbox that states a GPU."""

    def __init__(self, real: Sandbox) -> None:
        self._real = real

    @property
    def facts(self) -> SandboxFacts:
        return self._real.facts.model_copy(update={"gpus": (GPU,)})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@pytest.mark.parametrize("tier", ["gpu", "standard"])
def test_a_run_says_what_worker_it_had_and_which_gpus(small_database: Make, tier: str) -> None:
    made = with_tier(small_database(), tier)
    given = Given()
    run = attempt(equipment(made, given), order(made, made.cycle("small"), "repository/greeter", "newcomer"))
    (stored,) = made.runs()
    facts = made.read(stored.folder / MANIFEST_NAME, Manifest).sandbox
    assert facts is not None and given.asked[-1] is (tier == "gpu")
    if tier == "gpu":
        assert (run.worker, run.budget_seconds, facts.gpus) == ("gpu", 7200, (GPU,))
    else:
        assert (run.worker, run.budget_seconds, facts.gpus) == ("cpu", 5400, None)
    assert verify_run(made.root / stored.folder, FolderStore(made.store_folder)) == []
