"""What befalls a container engine in the middle of an attempt ends in a named ending, and nothing is left behind.

Each fault is done to an engine of the test's own. Whatever the fault, the run is published, counts only where the
attempt was not touched by it, and what the engine still keeps is gone at the next start.
"""

from __future__ import annotations

import dataclasses
import http.server
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.records.run import Run
from argusic.rules.endings import ENDINGS
from argusic.runs.attempt import Equipment, attempt
from argusic.runs.order import order
from argusic.runs.session import Mission, Session
from argusic.runs.watching import Cancellation
from argusic.sandbox.docker import Docker
from argusic.sandbox.docker.engine import Engine
from tests.docker_image import a_small_image
from tests.own_engine import OwnEngine, an_own_engine
from tests.quiet import Quiet
from tests.runs.scripted import Act, Scripted

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start an engine of its own"),
    # The SDK leaves a socket to the collector where an engine went away.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.xdist_group("own engine"),
]


@dataclasses.dataclass(frozen=True)
class Bench:
    """An engine that may be harmed, and a database to make attempts in."""

    engine: OwnEngine
    database: Database

    def attempt(self, act: Act, provider: Docker | None = None) -> Run:
        made = order(self.database, self.database.cycle("small"), "repository/greeter", "newcomer")
        equipment = Equipment(
            self.database,
            provider or Docker([a_small_image()], self.engine.at),
            Quiet(),
            Cancellation(),
            lambda name, given: Scripted(act),
        )
        return attempt(equipment, dataclasses.replace(made, budget_seconds=60))

    def containers(self) -> list[str]:
        with Engine(self.engine.at) as engine:
            return [*engine.containers("argusic.owner")]

    def nothing_is_left(self) -> None:
        """Nothing of an attempt is on the host; what the engine keeps goes with its owner's death."""
        assert [path for path in self.database.work.iterdir() if path.is_dir()] == []
        assert self.containers() == []


@pytest.fixture(scope="module")
def own_engine() -> Iterator[OwnEngine]:
    with an_own_engine() as engine:
        yield engine


@pytest.fixture
def bench(own_engine: OwnEngine, small_database: Callable[..., Database]) -> Bench:
    own_engine.start()
    return Bench(own_engine, small_database())


def the_container(bench: Bench) -> str:
    (container,) = bench.containers()
    return container


def after(fault: Callable[[], object]) -> Act:
    """Return an agent in whose attempt the fault happens, and which goes on until it is stopped."""

    def act(session: Session, mission: Mission) -> None:
        session.run("echo begun")
        fault()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            session.run("sleep 0.2")

    return act


def test_an_engine_that_is_restarted_loses_the_sandbox(bench: Bench) -> None:
    def restart() -> None:
        bench.engine.stop()
        bench.engine.start()

    run = bench.attempt(after(restart))
    assert run.ending.how == "sandbox_lost" and ENDINGS[run.ending.how].rerun
    bench.nothing_is_left()


def test_an_engine_that_is_killed_and_started_again_loses_the_sandbox(bench: Bench) -> None:
    def crash() -> None:
        bench.engine.kill()
        bench.engine.start()

    run = bench.attempt(after(crash))
    assert run.ending.how == "sandbox_lost"
    bench.nothing_is_left()


def test_an_attempt_outlives_its_engine_and_the_next_start_removes_what_that_keeps(bench: Bench) -> None:
    container: list[str] = []

    def act(session: Session, mission: Mission) -> None:
        container.append(the_container(bench))
        bench.engine.kill()
        assert session.run("echo still here").exit_status == 0

    run = bench.attempt(act)
    assert run.ending.how == "completed"
    assert subprocess.run(["pgrep", "-f", f"argusic-sandbox:{run.run}"], check=False).returncode == 1
    bench.engine.start()
    assert bench.containers() == container  # Its owner, this process, is not dead.
    with Engine(bench.engine.at) as engine:
        engine.remove(container[0])
    bench.nothing_is_left()


def test_an_engine_that_is_gone_starts_nothing(bench: Bench) -> None:
    provider = Docker([a_small_image()], bench.engine.at)
    assert provider.lack() is None
    bench.engine.stop()
    run = bench.attempt(lambda session, mission: None, provider)
    assert run.ending.how == "sandbox_start_failed"
    assert run.ending.detail is not None and "No container engine answers" in run.ending.detail
    bench.engine.start()
    bench.nothing_is_left()


@pytest.mark.parametrize("how", ["killed", "removed"])
def test_a_container_that_somebody_ends_from_outside_is_lost(bench: Bench, how: str) -> None:
    def end() -> None:
        with Engine(bench.engine.at) as engine:
            container = the_container(bench)
            engine.kill(container) if how == "killed" else engine.remove(container)

    run = bench.attempt(after(end))
    assert run.ending.how == "sandbox_lost"
    assert run.ending.detail is not None and "from outside" in run.ending.detail
    bench.nothing_is_left()


def test_an_agent_cannot_end_its_container_and_is_scored_all_the_same(bench: Bench) -> None:
    def act(session: Session, mission: Mission) -> None:
        session.run("kill -9 1; kill -TERM 1; kill -9 -1")
        session.run("rm -rf --no-preserve-root / 2> /dev/null; true")

    run = bench.attempt(act)
    assert run.ending.how == "completed" and run.report.state == "missing"
    bench.nothing_is_left()


def test_an_image_that_is_missing_is_named_with_what_brings_it(bench: Bench) -> None:
    absent = Docker([f"sha256:{'0' * 64}"], bench.engine.at)
    run = bench.attempt(lambda session, mission: None, absent)
    assert run.ending.how == "sandbox_start_failed"
    assert run.ending.detail is not None and "argusic environment build" in run.ending.detail
    bench.nothing_is_left()


def test_an_image_that_is_removed_meanwhile_starts_nothing(bench: Bench) -> None:
    provider = Docker([a_small_image()], bench.engine.at)
    assert provider.lack() is None and not isinstance(provider.machine, str)
    gone = dataclasses.replace(provider.machine, ready=f"sha256:{'0' * 64}")
    provider.__dict__["machine"] = gone
    run = bench.attempt(lambda session, mission: None, provider)
    assert run.ending.how == "sandbox_start_failed"
    bench.nothing_is_left()


@pytest.fixture
def limiting_registry() -> Iterator[int]:
    """A registry on this machine that lets nobody fetch anything more for now."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fault = {"code": "TOOMANYREQUESTS", "message": "You have reached your pull rate limit."}
            body = json.dumps({"errors": [fault]}).encode()
            self.send_response(200 if self.path == "/v2/" else 429)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_a_registry_that_limits_pulls_is_named(bench: Bench, limiting_registry: int) -> None:
    image = f"127.0.0.1:{limiting_registry}/argusic/environment@sha256:{'1' * 64}"
    run = bench.attempt(lambda session, mission: None, Docker([image]))  # The machine's own engine reaches it.
    assert run.ending.how == "sandbox_start_failed" and ENDINGS[run.ending.how].whose == "environment"
    assert run.ending.detail is not None and "too many requests" in run.ending.detail
    bench.nothing_is_left()


def test_a_clock_that_jumps_changes_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def act(session: Session, mission: Mission) -> None:
        for seconds in (86_400.0, -86_400.0):
            now = time.time() + seconds
            with monkeypatch.context() as jump:
                jump.setattr(time, "time", lambda now=now: now)
                assert session.run("sleep 1; echo waited", timeout=20).output == "waited\n"
                with Engine(bench.engine.at) as engine:
                    Docker([a_small_image()], bench.engine.at).lack()  # Sweeps, and takes nobody for dead.
                    assert len(engine.containers("argusic.owner")) == 1

    run = bench.attempt(act)
    assert run.ending.how == "completed"
    bench.nothing_is_left()


@pytest.fixture
def full_bench(small_database: Callable[..., Database]) -> Iterator[Bench]:
    """An engine on a disk of its own that is nearly full."""
    folder = Path(tempfile.mkdtemp(prefix="argusic-disk-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500m", "none", folder], check=True)
    engine = OwnEngine(folder / "engine")
    (folder / "engine").mkdir()
    try:
        engine.start()
        engine.load(a_small_image())
        yield Bench(engine, small_database())
    finally:
        engine.remove()
        subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()


def fill(bench: Bench, *, leaving: int) -> None:
    """Fill the engine's disk from outside."""
    folder = bench.engine.folder.parent
    with (folder / "ballast").open("wb") as ballast:
        facts = os.statvfs(folder)
        os.posix_fallocate(ballast.fileno(), 0, facts.f_bavail * facts.f_frsize - leaving)


def test_a_disk_that_others_fill_is_no_fault_of_the_agent(full_bench: Bench) -> None:
    run = full_bench.attempt(after(lambda: fill(full_bench, leaving=100_000_000)))
    assert run.ending.how == "host_disk_full" and ENDINGS[run.ending.how].rerun
    full_bench.nothing_is_left()
    provider = Docker([a_small_image()], full_bench.engine.at)
    assert provider.lack() is None
    fill(full_bench, leaving=0)
    run = full_bench.attempt(lambda session, mission: None, provider)
    assert run.ending.how == "host_disk_full"
    (full_bench.engine.folder.parent / "ballast").unlink()
    full_bench.nothing_is_left()
