"""Collecting takes what jobs handed over whole or not at all, and counts it against the plan."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from unittest import mock

import pytest

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.github.ladder.artifacts import found_in, found_on
from argusic.github.ladder.collecting import Collecting, Gathering
from argusic.github.ladder.overlay import Overlay
from argusic.github.ladder.plausible import Expected
from argusic.github.ladder.proving import findings_of_runs
from argusic.github.pygithub_forge import GitHubForge
from argusic.records.handing_over import Collected, Digests, Plan
from argusic.runs.jobs.files import read_json, write_json
from tests.github.ladder.handing import AGENTS, Elsewhere, plan_of
from tests.github.ladder.killing import killed_at
from tests.github_server import GitHubServer
from tests.program import Done, argusic

pytestmark = pytest.mark.sandbox


def gathered(database: Database, given: Path, plan: Plan | None = None) -> Gathering:
    """Collect what lies in a folder."""
    planned = plan or plan_of()
    scratch = Path(tempfile.mkdtemp(dir=given.parent))
    return Collecting(database, planned, scratch, datetime.now(UTC)).gather(found_in(given, planned))


def words(tmp_path: Path, *more: str) -> list[str]:
    """Return the command that collects what lies in `given` into `collected`."""
    write_json(tmp_path / "plan.json", plan_of())
    return [
        "cycle", "collect", "small", "--plan", str(tmp_path / "plan.json"), "--from", str(tmp_path / "given"),
        "--to", str(tmp_path / "collected"), *more,
    ]  # fmt: skip


def collect(database: Database, tmp_path: Path, *more: str) -> Done:
    return argusic(database, *words(tmp_path, *more))


def files(root: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_what_jobs_handed_over_is_laid_out_as_one_and_the_checkout_is_not_changed(
    elsewhere: Elsewhere, tmp_path: Path
) -> None:
    first = elsewhere.hand_over(tmp_path / "given", 1)
    expected = files(first.folder)
    second = elsewhere.hand_over(tmp_path / "given", 2)
    expected |= files(second.folder)
    second.zipped()
    (tmp_path / "given/plan.zip").write_text("is not looked at")
    here = elsewhere.here(tmp_path)
    before = files(here.root)
    done = collect(here, tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    made = files(tmp_path / "collected")
    lists = {made.pop(name) and name for name in ("collected.json", "digests.json")}
    del expected["hand-over.json"]
    assert (made, len(lists)) == (expected, 2)
    collected = read_json(tmp_path / "collected/collected.json", Collected)
    assert set(collected.runs) == {elsewhere.stored(agent).run.run for agent in AGENTS}
    assert (collected.planned, collected.missing, collected.refused) == (2, (), ())
    (batch,) = read_json(tmp_path / "collected/digests.json", Digests).batches
    assert batch.runs == collected.runs
    assert {name for name in files(here.root) if not name.startswith(".argusic/")} == before.keys()
    assert json.loads(done.stdout)["written"] is True
    again = collect(here, tmp_path)
    assert (again.returncode, "is there already" in again.stderr) == (2, True)


def test_a_job_that_left_nothing_is_stated_and_its_cell_stays_owed(elsewhere: Elsewhere, tmp_path: Path) -> None:
    elsewhere.hand_over(tmp_path / "given", 2)
    done = collect(elsewhere.here(tmp_path), tmp_path)
    assert (done.returncode, "job 001, repository/greeter by oracle: nothing of it" in done.stdout) == (0, True)
    (missing,) = read_json(tmp_path / "collected/collected.json", Collected).missing
    assert (missing.job, missing.agent) == ("001", "oracle")


def test_with_a_refused_artifact_nothing_is_written_unless_it_is_left_out(elsewhere: Elsewhere, tmp_path: Path) -> None:
    elsewhere.hand_over(tmp_path / "given", 2)
    elsewhere.hand_over(tmp_path / "given", 1).relist(lambda said: said.update(job="002"))
    elsewhere.hand_over(tmp_path / "given", 1, "attempt-777-1")
    elsewhere.hand_over(tmp_path / "given", 1, "attempt-1")
    here = elsewhere.here(tmp_path)
    done = collect(here, tmp_path)
    assert (done.returncode, (tmp_path / "collected").exists()) == (1, False)
    assert "attempt-001-1: it says job 002, and 001 was planned for its job." in done.stdout
    assert "attempt-777-1: it belongs to no job of the plan." in done.stdout
    assert "attempt-1: it belongs to no job of the plan." in done.stdout
    done = collect(here, tmp_path, "--leave-out")
    assert done.returncode == 0, done.stderr
    collected = read_json(tmp_path / "collected/collected.json", Collected)
    assert [one.name for one in collected.refused] == ["attempt-001-1", "attempt-1", "attempt-777-1"]
    assert collected.runs == (elsewhere.stored("nop").run.run,)


def test_where_no_job_handed_anything_over_nothing_is_written(elsewhere: Elsewhere, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    done = collect(elsewhere.here(tmp_path), tmp_path)
    assert (done.returncode, (tmp_path / "collected").exists()) == (1, False)
    assert "no job handed anything over" in done.stderr


def test_a_job_with_nothing_left_to_do_hands_over_an_empty_list(elsewhere: Elsewhere, tmp_path: Path) -> None:
    handed = elsewhere.hand_over(tmp_path / "given", 1)
    for name in ("runs", "store"):
        shutil.rmtree(handed.folder / name)
    handed.list(runs=(), queued="There is no key for it.")
    elsewhere.hand_over(tmp_path / "given", 2)
    made = gathered(elsewhere.here(tmp_path), tmp_path / "given")
    assert (made.taken, made.collected.missing, made.collected.refused) == (2, (), ())
    assert made.collected.runs == (elsewhere.stored("nop").run.run,)
    assert made.queued == {"attempt-001-1": "There is no key for it."}


def test_a_run_twice_is_taken_from_one_artifact_and_the_other_is_refused(elsewhere: Elsewhere, tmp_path: Path) -> None:
    run = elsewhere.hand_over(tmp_path / "given", 1).run_folder.name
    elsewhere.hand_over(tmp_path / "given", 1, "attempt-001-2")
    made = gathered(elsewhere.here(tmp_path), tmp_path / "given")
    (refused,) = made.collected.refused
    assert (refused.name, refused.why) == ("attempt-001-2", f"it holds run {run}, which attempt-001-1 holds too.")


def test_a_run_that_is_here_already_is_passed_over_and_refused_where_it_is_another(
    elsewhere: Elsewhere, tmp_path: Path
) -> None:
    here = elsewhere.here(tmp_path)
    first = elsewhere.hand_over(tmp_path / "given", 1)
    shutil.copytree(first.folder / "runs", here.root / "runs", dirs_exist_ok=True)
    elsewhere.hand_over(tmp_path / "given", 2)
    made = gathered(here, tmp_path / "given")
    assert made.there == (first.run_folder.name,)
    assert (made.collected.runs, made.collected.refused) == ((elsewhere.stored("nop").run.run,), ())
    assert not any("/oracle/" in file.path for file in made.collected.files)
    first.set_run(worker="gpu")
    (refused,) = gathered(here, tmp_path / "given").collected.refused
    assert refused.why == f"it holds run {first.run_folder.name}, which is here already with another content."


def test_a_plan_that_promises_what_its_cycle_has_not_is_refused(elsewhere: Elsewhere, tmp_path: Path) -> None:
    here = elsewhere.here(tmp_path)
    plan = plan_of()
    for change, sentence in (
        ({"purpose": "board"}, "which cycle small has not"),
        ({"agent": "newcomer"}, "which cycle small has not"),
        ({"subject": "package/other"}, "which cycle small has not"),
        ({"tier": "gpu"}, "which cycle small has not"),
        ({"attempts": 900}, "no cell owes more than"),
        ({"job": "002"}, "twice"),
    ):
        first = plan.jobs[0].model_copy(update=change)
        with pytest.raises(InputError, match=sentence):
            gathered(here, tmp_path, plan.model_copy(update={"jobs": (first, plan.jobs[1])}))


def test_killed_while_it_writes_what_was_collected_is_there_whole_or_not_at_all(
    elsewhere: Elsewhere, tmp_path: Path
) -> None:
    elsewhere.hand_over(tmp_path / "given", 1)
    elsewhere.hand_over(tmp_path / "given", 2)
    here = elsewhere.here(tmp_path)
    for fault, there in (("folder-synced", False), ("folder-renamed", True)):
        assert killed_at(fault, lambda: argusic(here, *words(tmp_path))) == -signal.SIGKILL
        assert (tmp_path / "collected").exists() == there
    assert len(read_json(tmp_path / "collected/collected.json", Collected).runs) == 2


def test_a_dropped_artifact_is_told_from_a_lost_machine(elsewhere: Elsewhere, tmp_path: Path) -> None:
    artifacts = {number: elsewhere.hand_over(tmp_path, number).zipped().read_bytes() for number in (1, 2)}
    numbers = itertools.count(1)
    ok, gone = ("success", 1), "attempt-001-1: its job succeeded, and it is not there: it was dropped. Collect again."
    with GitHubServer() as github:
        forge = GitHubForge.of_environment(github.environment())

        def found(left: str, first: tuple[str | None, int] | None, *, expired: bool = False) -> list[str]:
            run = next(numbers)
            for name in left.split():
                job = int(name.split("-")[0])
                github.add_artifact(run, f"attempt-{name}", artifacts[job], expired=expired and job == 1)
            for number, ended in enumerate((first, ok), 1):
                if ended is not None:
                    github.add_job(run, f"Attempt {number:03}: a subject by somebody", *ended)
            made = found_on(forge, run, plan_of(), Path(tempfile.mkdtemp(dir=tmp_path)))
            missing = [f"{one.job}: {one.why}" for one in made.missing]
            return [*(f"{one.name}: {one.why}" for one in made.refused), *missing]

        assert found("001-1 002-1", ok) == []
        assert found("002-1", ok) == [gone]
        # A job that failed may have left what it had finished, or nothing.
        assert found("001-1 002-1", ("failure", 1)) == []
        assert found("002-1", ("failure", 1)) == ["001: its job ended as failure and left nothing."]
        assert found("002-1", ("cancelled", 1)) == ["001: its job ended as cancelled and left nothing."]
        assert found("002-1", None) == ["001: its job is not among the jobs of the workflow run and left nothing."]
        assert found("002-1", (None, 1)) == ["attempt-001-1: its job has not ended. Collect when it has."]
        # What it left in the first attempt of the workflow run is not what it left in the second.
        assert found("001-1 002-1", ("success", 2)) == [gone.replace("001-1", "001-2")]
        assert found("001-1 001-2 002-1", ("success", 2)) == []
        assert found("001-1 002-1", ok, expired=True) == ["attempt-001-1: it has expired."]
        assert found("001-1 001-1 002-1", ok) == ["attempt-001-1: there are several artifacts of this name."]


def test_what_a_workflow_run_left_is_downloaded_and_told_to_the_next_steps(
    elsewhere: Elsewhere, tmp_path: Path
) -> None:
    here, output = elsewhere.here(tmp_path), tmp_path / "output"
    write_json(tmp_path / "plan.json", plan_of())
    with GitHubServer() as github:
        for number in (1, 2):
            name, zipped = f"attempt-{number:03}-1", elsewhere.hand_over(tmp_path, number).zipped()
            github.add_artifact(7, name, zipped.read_bytes())
            github.add_job(7, f"Attempt {number:03}")
        github.add_artifact(7, "plan", b"is not looked at")
        done = argusic(
            here, "cycle", "collect", "small", "--plan", str(tmp_path / "plan.json"), "--workflow-run", "7", "--to",
            str(tmp_path / "collected"), GITHUB_OUTPUT=str(output), **github.environment(),
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert output.read_text() == "runs=2\n"
    assert len(read_json(tmp_path / "collected/collected.json", Collected).runs) == 2


def test_what_the_program_fails_over_is_refused_and_stops_no_other(elsewhere: Elsewhere, tmp_path: Path) -> None:
    for number in (1, 2):
        elsewhere.hand_over(tmp_path / "given", number)

    def failing(overlay: Overlay, folders: dict[str, PurePosixPath], known: Expected) -> Iterator[str]:
        if known.job.job == "001":
            raise OverflowError("date value out of range")
        return findings_of_runs(overlay, folders, known)

    with mock.patch("argusic.github.ladder.collecting.findings_of_runs", failing):
        made = gathered(elsewhere.here(tmp_path), tmp_path / "given")
    (refused,) = made.collected.refused
    assert refused.why == "it cannot be read: this program fails over it (OverflowError)."
    assert [file.path for file in made.collected.files if "/oracle/" in file.path] == []
    assert not list(made.overlay.root.glob("runs/small/repository/g/greeter/oracle"))
    assert len(made.collected.runs) == 1
