"""The sweep: after whatever death of whatever process it leaves no key, and it never takes one that is in use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.leftover import sweep_leftover
from argusic.runs.keys.notes import Notes
from argusic.runs.keys.sweeping import Place, find, places, sweep
from argusic.runs.work import begin
from tests.runs.keys.key_servers import MASTER, KeyServer, LiteLlmServer, OpenRouterServer

TOP = Path(__file__).parents[3]
RUN, OTHER, THIRD = (f"20261130T01450{n}Z-aaaaaa" for n in range(3))
ENVIRONMENT = {"MASTER_KEY": MASTER}
LATER = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=2)

Hold = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture(params=["litellm", "openrouter"])
def server(request: pytest.FixtureRequest) -> Iterator[KeyServer]:
    with LiteLlmServer() if request.param == "litellm" else OpenRouterServer() as running:
        yield running


@pytest.fixture
def database(tmp_path: Path) -> Database:
    (tmp_path / "referee").mkdir()
    return Database(tmp_path / "referee")


@pytest.fixture
def hold(server: KeyServer, database: Database) -> Iterator[Hold]:
    """Start a process that holds the key of a run."""
    begun: list[subprocess.Popen[str]] = []

    def start(run: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.runs.keys.holding", str(database.root), run, kind(server), server.url]
        begun.append(
            subprocess.Popen(
                [*command, "http://127.0.0.1:9/v1"],
                env={**os.environ, **ENVIRONMENT},
                cwd=TOP,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        return begun[-1]

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def kind(server: KeyServer) -> str:
    return "litellm" if isinstance(server, LiteLlmServer) else "openrouter"


def place(server: KeyServer) -> Place:
    return Place(KeyUsed(provider=kind(server), variable="MASTER_KEY", url=server.url), "http://127.0.0.1:9/v1")  # type: ignore[arg-type]


def note(database: Database, server: KeyServer, run: str, asked: datetime | None = None) -> None:
    one = place(server)
    model = ModelUsed(name="scripted-1", url=one.model_url)
    Notes.of(database).write(run, one.key, model, asked or LATER - timedelta(hours=3), LATER)


def add(database: Database, server: KeyServer, run: str, expires: datetime = LATER) -> None:
    server.add(Aliases.of(database).alias(run), expires)


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_killed_attempt_leaves_a_key_and_the_next_sweep_deletes_it(
    server: KeyServer, database: Database, hold: Hold
) -> None:
    dead, alive = hold(RUN), hold(OTHER)
    assert heard(dead) == heard(alive) == "held"
    server.add("production")
    assert len(server.keys) == 3
    before = sweep(database, places(database, []), ENVIRONMENT)
    assert before.deleted == [] and sorted(one.key.run for one in before.left) == [RUN, OTHER]
    dead.kill()
    dead.wait()
    after = sweep(database, places(database, []), ENVIRONMENT)
    assert [one.key.run for one in after.deleted] == [RUN] and [one.key.run for one in after.left] == [OTHER]
    alive.kill()
    alive.wait()
    last = sweep(database, places(database, []), ENVIRONMENT)
    assert [one.key.run for one in last.deleted] == [OTHER] and last.troubles == []
    assert server.names() == ["production"]
    assert sweep(database, places(database, []), ENVIRONMENT).deleted == []


def test_what_a_dead_process_left_goes_wherever_attempts_are_swept_up_after(
    server: KeyServer, database: Database, hold: Hold
) -> None:
    assert sweep_leftover(database, {}) == [], "nobody is asked where no key was asked for"
    dead = hold(RUN)
    assert heard(dead) == "held"
    dead.kill()
    dead.wait()
    (trouble,) = sweep_leftover(database, {})
    assert "MASTER_KEY holds no key" in trouble and len(server.keys) == 1
    assert sweep_leftover(database, ENVIRONMENT) == [] and server.names() == []


def test_a_kill_between_request_and_answer_leaves_a_key_that_the_sweep_finds(
    server: KeyServer, database: Database, hold: Hold
) -> None:
    started = threading.Event()
    process: subprocess.Popen[str] | None = None

    def kill() -> None:
        started.wait(30)
        assert process is not None
        process.send_signal(signal.SIGKILL)
        process.wait()

    server.on_create = kill
    process = hold(RUN)
    started.set()
    assert heard(process) == ""
    server.on_create = lambda: None
    assert len(server.keys) == 1
    done = sweep(database, places(database, []), ENVIRONMENT)
    assert [one.key.run for one in done.deleted] == [RUN] and server.keys == []


def test_a_killed_attempt_is_swept_although_its_folder_was_recovered(
    server: KeyServer, database: Database, hold: Hold
) -> None:
    process = hold(RUN)
    heard(process)
    process.kill()
    process.wait()
    for path in sorted((database.work / RUN).rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (database.work / RUN).rmdir()
    assert len(sweep(database, places(database, []), ENVIRONMENT).deleted) == 1 and server.keys == []


def test_an_interrupted_attempt_deletes_its_key_itself(server: KeyServer, database: Database, hold: Hold) -> None:
    process = hold(RUN)
    heard(process)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    assert server.keys == [] and Notes.of(database).all() == []


def test_two_sweeps_at_once_do_no_harm(server: KeyServer, database: Database) -> None:
    for number in range(8):
        run = f"20261130T01460{number}Z-aaaaaa"
        note(database, server, run)
        add(database, server, run)
    server.pause = 0.02
    asked = places(database, [])
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda _: sweep(database, asked, ENVIRONMENT), range(3)))
    assert server.keys == [] and all(one.troubles == [] for one in done)
    assert Notes.of(database).all() == []


def test_a_run_that_begins_during_a_sweep_keeps_its_key(server: KeyServer, database: Database) -> None:
    listed, begun = threading.Event(), threading.Event()
    original = server.answer

    def slow(method: str, path: str, query: dict[str, str], body: object) -> tuple[int, object]:
        found = original(method, path, query, body)
        if method == "GET":
            listed.set()
            begun.wait(10)
        return found

    with begin(database.work, RUN):
        note(database, server, RUN)
        add(database, server, RUN)
        server.answer = slow  # type: ignore[method-assign]
        with ThreadPoolExecutor(1) as pool:
            sweeping = pool.submit(sweep, database, [place(server)], ENVIRONMENT)
            listed.wait(10)
            with begin(database.work, OTHER):
                note(database, server, OTHER)
                add(database, server, OTHER)
                begun.set()
                assert [one.key.run for one in sweeping.result().left] == [RUN]
    assert len(server.keys) == 2 and len(Notes.of(database).all()) == 2


def test_the_key_of_another_machines_run_is_left_until_it_expires(server: KeyServer, database: Database) -> None:
    add(database, server, RUN)
    add(database, server, OTHER, LATER - timedelta(hours=3))
    done = sweep(database, [place(server)], ENVIRONMENT)
    assert [one.key.run for one in done.deleted] == [OTHER]
    assert [(one.key.run, one.owner) for one in done.left] == [(RUN, "elsewhere")]


def test_everywhere_spares_the_runs_that_are_said_to_go_on(server: KeyServer, database: Database) -> None:
    for run in (RUN, OTHER, THIRD):
        add(database, server, run)
    with begin(database.work, THIRD):
        done = sweep(database, [place(server)], ENVIRONMENT, everywhere=True, elsewhere=[OTHER])
    assert [one.key.run for one in done.deleted] == [RUN]
    assert sorted(one.key.run for one in done.left) == [OTHER, THIRD]


def test_a_dry_run_changes_nothing(server: KeyServer, database: Database) -> None:
    note(database, server, RUN)
    add(database, server, RUN)
    done = sweep(database, places(database, []), ENVIRONMENT, dry=True)
    assert len(done.deleted) == 1 and len(server.keys) == 1 and len(Notes.of(database).all()) == 1


def test_what_cannot_be_deleted_is_said_and_tried_again_next_time(server: KeyServer, database: Database) -> None:
    note(database, server, RUN)
    add(database, server, RUN)
    assert "no key" in sweep(database, places(database, []), {}).troubles[0].what
    server.mishaps = [401]
    assert "does not accept" in sweep(database, places(database, []), ENVIRONMENT).troubles[0].what
    original = server.answer

    def refusing(method: str, path: str, query: dict[str, str], body: object) -> tuple[int, object]:
        return original(method, path, query, body) if method == "GET" else (400, {"error": {"message": "not today"}})

    server.answer = refusing  # type: ignore[method-assign]
    done = sweep(database, places(database, []), ENVIRONMENT)
    assert RUN in done.troubles[0].what and "not today" in done.troubles[0].what and done.deleted == []
    server.answer = original  # type: ignore[method-assign]
    assert len(Notes.of(database).all()) == 1
    assert len(sweep(database, places(database, []), ENVIRONMENT).deleted) == 1


def test_a_note_waits_for_a_request_that_may_still_be_on_its_way(server: KeyServer, database: Database) -> None:
    note(database, server, RUN, datetime.now(UTC).replace(microsecond=0))
    sweep(database, places(database, []), ENVIRONMENT)
    add(database, server, RUN)
    assert len(sweep(database, places(database, []), ENVIRONMENT).deleted) == 1 and server.keys == []


def test_a_provider_is_asked_once_however_many_know_of_it(server: KeyServer, database: Database) -> None:
    one = place(server)
    configuration = OpenConfiguration(model=ModelUsed(name="m", url=one.model_url), key=one.key)
    own = OpenConfiguration(model=ModelUsed(name="m", url=one.model_url), key=KeyUsed(provider="none"))
    note(database, server, RUN)
    assert places(database, [configuration, configuration, own]) == [one]
    find(database, places(database, [configuration]), ENVIRONMENT)
    assert len(server.asked) == 1
