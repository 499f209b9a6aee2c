"""Collected and signed runs come to review as one commit and one pull request, also repeated, cut off or raced."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from argusic.evidence.verify import verify
from argusic.github.pushing import _There
from argusic.records.handing_over import HandedFile
from tests.conftest import git
from tests.github.ladder.killing import killed_at
from tests.github.ladder.staging import RELEASES, Signing, Stage, staged
from tests.program import argusic

pytestmark = pytest.mark.sandbox


@pytest.fixture
def stage(tmp_path: Path, signing: Signing) -> Iterator[Stage]:
    with staged(tmp_path, signing) as made:
        yield made


def test_the_chain_ends_in_one_pull_request_whose_merge_verifies(stage: Stage) -> None:
    dry = stage.commit("both", "--dry-run")
    assert (dry.returncode, "## Outcomes" in dry.stdout, stage.branch()) == (0, True, []), dry.stderr
    done = stage.commit("both", "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (len(made["runs"]), made["unsigned"], stage.commits()) == (2, [], 1)
    kinds = [path.split("/")[2] for path in stage.branch()]
    assert set(kinds) == {"conditions", "packs", "recipients.yaml", "repository", "signatures"}
    assert kinds.count("packs") == 1
    (pull,) = stage.github.pulls()
    assert (pull["head"], pull["base"], pull["title"]) == ("results/small", "main", "Results of small: 2 runs")
    for said in ("| pass full | 1 |", "| fail | 1 |", "`oracle` (control)", "signed by `ada", "would be derived"):
        assert said in pull["body"], said
    assert stage.database.git is not None and not stage.database.git.is_dirty()
    stage.github.merge(pull["number"])
    merged = stage.again("merged")
    verified = verify(merged)
    assert (verified.findings, verified.runs) == ([], 2)
    checked = argusic(merged, "check", "--base", git(merged.root, "rev-parse", "HEAD^1"))
    assert checked.returncode == 0, checked.stdout


def test_repeated_or_signed_anew_nothing_doubles_and_more_runs_renew_the_pull_request(stage: Stage) -> None:
    assert stage.commit("first").returncode == 0
    before = stage.branch()
    again = stage.commit("first", signed="first-signed-again")
    assert (again.returncode, "nothing was pushed" in again.stdout) == (0, True), again.stderr
    assert (stage.branch(), stage.commits(), len(stage.github.pulls())) == (before, 1, 1)
    # Both hold the first run, which is passed over; their one signature names it too.
    assert stage.commit("both").returncode == 0
    assert (set(before) < set(stage.branch()), stage.commits()) == (True, 2)
    assert sum("/packs/" in path for path in stage.branch()) == 2
    (pull,) = stage.github.pulls()
    assert pull["title"] == "Results of small: 2 runs"


def test_somebody_who_pushes_in_between_loses_nothing(stage: Stage) -> None:
    assert "never pushed to it" in stage.refused("second", "--branch", "main")
    pushed = stage.commit("second", "--branch", "results/prepared", "--no-pull")
    assert (pushed.returncode, "No pull request was opened." in pushed.stdout) == (0, True), pushed.stderr
    assert (stage.branch(), stage.github.pulls()) == ([], [])
    theirs = stage.github.bare.tip("results/prepared")
    assert theirs is not None
    push = _There.push
    times: list[str] = []

    def late(there: _There, commit: str, branch: str) -> None:
        """Let the other one come first the moment that ours is on its way."""
        if not times:
            stage.github.bare.git("update-ref", "refs/heads/results/small", theirs)
        times.append(commit)
        push(there, commit, branch)

    with mock.patch.object(_There, "push", late):
        done = stage.commit("first")
    assert (done.returncode, len(times)) == (0, 2), done.stderr
    assert (stage.commits(), sum("/packs/" in path for path in stage.branch())) == (2, 2)
    assert sum(path.endswith("/run.yaml") for path in stage.branch()) == 2
    (pull,) = stage.github.pulls()
    assert pull["title"] == "Results of small: 2 runs"


def test_killed_at_each_step_nothing_is_half_there_and_a_repetition_completes_it(stage: Stage) -> None:
    for fault, commits in (("commit-made", None), ("commit-pushed", 1), ("pull-opened", 1)):
        assert killed_at(fault, lambda: stage.commit("first")) == -signal.SIGKILL
        assert ((stage.commits() if stage.branch() else None), fault) == (commits, fault)
    done = stage.commit("first")
    assert done.returncode == 0, done.stderr
    assert (stage.commits(), len(stage.github.pulls())) == (1, 1)
    assert sum(path.endswith("/run.yaml") for path in stage.branch()) == 1


def test_what_is_not_exactly_what_was_signed_is_refused(stage: Stage) -> None:
    (stage.folder / "empty").mkdir()
    assert "which was not collected." in stage.refused("first", signed="both-signed")
    assert "no signature names runs/small/repository/g/greeter/nop/" in stage.refused("both", signed="first-signed")
    assert "rules/trust/policy.yaml states who may sign." in stage.refused("first", signed="empty")
    bundle = next(stage.taken("first-signed").rglob("*.sigstore.json"))
    bundle.write_bytes(bundle.read_bytes().replace(b'"sig":"', b'"sig":"AAAA').replace(b'"sig": "', b'"sig": "AAAA'))
    assert "its signature does not hold" in stage.refused("first")
    bundle.write_text("{}")
    assert "is no signature over runs" in stage.refused("first")
    assert stage.branch() == []


def test_a_collected_folder_that_was_changed_since_is_refused(stage: Stage) -> None:
    collected = stage.taken("first")
    more = HandedFile(path=f"store/00/{'0' * 64}", sha256="0" * 64, size=0)
    (collected / "runs/small/close.yaml").write_text("x")
    assert "holds runs/small/close.yaml, which its collected.json does not name." in stage.refused("first")
    (collected / "runs/small/close.yaml").unlink()
    stage.edit("first", lambda made: made.model_copy(update={"files": (*made.files, more)}))
    assert f"lacks {more.path}, which its collected.json names." in stage.refused("first")
    stage.edit("first", lambda made: made.model_copy(update={"files": made.files[:-1], "runs": ()}))
    assert "does not state the runs whose files it names." in stage.refused("first")
    path = next(collected.rglob("recording.cast"))
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    stage.edit("first", lambda made: made.model_copy(update={"runs": (path.parent.name,)}))
    assert " and the digest " in stage.refused("first")
    stage.edit("first", lambda made: made.model_copy(update={"cycle": "other"}))
    assert "was collected for cycle other, not small." in stage.refused("first")
    assert stage.branch() == []


def test_where_nobody_may_sign_the_lack_is_stated(tmp_path: Path, signing: Signing) -> None:
    with staged(tmp_path, signing, policy=False, home=None) as stage:
        (tmp_path / "empty").mkdir()
        done = stage.commit("first", signed="empty")
        assert (done.returncode, "Nobody vouches for 1 run" in done.stdout) == (0, True), done.stderr
        (pull,) = stage.github.pulls()
        assert "this repository states nobody who may" in pull["body"]
        assert "names no store for its evidence" in pull["body"]
        assert not any("/packs/" in path for path in stage.branch())


def test_evidence_is_elsewhere_before_the_runs_wait_for_review(tmp_path: Path, signing: Signing) -> None:
    with staged(tmp_path, signing, home=RELEASES) as stage:
        assert killed_at("evidence-sent", lambda: stage.commit("both")) == -signal.SIGKILL
        assert (list(stage.github.hub.releases), stage.branch()) == (["evidence-small"], [])
        assert stage.commit("both").returncode == 0
        (pull,) = stage.github.pulls()
        assert "Their evidence is in the releases of ada/referee." in pull["body"]
        assert not any("/packs/" in path for path in stage.branch())
        stage.github.merge(pull["number"])
        merged = stage.again("merged")
        verified = argusic(merged, "verify", "--json", **stage.github.environment())
        assert (verified.returncode, json.loads(verified.stdout)["runs"]) == (0, 2), verified.stdout
