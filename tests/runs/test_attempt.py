"""Every way an attempt can end, made to happen for real, and what is published of it."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from argusic.database.database import Database
from argusic.database.paths import subject_path
from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.evidence.layout import RECORDING_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify_run
from argusic.pool.kinds.registry import kind
from argusic.records.cycle import PoolEntry
from argusic.records.run import Run
from argusic.records.sources import package, repository
from argusic.records.subject import Subject
from argusic.rules.rubric import score
from argusic.runs.attempt import REPORT_PATH, Equipment, attempt
from argusic.runs.order import Order, order
from argusic.runs.session import Mission, Session
from argusic.runs.watching import Cancellation
from argusic.sandbox.protocol import Need, Sandbox, SandboxSpec, SandboxStartFailed
from argusic.sandbox.registry import provider
from argusic.sandbox.supervised.sandbox import SupervisedSandbox
from tests.quiet import Quiet
from tests.runs.scripted import Act, Scripted

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]

REPORT = """installed: true
launched: true
errors: []
test_depth: tier1_real
verified_how: {command: python3 subject/greet.py World, result: "Hello, World!"}
final_state: It greets.
"""


@dataclasses.dataclass(frozen=True)
class Bench:
    """A database with everything to make an attempt in it."""

    database: Database

    def order(self) -> Order:
        made = order(self.database, self.database.cycle("small"), "repository/greeter", "newcomer")
        return dataclasses.replace(made, budget_seconds=60)

    def equipment(self, act: Act, cancellation: Cancellation | None = None) -> Equipment:
        return Equipment(
            self.database,
            provider("bubblewrap"),
            Quiet(),
            cancellation or Cancellation(),
            lambda name, given: Scripted(act),
        )

    def attempt(self, act: Act, **changes: object) -> Run:
        return attempt(self.equipment(act), dataclasses.replace(self.order(), **changes))  # type: ignore[arg-type]

    def outcome(self, run: Run) -> str:
        return score(run, self.database.edition("v1.5")[0]).outcome

    def check(self, run: Run) -> None:
        """The run is published whole, and nothing else is there."""
        (stored,) = [stored for stored in self.database.runs() if stored.run.run == run.run]
        assert stored.run == run
        assert verify_run(self.database.root / stored.folder, FolderStore(self.database.store_folder)) == []
        assert [path for path in self.database.work.iterdir() if path.is_dir()] == []


@pytest.fixture
def bench(small_database: Make) -> Bench:
    return Bench(small_database())


def reporting(report: str) -> Act:
    def act(session: Session, mission: Mission) -> None:
        session.run("python3 subject/greet.py World")
        session.run(f"cat > {mission.report_path} <<'END'\n{report}END")

    return act


def test_an_agent_that_ends_by_itself_is_scored_by_its_report(bench: Bench) -> None:
    run = bench.attempt(reporting(REPORT))
    assert (run.ending.how, bench.outcome(run), run.commands) == ("completed", "pass_full", 2)
    assert [phase.name for phase in run.phases] == ["prepare", "start", "agent", "collect", "destroy"]
    bench.check(run)


def test_an_agent_that_leaves_no_report_fails(bench: Bench) -> None:
    run = bench.attempt(lambda session, mission: None)
    assert (run.ending.how, run.report.state, bench.outcome(run)) == ("completed", "missing", "fail")
    bench.check(run)


@pytest.mark.parametrize("report", ["installed: [\n", "x" * 2_000_000, "&a [*a, *a]\n", "installed: yes\n", "\x01\n"])
def test_a_report_that_cannot_be_accepted_is_the_agents_fault(bench: Bench, report: str) -> None:
    def act(session: Session, mission: Mission) -> None:
        if len(report) > 1000:
            session.run(f"head -c {len(report)} /dev/zero | tr '\\0' x > {mission.report_path}")
        else:
            session.run(
                f"python3 -c \"open('{mission.report_path}','wb').write(bytes.fromhex('{report.encode().hex()}'))\""
            )

    run = bench.attempt(act)
    assert (run.ending.how, run.report.state, bench.outcome(run)) == ("completed", "malformed", "fail")
    bench.check(run)


def test_a_report_that_is_a_link_out_of_the_sandbox_shows_nothing_of_the_host(bench: Bench) -> None:
    secret = bench.database.root / "secret"
    secret.write_text(REPORT)
    run = bench.attempt(lambda session, mission: session.run(f"ln -s {secret} {mission.report_path}") and None)
    assert run.report.state == "missing"
    bench.check(run)


def test_the_end_of_the_budget_is_a_timeout_and_everything_is_dead(bench: Bench) -> None:
    mark = "4242.4242"
    began = time.monotonic()
    run = bench.attempt(
        lambda session, mission: session.run(f"setsid sh -c 'trap \"\" TERM; sleep {mark}' & sleep {mark}") and None,
        budget_seconds=2,
    )
    assert time.monotonic() - began < 2 + 5
    assert (run.ending.how, bench.outcome(run)) == ("time_limit", "timeout")
    lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert not any(mark in line for line in lines)
    bench.check(run)


def test_a_crash_of_the_agents_program_is_its_own(bench: Bench) -> None:
    def act(session: Session, mission: Mission) -> None:
        raise RuntimeError("I lost the thread")

    run = bench.attempt(act)
    assert (run.ending.how, bench.outcome(run)) == ("agent_crashed", "fail")
    assert run.ending.detail == "RuntimeError: I lost the thread"
    bench.check(run)


def test_a_fault_of_the_harness_is_never_the_agents(bench: Bench) -> None:
    def act(session: Session, mission: Mission) -> None:
        session.run("a NUL \0 that our own session cannot take")

    run = bench.attempt(act)
    assert (run.ending.how, bench.outcome(run)) == ("harness_error", "invalid")
    bench.check(run)


def test_a_recording_that_was_cut_short_makes_the_run_invalid(bench: Bench) -> None:
    def act(session: Session, mission: Mission) -> None:
        reporting(REPORT)(session, mission)
        (recording,) = bench.database.work.glob(f"*/evidence/{RECORDING_NAME}")
        os.truncate(recording, 200)

    run = bench.attempt(act)
    assert (run.ending.how, bench.outcome(run)) == ("recording_incomplete", "invalid")
    bench.check(run)


def test_a_sandbox_that_is_killed_from_outside_is_no_doing_of_the_agent(bench: Bench) -> None:
    def act(session: Session, mission: Mission) -> None:
        (inside,) = [child for child in psutil.Process().children() if child.cmdline()[0].startswith("argusic-sandbox")]
        os.kill(inside.pid, signal.SIGKILL)
        session.run("true")
        session.run("sleep 5")

    run = bench.attempt(act)
    assert (run.ending.how, bench.outcome(run)) == ("sandbox_lost", "invalid")
    bench.check(run)


def test_a_cancelled_attempt_is_invalid_and_ends_at_once(bench: Bench) -> None:
    cancellation = Cancellation()
    threading.Timer(1.0, cancellation.event.set).start()
    began = time.monotonic()
    run = attempt(
        bench.equipment(lambda session, mission: session.run("sleep 50") and None, cancellation), bench.order()
    )
    assert time.monotonic() - began < 10
    assert (run.ending.how, bench.outcome(run)) == ("cancelled", "invalid")
    bench.check(run)


def test_a_sandbox_that_does_not_start_is_the_environments_doing(bench: Bench) -> None:
    class Broken:
        name = "bubblewrap"

        def lack(self) -> str | None:
            return None

        def lack_of(self, need: Need) -> str | None:
            return None

        def start(self, spec: SandboxSpec) -> Sandbox:
            raise SandboxStartFailed("no namespaces today")

        def reap(self, name: str, work: Path) -> None: ...

    equipment = dataclasses.replace(bench.equipment(lambda session, mission: None), provider=Broken())
    run = attempt(equipment, bench.order())
    assert (run.ending.how, bench.outcome(run)) == ("sandbox_start_failed", "invalid")
    assert run.ending.detail == "no namespaces today"
    bench.check(run)


def test_a_sandbox_that_cannot_be_removed_costs_no_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def destroy(sandbox: SupervisedSandbox) -> None:
        really_destroy(sandbox)
        raise OSError("something in it cannot be removed")

    def act(session: Session, mission: Mission) -> None:
        monkeypatch.setattr(SupervisedSandbox, "destroy", destroy)
        reporting(REPORT)(session, mission)

    really_destroy = SupervisedSandbox.destroy
    run = bench.attempt(act)
    assert (run.ending.how, bench.outcome(run)) == ("completed", "pass_full")
    bench.check(run)


def test_a_subject_that_cannot_be_reached_is_no_ones_score(small_database: Make, greeter: tuple[Path, str]) -> None:
    bench = Bench(small_database())
    subject = bench.order().subject
    gone = subject.model_copy(update={"source": subject.source.model_copy(update={"url": "/nowhere/at/all"})})
    run = attempt(bench.equipment(lambda session, mission: None), dataclasses.replace(bench.order(), subject=gone))
    assert (run.ending.how, bench.outcome(run)) == ("subject_unavailable", "invalid")
    bench.check(run)


def test_a_commit_that_nobody_has_stops_everything_before_it_runs(small_database: Make) -> None:
    entry = PoolEntry(subject="repository/greeter", pin=repository.Pin(commit="0" * 40))
    bench = Bench(small_database(subjects=(entry,)))
    ran: list[bool] = []
    run = bench.attempt(lambda session, mission: ran.append(True))
    assert (run.ending.how, bench.outcome(run), ran) == ("subject_unavailable", "invalid", [])
    bench.check(run)


@pytest.mark.network
def test_a_subject_that_is_not_what_was_pinned_leaves_no_run(small_database: Make) -> None:
    subject = Subject(
        kind="package", slug="cowsay", name="cowsay", source=package.Source(ecosystem="pypi", name="cowsay")
    )
    pin = package.Pin(version="6.1", file="cowsay-6.1-py3-none-any.whl", sha256="0" * 64)
    bench = Bench(small_database(subjects=(PoolEntry(subject=subject.ref, pin=pin),)))
    bench.database.write(subject_path("package", "cowsay"), subject)
    ran: list[bool] = []
    made = order(bench.database, bench.database.cycle("small"), subject.ref, "newcomer")
    with pytest.raises(CheckFailed, match="Nothing was run"):
        attempt(bench.equipment(lambda session, mission: ran.append(True)), made)
    assert ran == []
    assert list(bench.database.runs()) == []
    assert [path for path in bench.database.work.iterdir() if path.is_dir()] == []


def test_what_this_machine_cannot_run_leaves_no_run_and_says_why(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(*_: object) -> Path:
        raise EnvironmentLack("The image is for linux/s390x, and this machine is another.")

    monkeypatch.setattr(type(kind("repository")), "fetch", lacks)
    with pytest.raises(EnvironmentLack, match="linux/s390x"):
        bench.attempt(lambda session, mission: None)
    assert list(bench.database.runs()) == []
    assert [path for path in bench.database.work.iterdir() if path.is_dir()] == []


def test_what_a_cycle_does_not_name_is_refused_before_anything_is_made(bench: Bench) -> None:
    cycle = bench.database.cycle("small")
    for subject, agent in (("repository/other", "newcomer"), ("repository/greeter", "liar")):
        with pytest.raises(InputError):
            order(bench.database, cycle, subject, agent)
    assert not bench.database.work.exists()


def test_only_the_oracle_is_told_the_solution(bench: Bench) -> None:
    told = []
    bench.attempt(lambda session, mission: told.append(mission.solution))
    assert told == [None]
    assert REPORT_PATH.startswith("/root/")
