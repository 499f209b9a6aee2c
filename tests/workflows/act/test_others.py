"""Every other workflow, run once as GitHub would run it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.program import argusic
from tests.workflows.act.referee import CYCLE, Referee
from tests.workflows.act.running import TOP

pytestmark = pytest.mark.act


def test_recompute_derives_once_and_commits_what_follows(measured: Referee) -> None:
    board = measured.platform.names("leaderboards")[0]
    measured.platform.bare.commit("main", {board: None}, "Lost")
    ran = measured.run("recompute.yml", "push")
    assert ran.ok, ran.told()
    assert measured.platform.bare.read("main", board) is not None
    tip = measured.platform.bare.tip("main")
    measured.variables["ARGUSIC_APP"] = "an-app"
    measured.secrets = {"maintenance": {"ARGUSIC_APP_KEY": "the-key-of-the-app"}}
    again = measured.run("recompute.yml", "push")
    assert again.ok, again.told()
    assert measured.platform.bare.tip("main") == tip
    database = measured.checkout("after")
    assert argusic(database, "recompute", "--check").returncode == 0
    assert argusic(database, "check").returncode == 0


def test_the_site_is_built_and_deployed(measured: Referee) -> None:
    ran = measured.run("site.yml", "workflow_run", workflow_run={"conclusion": "success", "head_branch": "main"})
    assert ran.conclusions() == {"Build": "success", "Deploy": "success"}, ran.told()
    assert "1 subject" in ran.leg("build").log


def test_the_clock_sweeps(measured: Referee) -> None:
    measured.variables["ARGUSIC_CYCLE"] = CYCLE
    ran = measured.run("sweep.yml", "schedule", schedule="41 */4 * * *")
    assert ran.ok, ran.told()


def test_a_lawful_pull_request_passes_and_one_that_edits_evidence_does_not(measured: Referee) -> None:
    bare = measured.platform.bare
    bare.commit("lawful", {"docs/a-page.md": b"# A page\n"}, "A page")
    ran = measured.propose("lawful")
    assert ran.ok, ran.told()
    run = next(name for name in measured.platform.names("runs") if name.endswith("/run.yaml"))
    bare.commit("tampered", {run: (bare.read("main", run) or b"") + b"# Better.\n"}, "Better")
    ran = measured.propose("tampered")
    assert ran.leg("check").failed == ["Check"], ran.told()
    assert run in ran.leg("check").log
    facts = ran.payload["pull_request"]
    event = {"id": ran.number, "event": "pull_request", "path": ".github/workflows/pull-request.yml"}
    said = measured.run("comment.yml", "workflow_run", workflow_run={**event, "head_sha": facts["head"]["sha"]})
    assert said.ok, said.told()
    (comment,) = measured.platform.comments(facts["number"])
    assert "No board, verdict or count would change." in comment["body"]


def hostile(canary: Path) -> str:
    """Return what a stranger writes who wants to run something here."""
    touch = f"touch {canary}"
    return f"$({touch}) `{touch}` \"; {touch}; ' && {touch} ${{{{ github.token }}}}"


def test_an_issue_runs_nothing_and_a_maintainers_label_makes_it_a_pull_request(measured: Referee) -> None:
    canary = measured.scratch / "canary"
    run = next(name for name in measured.platform.names("runs") if name.endswith("/run.yaml")).split("/")[-2]
    claim = f"{hostile(canary)}\n::set-output name=x::y\n::add-path::/nowhere\n::error::no\nEOF\n{hostile(canary)}"
    body = (
        f"### Link to the run\n\n{run}\n\n### What is wrong\n\n{claim}\n\n"
        f"### What should be different\n\n{hostile(canary)}\n\n### Evidence\n\n_No response_\n"
    )
    number = measured.platform.add_issue(hostile(canary), body, author="mallory", labels=("dispute",))
    issue = {
        "number": number,
        "title": hostile(canary),
        "body": body,
        "user": {"login": "mallory"},
        "labels": [{"name": "dispute"}],
        "created_at": "2026-11-30T12:00:00Z",
        "updated_at": "2026-11-30T12:00:00Z",
        "html_url": f"https://github.invalid/ada/referee/issues/{number}",
    }
    opened = measured.run("dispute.yml", "issues", action="opened", issue=issue, sender={"login": "mallory"})
    assert opened.conclusions() == {"Answer": "success"}, opened.told()
    (comment,) = measured.platform.comments(number)
    assert run in comment["body"]
    assert measured.platform.pulls() == []

    # From here on the referee is an app of its own.
    measured.variables["ARGUSIC_APP"] = "an-app"
    measured.secrets = {"maintenance": {"ARGUSIC_APP_KEY": "the-key-of-the-app"}}
    measured.platform.set_permission("ada", "admin")
    issue["labels"] = [{"name": "dispute"}, {"name": "accepted"}]
    measured.platform.hub.issues[number]["labels"].append("accepted")
    accepted = measured.run("dispute.yml", "issues", action="labeled", label={"name": "accepted"}, issue=issue)
    assert accepted.conclusions() == {"Accept": "success"}, accepted.told()
    assert len(measured.platform.pulls()) == 1, accepted.told()
    (pull,) = measured.platform.pulls()
    assert measured.platform.bare.read(pull["head"], f"runs/{CYCLE}/disputes/{number}.yaml") is not None
    assert measured.platform.merge(pull["number"]) is not None

    # The stranger edits it; then a maintainer says how it ends.
    issue |= {
        "body": body.replace("\n### Evidence", "It said so.\n\n### Evidence"),
        "updated_at": "2026-11-30T13:00:00Z",
    }
    edited = measured.run("dispute.yml", "issues", action="edited", issue=issue, sender={"login": "mallory"})
    assert edited.conclusions() == {"Answer": "success", "Revise": "success"}, edited.told()
    words = {"issue": str(number), "resolution": "evidence_stands", "reason": hostile(canary)}
    resolved = measured.run("dispute.yml", inputs={**words, "seconds": "0.1 it begins", "more_seconds": ""})
    assert resolved.conclusions() == {"Resolve": "success"}, resolved.told()
    for leg in (*opened.legs, *accepted.legs, *edited.legs, *resolved.legs):
        # What is printed stands between a token that stops commands and the same token.
        obeyed = [one for one in leg.commands if not re.fullmatch("stop-commands|[0-9a-f]{32}", one)]
        assert set(obeyed) <= {"set-output token"}, "the app's, by its own action"
    assert not canary.exists()


def test_a_fork_reproduces_a_cycle_with_one_click(measured: Referee) -> None:
    measured.address = "https://github.invalid"
    ran = measured.run("reproduce.yml", inputs={"cycle": CYCLE, "subject": ""})
    assert ran.ok, ran.told()


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("argusic keys sweep", "argusic keys swep", "No such command 'swep'"),
        ("uses: ./.github/actions/set-up", "uses: ./.github/actions/set-upp", "set-upp"),
        ("runs-on: ubuntu-24.04", "runs-onn: ubuntu-24.04", "Unknown Property runs-onn"),
        ("actions: read", "actions: none", "Resource not accessible by integration"),
    ],
)
def test_a_typo_in_a_workflow_fails(measured: Referee, right: str, wrong: str, said: str) -> None:
    file = ".github/workflows/sweep.yml"
    text = (TOP / file).read_text()
    assert right in text
    measured.platform.bare.commit("main", {file: text.replace(right, wrong).encode()}, "A typo")
    ran = measured.run("sweep.yml", "schedule", schedule="41 */4 * * *")
    assert not ran.ok
    assert said in ran.told()
