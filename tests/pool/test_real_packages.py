"""The real registry through the real sandbox: pins, and the known solutions of the quickstart pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex

import pytest

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.pool.kinds.package import KIND
from argusic.pool.kinds.protocol import PinMismatch, Workshop
from argusic.pool.kinds.registry import kind
from argusic.records.cycle import PoolEntry
from argusic.records.sources.package import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER, Sandbox, SandboxSpec
from argusic.sandbox.registry import provider

pytestmark = [pytest.mark.sandbox, pytest.mark.network]

ROOT = Path(__file__).parents[2]
QUICKSTART = Database(ROOT).cycle("quickstart")
#: The subjects whose solutions are played whenever anything is tested; those of the others are played apart.
_AT_ONCE = ("package/cowsay", "repository/bottle")


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[], Sandbox]]:
    """Starts real sandboxes and destroys them at the end."""
    made: list[Sandbox] = []

    def start() -> Sandbox:
        work = tmp_path / f"work-{len(made)}"
        work.mkdir()
        made.append(provider("bubblewrap").start(SandboxSpec(name=f"pool-test-{token_hex(4)}", work=work)))
        return made[-1]

    yield start
    for one in made:
        one.destroy()


@pytest.fixture
def workshop(tmp_path: Path, started: Callable[[], Sandbox]) -> Workshop:
    return Workshop(tmp_path / "cache", started, lambda said: None)


def package(name: str) -> Subject:
    return Subject(kind="package", slug=name.lower(), name=name, source=Source(ecosystem="pypi", name=name))


def test_a_real_package_is_pinned_by_the_digest_of_its_file(workshop: Workshop) -> None:
    found = KIND.resolve("cowsay==6.1", workshop)
    assert found.pin == QUICKSTART.subjects[0].pin
    assert found.summary is not None and "cowsay" in found.summary


def test_a_real_package_that_cannot_be_built_is_pinned_and_fetched_all_the_same(workshop: Workshop) -> None:
    pin = Pin(
        version="1.2.5",
        file="MySQL-python-1.2.5.zip",
        sha256="811040b647e5d5686f84db415efd697e6250008b112b6909ba77ac059e140c74",
    )
    assert KIND.fetch(package("MySQL-python"), pin, workshop).name == pin.file
    assert KIND.resolve("MySQL-python", workshop).pin == pin


def test_a_name_that_nobody_published_is_the_users_mistake(workshop: Workshop) -> None:
    with pytest.raises(InputError, match="no published package"):
        KIND.resolve("argusic-publishes-nothing-under-this-name", workshop)


def test_a_real_package_with_another_digest_is_refused(workshop: Workshop) -> None:
    pin = Pin(version="6.1", file="cowsay-6.1-py3-none-any.whl", sha256="0" * 64)
    with pytest.raises(PinMismatch, match=r"274b1e6f.*0{64}"):
        KIND.fetch(package("cowsay"), pin, workshop)
    assert not list((workshop.cache / "packages").glob("[!.]*"))


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=entry.subject, marks=[] if entry.subject in _AT_ONCE else pytest.mark.endurance)
        for entry in QUICKSTART.subjects
    ],
)
def test_the_known_solution_installs_launches_and_verifies(
    entry: PoolEntry, started: Callable[[], Sandbox], tmp_path: Path
) -> None:
    database = Database(ROOT)
    subject = database.subject(entry.subject)
    one = kind(subject.kind)
    # Fetching for the first time is what other tests are about: here, what this checkout has already will do.
    cached = one.fetch(subject, entry.pin, Workshop(database.cache_folder, started, lambda said: None))
    folder = tmp_path / "subject"
    folder.mkdir()
    one.hand_in(subject, entry.pin, cached, folder)
    sandbox = started()
    sandbox.put(folder, SUBJECT_FOLDER)
    assert subject.control is not None and subject.control.oracle == 100
    solution = subject.control.solution
    assert solution.install and solution.launch and solution.verify
    for command in (*solution.install, *solution.launch, solution.verify):
        done = sandbox.run(["bash", "-c", command], timeout=180)
        assert done.exit_status == 0, f"{command}\n{done.output.decode('utf-8', 'replace')}"
    assert done.output.strip()
