"""An issue is answered once, below it, and an answer is renewed; nothing is written down, and nobody is mentioned."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from argusic.errors import InputError
from argusic.github.desk.case import case_of
from argusic.github.desk.steps import answer_issue
from tests.github.desk.conftest import Referee
from tests.github.test_hostile import DISPUTES, REFUSALS, body, files, outside_of_code

REQUESTS = Path(__file__).parents[1] / "hostile" / "requests"
#: What a request's answer begins with, or how it is refused.
ASKED = {
    "plain": "## The stronger agent on `package/second`",
    "page": "## The stronger agent on `package/second`",
    "heading_in_an_answer": "## The stronger agent on `package/second`",
    "sealed": "## Run `{RUN}` once more",
}
NOT_ASKED = {
    "path": "the issue names no subject, by its page or as KIND/SLUG.",
    "path_in_the_page": "the issue names no subject, by its page or as KIND/SLUG.",
    "shell": "the issue names no subject, by its page or as KIND/SLUG.",
    "encoded": "the issue names no subject, by its page or as KIND/SLUG.",
    "no_choice": "the field “What is wanted” is none of the answers to choose from.",
    "wanted_twice": "the field “What is wanted” has several lines, and the form has one.",
    "not_answered": "the field “Why” is not answered.",
    "lines": "the field “Of what” has several lines, and the form has one.",
    "unknown_subject": "no cycle here tests package/elsewhere.",
    "runs_already": "package/first was shown to run in cycle first, and a chain ends at its first pass.",
    "open_run": "the configuration of newcomer is open: anybody can make run",
    "two_runs": "the issue names more than one run; an issue is of one.",
}


def request(referee: Referee, name: str) -> str:
    text = (REQUESTS / f"{name}.md").read_text()
    return text.replace("{RUN}", referee.runs["third"]).replace("{OPEN}", referee.runs["first"])


def only_ours(comment: str) -> str:
    """Return what of a comment is ours, which mentions nobody and refers to nothing."""
    first, _, rest = comment.partition("\n")
    assert re.fullmatch(r"<!-- argusic: [a-z]+ -->", first)
    ours = outside_of_code(rest)
    assert not re.search(r"[@<>\[\]{}$]|owned|octocat|::|#\d", ours), ours
    return ours


def test_a_dispute_is_answered_once_and_an_edit_renews_the_answer(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    before = files(referee.database.root)
    assert referee.done("dispute", "answer", "--event", str(referee.event(number, "opened")))["came"] == "answered"
    (first,) = referee.said(number)
    assert f"## Run `{referee.runs['first']}`" in first and "It never started." in first
    assert "- Total: 100 of 100" in first and "The audit" in first
    words = referee.call("dispute", "answer", "--event", str(referee.edited(number, referee.body(claim="It is slow."))))
    assert words.stdout == f"Issue {number} was answered.\n"
    (second,) = referee.said(number)
    assert "It is slow." in second and "It never started." not in second
    assert files(referee.database.root) == before
    assert referee.github.bare.branches().keys() == {"main"}


def test_what_cannot_be_read_is_refused_once_and_says_so_with_a_label(referee: Referee) -> None:
    number = referee.issue("### Link to the run\n\nnone", "dispute")
    assert referee.done("dispute", "answer", "--event", str(referee.event(number, "opened")))["came"] == "refused"
    assert "Nothing was written down." in only_ours(*referee.said(number))
    assert referee.github.labels(number) == ["dispute", "unclear"]
    referee.done("dispute", "answer", "--event", str(referee.edited(number, referee.body())))
    (said,) = referee.said(number)
    assert "## Run" in said
    assert referee.github.labels(number) == ["dispute"]


def test_an_issue_like_any_other_is_left_alone(referee: Referee) -> None:
    others = [("It does not build here.", ()), ("", ()), ("### Something\n\nelse", ("bug",))]
    for text, labels in (*others, (None, ("dispute", "request"))):
        number = referee.issue(text or "", *labels)
        for step, event in (
            ("answer", referee.event(number, "opened", states={"body": text})),
            ("revise", referee.edited(number, "Other words.")),
            ("accept", referee.labelled(number)),
        ):
            assert referee.done("dispute", step, "--event", str(event))["came"] == "left alone"
        assert referee.said(number) == [] and "accepted" in referee.github.labels(number)


def test_every_hostile_body_is_answered_or_refused_and_mentions_nobody(referee: Referee) -> None:
    desk, before = referee.desk, files(referee.database.root)
    for name in (*DISPUTES, *REFUSALS):
        number = referee.issue(body(name, referee.runs["first"]), "dispute")
        done = answer_issue(desk, referee.happening(number, "opened"))
        ours = only_ours(*referee.said(number))
        if name in DISPUTES:
            assert done.came == "answered" and "What was understood" in ours, name
        else:
            assert done.came == "refused" and "Nothing was written down." in ours, name
            assert REFUSALS[name] in referee.said(number)[0]
    assert files(referee.database.root) == before


def test_every_hostile_request_is_answered_or_refused_and_mentions_nobody(referee: Referee) -> None:
    assert {path.stem for path in REQUESTS.glob("*.md")} == ASKED.keys() | NOT_ASKED.keys()
    desk, before = referee.desk, files(referee.database.root)
    for name, says in (ASKED | NOT_ASKED).items():
        number = referee.issue(request(referee, name), "request")
        done = answer_issue(desk, referee.happening(number, "opened"))
        (said,) = referee.said(number)
        assert done.came == ("answered" if name in ASKED else "refused"), (name, said)
        assert says.replace("{RUN}", referee.runs["third"]) in said, name
        only_ours(said)
    assert files(referee.database.root) == before


def test_an_issue_of_any_size_is_answered_in_a_comment_that_github_takes(referee: Referee) -> None:
    for text in ("x" * 70_000, "`" * 65_000, "### Link to the run\n\n" + "\u202e" * 65_000):
        number = referee.issue(text, "dispute")
        assert answer_issue(referee.desk, referee.happening(number, "opened")).came == "refused"
        assert len(referee.said(number)[0]) < 10_000


def test_the_longest_answers_make_a_comment_that_github_takes(referee: Referee) -> None:
    long = "x" + "`" * 9_999
    text = referee.body(claim=long).replace("A failure.", long).replace("_No response_", long)
    number = referee.issue(text, "dispute")
    answer_issue(referee.desk, referee.happening(number, "opened"))
    (said,) = referee.said(number)
    assert "8,000 more characters" in said
    only_ours(said)


def test_the_comment_of_a_stranger_with_our_mark_is_not_taken_for_ours(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    referee.github.add_comment(number, "<!-- argusic: answer -->\nIt was corrected.", author="kim")
    answer_issue(referee.desk, referee.happening(number, "opened"))
    first, second = referee.said(number)
    assert "It was corrected." in first and "## Run" in second


def test_what_is_odd_in_an_event_and_lawful_is_understood(referee: Referee) -> None:
    odd = [{"name": "**dispute**"}, {"name": "![](x)"}, {"name": "dispute"}, {"name": "@everyone"}]
    odd_events: list[dict[str, object]] = [
        {"user": None},
        {"labels": odd},
        {"labels": []},
        {"body": referee.body().replace("\n", "\r\n")},
    ]
    for facts in odd_events:
        number = referee.issue(referee.body(), "dispute")
        assert answer_issue(referee.desk, referee.happening(number, "opened", states=facts)).came == "answered"


def test_a_dispute_of_somebody_whose_account_is_gone_is_written_down(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    case = case_of(referee.database, "dispute", referee.happening(number, "opened", states={"user": None}).issue)
    assert case.record.by == "ghost"


def test_what_github_does_not_state_is_refused_in_a_sentence(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    strange: list[dict[str, object]] = [
        {"number": "7"},
        {"number": 2**60},
        {"number": True},
        {"user": "kim"},
        {"user": {"login": "kim\n@all"}},
        {"labels": "dispute"},
        {"labels": [{"name": 7}]},
        {"labels": None},
        {"updated_at": 7},
        {"created_at": "2026-11-20"},
        {"body": ["x"]},
        {"pull_request": {}},
    ]
    for facts in strange:
        with pytest.raises(InputError) as raised:
            referee.happening(number, "opened", states=facts)
        assert "\n" not in str(raised.value)
    for sender in ("../x", "a b", "", None, 7):
        with pytest.raises(InputError):
            referee.happening(number, "labeled", sender=sender, label="accepted")
    found = referee.call("dispute", "answer", "--event", str(referee.event(number, "opened", states=strange[0])))
    assert found.returncode == 2 and found.stderr.count("\n") == 1 and "Traceback" not in found.stderr
    assert referee.said(number) == []


def test_a_step_says_what_it_lacks(referee: Referee) -> None:
    event = str(referee.event(referee.issue(referee.body(), "dispute"), "opened"))
    assert "GITHUB_REPOSITORY" in referee.call("dispute", "answer", "--event", event, GITHUB_REPOSITORY="").stderr
    nobody = referee.call("dispute", "answer", "--event", event, GITHUB_TOKEN="", GH_TOKEN="")
    assert nobody.returncode == 3 and "token" in nobody.stderr
