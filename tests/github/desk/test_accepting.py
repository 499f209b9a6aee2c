"""A label of somebody who may write has an issue written down, by a pull request, once; later edits stand beside it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

import pytest

from argusic.database.codec import parse_record
from argusic.database.database import Database
from argusic.database.paths import dispute_path, reproduction_request_path, request_path
from argusic.errors import InputError
from argusic.github.desk.branches import Branches
from argusic.github.desk.desk import Done
from argusic.github.desk.steps import MOST_REVISIONS, accept_issue, revise_issue
from argusic.github.events import Happening
from argusic.records.findings import Dispute, DisputeRevision
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.referee.check import check
from argusic.referee.requested import all_requests
from tests.github.conftest import CYCLE
from tests.github.desk.conftest import PEOPLE, Referee
from tests.github.desk.test_answering import ASKED, NOT_ASKED, only_ours, request
from tests.github.test_hostile import DISPUTES, REFUSALS, body, files, outside_of_code


def on(referee: Referee, branch: str) -> dict[str, bytes]:
    """Return what a branch has that the main one has not, or has otherwise."""
    main = referee.github.bare.files("main")
    return {path: data for path, data in referee.github.bare.files(branch).items() if main.get(path) != data}


def dispute_on(referee: Referee, issue: int) -> Dispute:
    path = dispute_path(CYCLE, issue)
    return parse_record(on(referee, f"disputes/{issue}")[str(path)], Dispute, file=path)


def mentions_nobody(*texts: str) -> None:
    """Whatever is said refers to our own issues and pull requests, and to nobody and nothing else."""
    for text in texts:
        ours = re.sub(r"^<!-- argusic: [a-z]+ -->\n|#[0-9]+", "", outside_of_code(text))
        assert not re.search(r"[@<>\[\]{}$#]|octocat", ours.replace("\n## ", "").removeprefix("## ")), ours


def test_whoever_may_write_decides(referee: Referee) -> None:
    assert [who for who in PEOPLE if referee.desk.decides(who)] == ["ada", "eve", "mel"]
    assert not referee.desk.decides("github-actions[bot]")


def test_a_maintainers_label_has_a_dispute_written_down_by_a_pull_request(referee: Referee) -> None:
    number = referee.issue(referee.body(claim="It never started. @octocat, see #1 <img src=x>"), "dispute")
    before = files(referee.database.root)
    found = referee.done("dispute", "accept", "--event", str(referee.labelled(number, by="mel")))
    path = dispute_path(CYCLE, number)
    assert (found["came"], found["path"]) == ("accepted", str(path))
    assert on(referee, f"disputes/{number}").keys() == {str(path)}
    dispute = dispute_on(referee, number)
    assert (dispute.by, dispute.claim[:17], dispute.resolution) == ("kim", "It never started.", None)
    assert dispute.accepted is not None and dispute.accepted.by == "mel"
    (pull,) = referee.github.pulls()
    assert (pull["head"], pull["base"]) == (f"disputes/{number}", "main")
    assert f"Of issue #{number}, accepted by `mel`." in pull["body"] and "- Total: 100 of 100" in pull["body"]
    assert f"Pull request #{pull['number']}" in referee.said(number)[-1]
    mentions_nobody(pull["body"], pull["title"], *referee.said(number))
    assert files(referee.database.root) == before
    referee.merge(pull["number"])
    assert [str(one) for one in check(Database(referee.database.root), "HEAD~1") if "disputes" in str(one)] == []


def test_anybody_elses_label_is_taken_off_and_writes_nothing(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    for by in ("tom", "rob", "kim", "nobody-knows", "other-app[bot]"):
        for label in ("accepted", "corrected", "evidence-stands"):
            referee.labelled(number, label, by)
            found = accept_issue(referee.desk, referee.happening(number, "labeled", sender=by, label=label))
            assert found.came == "not accepted"
            assert referee.github.labels(number) == ["dispute"]
            (said,) = referee.said(number)
            only_ours(said)
            assert f"The label `{label}` was taken off again: `{by}` put it on" in said
    assert referee.github.bare.branches().keys() == {"main"} and referee.github.pulls() == []


def test_a_second_label_and_a_second_try_do_nothing_new(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    event = str(referee.labelled(number))
    first = referee.done("dispute", "accept", "--event", event)
    tip = referee.github.bare.tip(f"disputes/{number}")
    for again in (event, str(referee.labelled(number, by="eve"))):
        second = referee.done("dispute", "accept", "--event", again)
        assert (second["came"], second["pull"]) == ("accepted before", first["pull"])
    assert referee.github.bare.tip(f"disputes/{number}") == tip
    assert len(referee.github.pulls()) == len(referee.said(number)) == 1
    assert dispute_on(referee, number).accepted.by == "ada"  # type: ignore[union-attr]
    referee.merge(first["pull"])
    third = referee.done("dispute", "accept", "--event", str(referee.labelled(number, by="eve")))
    assert (third["came"], third["pull"]) == ("accepted before", None)


def test_a_pull_request_that_was_closed_is_opened_again_by_another_label(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    first = accept_issue(referee.desk, happening_of(referee, number))
    referee.github.hub.pulls[first.pull or 0]["state"] = "closed"
    second = accept_issue(referee.desk, happening_of(referee, number))
    assert second.came == "accepted before" and second.pull not in (None, first.pull)


def test_a_step_that_ended_half_way_is_finished_by_the_next_try(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    event = str(referee.labelled(number))
    referee.github.fail("POST", "pulls", 403, "Resource not accessible by integration")
    failed = referee.call("dispute", "accept", "--event", event)
    assert failed.returncode != 0 and failed.stderr.count("\n") == 1 and "Traceback" not in failed.stderr
    assert referee.github.bare.tip(f"disputes/{number}") and referee.said(number) == []
    found = referee.done("dispute", "accept", "--event", event)
    assert found["pull"] == referee.github.pulls()[0]["number"]
    assert f"Pull request #{found['pull']}" in referee.said(number)[0]


def happening_of(referee: Referee, number: int, by: str = "ada") -> Happening:
    referee.labelled(number, by=by)
    return referee.happening(number, "labeled", sender=by, label="accepted")


def test_two_labels_at_once_make_one_file_and_one_pull_request(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    happenings = [happening_of(referee, number, by) for by in ("ada", "eve")]
    came: list[Done] = []

    def accept(happening: Happening) -> None:
        came.append(accept_issue(referee.desk, happening))

    threads = [threading.Thread(target=accept, args=(one,)) for one in happenings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(came) == 2
    accepted = dispute_on(referee, number).accepted
    assert accepted is not None and accepted.by in ("ada", "eve")
    assert on(referee, f"disputes/{number}").keys() == {str(dispute_path(CYCLE, number))}
    open_pulls = [one for one in referee.github.pulls() if one["state"] == "open"]
    assert len(open_pulls) == 1


def test_what_cannot_be_read_cannot_be_accepted(referee: Referee) -> None:
    number = referee.issue("### Link to the run\n\nnone", "dispute")
    found = referee.done("dispute", "accept", "--event", str(referee.labelled(number)))
    assert found["came"] == "not accepted"
    assert referee.github.labels(number) == ["dispute", "unclear"]
    assert [only_ours(one)[:20] for one in referee.said(number)] != []
    assert referee.github.bare.branches().keys() == {"main"}


def test_how_a_dispute_ended_takes_more_than_a_label(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    found = referee.done("dispute", "accept", "--event", str(referee.labelled(number, "evidence-stands")))
    assert found["came"] == "not accepted" and referee.github.labels(number) == ["dispute"]
    assert f"argusic dispute resolve {number} --resolution evidence_stands" in referee.said(number)[0]


def test_an_edit_after_it_was_accepted_is_kept_beside_what_was_accepted(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    pull = accept_issue(referee.desk, happening_of(referee, number)).pull
    first = on(referee, f"disputes/{number}")
    event = referee.edited(number, referee.body(claim="It started late."))
    found = referee.done("dispute", "revise", "--event", str(event))
    assert (found["came"], found["pull"]) == ("revised", pull)
    for same in (event, referee.edited(number, referee.body(claim="It started late."))):
        referee.done("dispute", "revise", "--event", str(same))
    now = on(referee, f"disputes/{number}")
    assert now[str(dispute_path(CYCLE, number))] == first[str(dispute_path(CYCLE, number))]
    assert now.keys() - first.keys() == {found["path"]}
    revision = parse_record(now[found["path"]], DisputeRevision, file=PurePosixPath(found["path"]))
    assert (revision.issue, revision.by, revision.claim) == (number, "kim", "It started late.")
    assert "It started late." in referee.github.pulls()[0]["body"]
    assert len(referee.github.pulls()) == 1
    again = referee.done("dispute", "accept", "--event", str(referee.labelled(number, by="eve")))
    assert (again["came"], again["path"]) == ("accepted before", str(dispute_path(CYCLE, number)))
    referee.merge(pull or 0)
    later = referee.done("dispute", "revise", "--event", str(referee.edited(number, referee.body(), by="ada")))
    assert later["came"] == "revised" and later["pull"] != pull
    assert on(referee, f"disputes/{number}").keys() == {later["path"]}
    again = referee.done("dispute", "accept", "--event", str(referee.labelled(number, by="eve")))
    assert (again["came"], again["path"], again["pull"]) == ("accepted before", later["path"], later["pull"])
    referee.merge(later["pull"])
    revisions = Database(referee.database.root).dispute_revisions(CYCLE)[number]
    assert [(one.by, one.claim) for one in revisions] == [("kim", "It started late."), ("ada", "It never started.")]
    assert [str(one) for one in check(Database(referee.database.root), "HEAD~2") if "disputes" in str(one)] == []
    shown = referee.call("dispute", "show", str(number)).stdout
    assert "by ada" in shown and shown.count("Changed on ") == 2


def test_an_edit_that_cannot_be_kept_is_answered(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    assert revise_issue(referee.desk, edit(referee, number, referee.body())).came == "left alone"
    accept_issue(referee.desk, happening_of(referee, number))
    tip = referee.github.bare.tip(f"disputes/{number}")
    for text, says in (
        (referee.body("second"), f"It is of run {referee.runs['first']}."),
        ("Never mind.", "does not begin with the field"),
        (referee.body(claim="\u200b"), "is not answered"),
    ):
        assert revise_issue(referee.desk, edit(referee, number, text)).came == "not revised"
        assert says in referee.said(number)[-1]
        only_ours(referee.said(number)[-1])
    assert referee.github.bare.tip(f"disputes/{number}") == tip
    assert len(referee.said(number)) == 2


def test_of_two_edits_within_one_second_the_first_is_kept(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    accept_issue(referee.desk, happening_of(referee, number))
    at = {"updated_at": "2026-11-22T08:00:00Z"}
    came = []
    for claim in ("One.", "Two."):
        facts = at | {"body": referee.body(claim=claim)}
        came.append(revise_issue(referee.desk, referee.happening(number, "edited", states=facts)).came)
    assert came == ["revised", "not revised"]
    assert "changed twice within one second" in referee.said(number)[-1]


def edit(referee: Referee, number: int, text: str) -> Happening:
    referee.github.hub.issues[number]["body"] = text
    return referee.happening(number, "edited", sender="kim")


def test_a_stranger_can_have_no_more_than_so_many_edits_kept(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_REVISIONS == 20
    monkeypatch.setattr("argusic.github.desk.steps.MOST_REVISIONS", 2)
    number = referee.issue(referee.body(), "dispute")
    accept_issue(referee.desk, happening_of(referee, number))
    came = [revise_issue(referee.desk, edit(referee, number, referee.body(claim=f"No {n}."))).came for n in range(3)]
    assert came == ["revised", "revised", "not revised"]
    assert len(referee.github.pulls()) == 1


def test_a_request_for_the_stronger_agent_is_written_down_and_owed(referee: Referee) -> None:
    number = referee.issue(request(referee, "page"), "request")
    found = referee.done("dispute", "accept", "--event", str(referee.labelled(number)))
    path = request_path(CYCLE, "package/second")
    assert (found["came"], found["path"]) == ("accepted", str(path))
    referee.github.hub.issues[number]["body"] = request(referee, "plain").replace("It works", "It still works")
    again = referee.done("dispute", "accept", "--event", str(referee.labelled(number)))
    assert again["pull"] == found["pull"]
    made = parse_record(on(referee, f"requests/{number}")[str(path)], StrongerRequest, file=path)
    assert (made.by, made.issue, made.reason) == ("kim", number, "It works for me.")
    referee.merge(found["pull"])
    assert [one.state for one in all_requests(Database(referee.database.root))] == ["open"]
    last = referee.done("dispute", "accept", "--event", str(referee.labelled(number)))
    assert last["came"] == "accepted before"
    edited = referee.done("dispute", "answer", "--event", str(referee.edited(number, request(referee, "plain"))))
    assert edited["came"] == "left alone"
    other = referee.issue(request(referee, "plain"), "request")
    assert referee.done("dispute", "accept", "--event", str(referee.labelled(other)))["came"] == "not accepted"


def test_a_request_to_make_a_sealed_run_again_waits_for_those_who_can(referee: Referee) -> None:
    number = referee.issue(request(referee, "sealed"), "request")
    found = referee.done("dispute", "accept", "--event", str(referee.labelled(number)))
    path = reproduction_request_path(CYCLE, referee.runs["third"])
    assert found["path"] == str(path)
    made = parse_record(on(referee, f"requests/{number}")[str(path)], ReproductionRequest, file=path)
    assert made.reason == "@everyone <img src=x> ${{ secrets.X }} `rm -rf ~`"
    referee.merge(found["pull"])
    assert "argusic reproduce first --subject package/third --agent quiet" in referee.call("request", "list").stdout
    assert [str(one) for one in check(Database(referee.database.root), "HEAD~1") if "requests" in str(one)] == []


@dataclass
class Noted(Branches):
    """Branches that nothing is on, and that keep what is put on them."""

    put_on: dict[str, dict[PurePosixPath, bytes]] = field(default_factory=dict)

    def below(self, branch: str, *folders: PurePosixPath) -> Mapping[PurePosixPath, bytes]:
        return {}

    def put(self, branch: str, files: Mapping[PurePosixPath, bytes], message: str, *, replace: bool = False) -> bool:
        self.put_on[branch] = dict(files)
        assert message.isprintable() or message.count("\n") == 2
        return True


def test_whatever_a_hostile_issue_says_its_file_lies_where_its_number_says(referee: Referee) -> None:
    noted = Noted()
    desk = replace(referee.desk, branches=noted)
    tip = referee.github.bare.commit("other", {"x": b"x"})
    for name in (*DISPUTES, *REFUSALS):
        number = referee.issue(body(name, referee.runs["first"]), "dispute")
        referee.github.bare.git("update-ref", f"refs/heads/disputes/{number}", tip)
        done = accept_issue(desk, happening_of(referee, number))
        assert (done.came == "accepted") == (name in DISPUTES), name
    for name in (*ASKED, *NOT_ASKED):
        number = referee.issue(request(referee, name), "request")
        referee.github.bare.git("update-ref", f"refs/heads/requests/{number}", tip)
        done = accept_issue(desk, happening_of(referee, number))
        assert (done.came == "accepted") == (name in ASKED), name
    assert len(noted.put_on) == len(DISPUTES) + len(ASKED)
    for branch, put in noted.put_on.items():
        (path,) = put
        what, issue = branch.split("/")
        if what == "disputes":
            assert path == PurePosixPath("runs", CYCLE, "disputes", f"{issue}.yaml")
            assert parse_record(put[path], Dispute, file=path).resolution is None
        else:
            assert path in (
                request_path(CYCLE, "package/second"),
                reproduction_request_path(CYCLE, referee.runs["third"]),
            )
    for pull in referee.github.pulls():
        mentions_nobody(pull["body"], pull["title"])


def test_a_branch_that_holds_another_file_is_left_as_it_is(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    path = dispute_path(CYCLE, number)
    referee.github.bare.commit(f"disputes/{number}", {str(path): b"issue: x\n"})
    with pytest.raises(InputError, match=str(path)):
        accept_issue(referee.desk, happening_of(referee, number))
    assert on(referee, f"disputes/{number}")[str(path)] == b"issue: x\n"


def test_a_label_that_was_taken_off_meanwhile_decides_nothing(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    event = referee.labelled(number)
    referee.github.hub.issues[number]["labels"].remove("accepted")
    assert referee.done("dispute", "accept", "--event", str(event))["came"] == "left alone"
    assert (referee.github.pulls(), referee.said(number)) == ([], [])


def test_an_event_of_another_repository_is_refused(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    event = referee.labelled(number)
    said = json.loads(event.read_text())
    for name, refused in (("ada/other", True), ("Ada/Referee", False)):
        event.write_text(json.dumps({**said, "repository": {"full_name": name}}))
        done = referee.call("dispute", "accept", "--event", str(event))
        assert ("is of the repository ada/other, not of ada/referee." in done.stderr) == refused
        assert bool(referee.github.pulls()) != refused
