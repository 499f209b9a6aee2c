"""One job of a plan: its own cell alone, and a hand-over of what was published, whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from pyrage import x25519

from argusic.database.atomic import TEMPORARY_PREFIX
from argusic.database.database import Database
from argusic.errors import CheckFailed, InputError
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.one_run import check_run
from argusic.evidence.store import FolderStore
from argusic.records.handing_over import HandOver, Plan, PlannedJob
from argusic.runs.attempt import Equipment
from argusic.runs.jobs import one_job
from argusic.runs.jobs.handing import hand_over
from argusic.runs.jobs.one_job import JobDone, run_job
from argusic.runs.jobs.sealed_along import SendAlong
from argusic.runs.session import Mission, Session
from argusic.runs.watching import Cancellation
from argusic.sandbox.registry import provider, providers
from tests.program import Done, argusic, started
from tests.quiet import Quiet
from tests.runs.scripted import Act, Scripted

pytestmark = pytest.mark.sandbox

Make = Callable[..., Database]

NOP = {"standard_agent": None, "board_agents": (), "controls": ("nop",)}
#: The shape of a key that a service gives out, put together here so that no scanner takes it for one.
SHAPE = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def make(small_database: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Make:
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))

    def made(**fields: object) -> Database:
        database = small_database(**{**NOP, **fields})
        assert argusic(database, "evidence", "recipients", "small").returncode == 0
        return database

    return made


def planned(database: Database, tmp_path: Path) -> Path:
    file = tmp_path / "plan" / "plan.json"
    done = argusic(database, "cycle", "plan", "small", "--jobs", str(file))
    assert done.returncode == 0, done.stderr
    return file


def first_job(database: Database, tmp_path: Path) -> PlannedJob:
    return Plan.model_validate_json(planned(database, tmp_path).read_bytes()).jobs[0]


def words(plan: Path, number: str, to: Path) -> tuple[str, ...]:
    run = ("cycle", "run", "small", "--plan", str(plan), "--job", number, "--sign", "none", "--json")
    return (*run, "--hand-over", str(to))


def call(database: Database, plan: Path, number: str, to: Path, *more: str) -> Done:
    return argusic(database, *words(plan, number, to), *more)


def handed(folder: Path) -> HandOver:
    """Return the list of a hand-over, which names every file that is there, each as it is."""
    record = HandOver.model_validate_json((folder / "hand-over.json").read_bytes())
    lying = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert sorted(lying) == sorted([*(file.path for file in record.files), "hand-over.json"])
    for file in record.files:
        assert fingerprint(lying[file.path]) == (file.sha256, file.size)
    assert not list(folder.parent.glob(f"{TEMPORARY_PREFIX}*"))
    return record


def every_byte(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def scripted(database: Database, act: Act, cancellation: Cancellation | None = None) -> Equipment:
    sandbox = provider("bubblewrap")
    return Equipment(database, sandbox, Quiet(), cancellation or Cancellation(), lambda name, given: Scripted(act))


def do(
    equipment: Equipment, job: PlannedJob, to: Path, *, along: SendAlong | None = None, clock: Iterable[float] = ()
) -> JobDone:
    cycle, ticks = equipment.database.cycle("small"), iter(clock)
    return run_job(equipment, cycle, job, providers(), to=to, along=along, clock=lambda: next(ticks, 0.0))


def test_a_job_runs_its_own_cell_alone_and_hands_over_what_proves_it(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = make(controls=("oracle", "nop"))
    plan = planned(database, tmp_path)
    (tmp_path / "file").touch()
    assert "cannot be made" in call(database, plan, "002", tmp_path / "file" / "over").stderr

    def full(*given: object, **more: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(one_job, "hand_over", full)
        assert call(database, plan, "002", tmp_path / "over").returncode == 3
    (stored,) = database.runs("small")
    # The run is there, so it is not made again, and is handed over once that can be.
    done = call(database, plan, "002", tmp_path / "over")
    assert done.returncode == 0, done.stderr
    record = handed(tmp_path / "over")
    assert (record.agent, record.subject, record.job, record.queued) == ("nop", "repository/greeter", "002", None)
    assert record.runs == (stored.run.run,) and json.loads(done.stdout)["hand_over"]["runs"] == [stored.run.run]
    # What was handed over proves itself, without anything of this machine.
    store = FolderStore(tmp_path / "over" / "store")
    assert check_run(tmp_path / "over" / stored.folder, store).findings == []
    assert (tmp_path / "over" / f"runs/small/conditions/{stored.run.conditions_sha256}.yaml").is_file()
    again = call(database, plan, "002", tmp_path / "over")
    assert (again.returncode, "is there already" in again.stderr) == (2, True)
    nothing = call(database, plan, "002", tmp_path / "other")
    assert nothing.returncode == 0 and "is not owed any more" in json.loads(nothing.stdout)["remark"]
    assert handed(tmp_path / "other").runs == ()


def test_a_plan_that_does_not_fit_is_refused_in_one_sentence(make: Make, tmp_path: Path) -> None:
    database, to = make(), tmp_path / "over"
    plan = planned(database, tmp_path)
    other = tmp_path / "other.json"
    other.write_text(plan.read_text().replace('"cycle": "small"', '"cycle": "large"'))
    broken = tmp_path / "broken.json"
    broken.write_text(plan.read_text().replace('"attempts": 1', '"attempts": 0'))
    strange = tmp_path / "strange.json"
    strange.write_text(plan.read_text().replace("repository/greeter", "repository/stranger"))
    for file, number, said in (
        (other, "001", "is a plan for cycle large, not for small"),
        (plan, "002", "has no job '002'"),
        (broken, "001", "attempts: is no Plan"),
        (strange, "001", "has no subject repository/stranger"),
        (tmp_path / "none.json", "001", "cannot be read"),
    ):
        done = call(database, file, number, to)
        assert (done.returncode, said in done.stderr, "\n" in done.stderr.strip()) == (2, True, False), done.stderr
    for more in (("--parallel", "2"), ("--agent", "nop"), ("--subject", "repository/greeter")):
        assert "do not go with it" in call(database, plan, "001", to, *more).stderr
    alone = argusic(database, "cycle", "run", "small", "--hand-over", str(to))
    assert (alone.returncode, "need --plan and --job" in alone.stderr) == (2, True)
    assert not to.exists() and list(database.runs("small")) == []
    (database.root / "runs/small/recipients.yaml").unlink()
    refused = call(database, plan, "001", to)
    assert (refused.returncode, "has no keys that raw evidence is sealed to" in refused.stderr) == (2, True)


def test_a_job_that_is_told_to_stop_hands_over_what_there_is(make: Make, tmp_path: Path) -> None:
    database = make()
    job, cancellation = first_job(database, tmp_path), Cancellation()

    def stop(session: Session, mission: Mission) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        session.run("sleep 50")

    with cancellation.listening():
        done = do(scripted(database, stop, cancellation), job, tmp_path / "over")
    assert done.finished.stopped == "stopped by SIGTERM"
    (stored,) = database.runs("small")
    assert stored.run.ending.how == "cancelled" and handed(tmp_path / "over").runs == (stored.run.run,)


def test_what_died_half_way_is_handed_over_with_what_came_after(make: Make, tmp_path: Path) -> None:
    database = make()
    plan, to = planned(database, tmp_path), tmp_path / "over"
    process = started(database, *words(plan, "001", to), ARGUSIC_FAULT="agent-done")
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL and not to.exists()
    assert call(database, plan, "001", to).returncode == 0
    runs = {stored.run.run: stored.run.ending.how for stored in database.runs("small")}
    assert handed(to).runs == tuple(sorted(runs))
    assert sorted(runs.values()) == ["completed", "interrupted"]
    assert not list((database.work.parent / "jobs").rglob("*.yaml"))


def test_no_more_is_made_than_was_planned_or_than_there_is_time_for(make: Make, tmp_path: Path) -> None:
    database = make(controls=(), board_agents=("nop",))
    job = first_job(database, tmp_path)
    assert job.attempts == 3
    nothing = scripted(database, lambda session, mission: None)
    # Other runs of the cell wait for review elsewhere, so the plan asks for one alone.
    do(nothing, replace_job(job, attempts=1), tmp_path / "one")
    assert len(handed(tmp_path / "one").runs) == len(list(database.runs("small"))) == 1

    def until_the_second_run() -> Iterator[float]:
        while True:
            yield 60.0 * job.timeout_minutes if len(list(database.runs("small"))) > 1 else 1.0

    late = do(nothing, job, tmp_path / "two", clock=until_the_second_run())
    assert "would not fit" in late.remark
    assert len(handed(tmp_path / "two").runs) == 1 and len(list(database.runs("small"))) == 2


def replace_job(job: PlannedJob, **fields: object) -> PlannedJob:
    return PlannedJob.model_validate({**job.model_dump(), **fields})


def test_nothing_raw_sealed_or_secret_is_handed_over(make: Make, tmp_path: Path) -> None:
    database = make()
    job = first_job(database, tmp_path)
    says = scripted(database, lambda session, mission: session.run(f"echo {SHAPE} open-sesame-0123") and None)
    pair = x25519.Identity.generate()
    along = SendAlong.of(tmp_path / "sealed.age", str(pair.to_public()))
    done = do(says, job, tmp_path / "a", along=along)
    assert done.handed is not None and done.sealed == done.along > 0
    (stored,) = database.runs("small")
    store = FolderStore(tmp_path / "a" / "store")
    checked = check_run(tmp_path / "a" / stored.folder, store)
    assert checked.findings == [] and checked.manifest is not None and checked.manifest.sealed
    sealed = sorted(one.sealed_sha256 for one in checked.manifest.sealed)
    assert not {store.path(sha256) for sha256 in sealed} & set((tmp_path / "a").rglob("*"))
    assert SHAPE.encode() not in every_byte(tmp_path / "a")
    # They travel sealed once more, and arrive where the manifests are and the second key is.
    private = tmp_path / "along.key"
    private.write_text(f"{pair}\n")
    held = FolderStore(database.store_folder)
    inner = held.read(sealed[0])
    assert inner[-64:] not in along.file.read_bytes()
    for sha256 in sealed:
        held.remove(sha256)
    archived = argusic(database, "evidence", "archive", str(along.file), "--identity", str(private), "--json")
    assert archived.returncode == 0, archived.stderr
    assert json.loads(archived.stdout)["kept"] == sealed and held.read(sealed[0]) == inner
    private.write_text(f"{x25519.Identity.generate()}\n")
    closed = argusic(database, "evidence", "archive", str(along.file), "--identity", str(private))
    assert (closed.returncode, "none of the keys opens it" in closed.stderr) == (2, True)
    # What the job held is in nothing that it hands over, and neither is another file than the manifest names.
    over = tmp_path / "folder" / "b"
    with pytest.raises(CheckFailed, match="holds the wrap key of this job"):
        hand_over(database, "small", job, [stored.run], over, held={"wrap key": b"open-sesame-0123"})
    assert list(over.parent.iterdir()) == []
    with pytest.raises(InputError, match="is there already"):
        hand_over(database, "small", job, [stored.run], tmp_path / "a")
    recording = database.root / stored.folder / "recording.cast"
    recording.chmod(0o644)
    recording.write_bytes(recording.read_bytes() + b"\n")
    with pytest.raises(CheckFailed, match="not the file that its manifest names"):
        hand_over(database, "small", job, [stored.run], over)
    assert list(over.parent.iterdir()) == []
