"""Hostile bodies of issues become a valid dispute or one refusal; nothing of them runs, or is written elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.database.database import Database
from argusic.database.paths import dispute_path
from argusic.errors import InputError
from argusic.records.findings import Dispute
from argusic.records.run import Run
from argusic.referee.check import check
from tests.github.conftest import CYCLE, Event

BODIES = Path(__file__).with_name("hostile")

#: What the claim of a valid dispute holds.
DISPUTES = {
    "heading_in_an_answer": "### Link to the run\n\n20260101T000000Z-aaaaaa\n\n### Evidence\n\nNone of it.",
    "next_heading_in_an_answer": "It never started.",
    "fields_twice": "It never started.",
    "html_and_comments": "<!-- ### What should be different -->",
    "yaml": "--- !!python/object/apply:os.system ['touch owned']",
    "mentions_and_links": "@everyone @octocat/all #1 fixes #2",
    "code_fences": "```\nstill code",
    "shell": "::error::no\nEOF\ntouch owned",
    "expressions": "${{ secrets.GITHUB_TOKEN }}",
    "path_in_the_link": "It never started.",
    "carriage_returns": "Line one.\nLine two.\nLine three.",
    "control_characters": "It\ufffd \ufffd[31mnever\ufffd[0m \ufffdstarted\ufffd\ufffd\ufffd.\ufffd]0;owned\ufffd",
    "zero_width_and_bidi": "It never\ufffd \ufffddetrats\ufffd \ufffdx\ufffd\ufffd \ufffdstarted.",
    "closing_tags": "-->\n</details></summary></code></pre>",
    "images": "![p](https://example.org/pixel.png) <img",
    "no_response_in_an_answer": "_No response_\n\nThat is what it printed.",
    "commands_of_platforms": "/close\n/label accepted",
    "tilde_fences": "~~~~\n```\n~~~\n~~~~~\n@octocat",
    "front_matter": "resolution:\n  result: corrected\n---",
    "other_languages": "می\u200cخواهم 👩\u200d💻",
}
REFUSALS = {
    "field_missing": "the field “What is wrong” is missing where the form has it.",
    "fields_in_another_order": "the issue does not begin with the field “Link to the run”, as the form writes it.",
    "not_answered": "the field “What is wrong” is not answered.",
    "without_the_form": "the issue does not begin with the field “Link to the run”, as the form writes it.",
    "text_before_the_form": "the issue does not begin with the field “Link to the run”, as the form writes it.",
    "path_without_a_run": "the issue names no run, by its address or its id.",
    "two_runs": "the issue names more than one run; an issue is of one.",
    "unknown_run": "there is no run 20260101T000000Z-aaaaaa here.",
    "zero_width_in_a_heading": "the issue does not begin with the field “Link to the run”, as the form writes it.",
    "nothing_but_invisible": "the field “What is wrong” is not answered.",
    "lookalike_heading": "the field “What is wrong” is missing where the form has it.",
    "run_on_two_lines": "the field “Link to the run” has several lines, and the form has one.",
}


def body(name: str, run: Run | str) -> str:
    named = run if isinstance(run, str) else run.run
    return (BODIES / f"{name}.md").read_bytes().decode().replace("{RUN}", named)


def files(root: Path) -> dict[str, bytes]:
    """Return every file but what git ignores."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".argusic" not in path.parts
    }


def open_dispute(database: Database, event: Path, *options: str) -> object:
    answer = event.with_name("answer.md")
    arguments = ["--repo", str(database.root), "dispute", "open", "--event", str(event), "--answer", str(answer)]
    return CliRunner().invoke(build("dispute"), [*arguments, *options], catch_exceptions=True).exception


def outside_of_code(markdown: str) -> str:
    """Return an answer without what GitHub shows as code."""
    kept: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        if fence:
            fence = "" if line.strip() == fence else fence
        elif opened := re.match("(`{3,})text$", line):
            fence = opened[1]
        else:
            kept.append(re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    assert not fence, "a block of code is not closed"
    return "\n".join(kept)


def test_every_hostile_body_has_its_expectation() -> None:
    names = {path.stem for path in BODIES.glob("*.md")} - {"README"}
    assert names == DISPUTES.keys() | REFUSALS.keys()
    assert len(names) >= 20


@pytest.mark.parametrize("name", DISPUTES)
def test_a_hostile_body_becomes_a_dispute_that_says_what_it_said(
    name: str, disputed: tuple[Database, Run], event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, run = disputed
    monkeypatch.chdir(tmp_path)
    source = event(body(name, run))
    before = files(tmp_path)
    assert open_dispute(database, source) is None
    after = files(tmp_path)
    path = dispute_path(CYCLE, 7)
    assert after.keys() - before.keys() == {f"referee/{path}", "answer.md"}
    assert {name: after[name] for name in before} == before
    dispute = Database(database.root).read(path, Dispute)
    assert (dispute.run, dispute.by, dispute.issue) == (run.run, "kim", 7)
    assert dispute.resolution is None
    assert DISPUTES[name] in dispute.claim
    assert [found for found in check(database, None) if str(path) in str(found)] == []
    ours = outside_of_code(after["answer.md"].decode())
    assert not re.search(r"[@<>\[\]{}$]|owned|octocat|::|#\d", ours), ours


@pytest.mark.parametrize("name", REFUSALS)
def test_a_body_that_is_no_dispute_is_refused_in_one_sentence(
    name: str, disputed: tuple[Database, Run], event: Event, tmp_path: Path
) -> None:
    database, run = disputed
    source = event(body(name, run))
    before = files(tmp_path)
    error = open_dispute(database, source)
    assert isinstance(error, InputError)
    assert error.what == REFUSALS[name]
    after = files(tmp_path)
    answer = after.pop("answer.md").decode()
    assert after == before
    assert REFUSALS[name] in answer and "Nothing was written down." in outside_of_code(answer)


@pytest.mark.parametrize("text", ["x" * 1_000_000, "### Link to the run\n\n" + "`" * 999_000, "\u200b" * 1_000_000])
def test_a_body_of_a_million_characters_is_refused(text: str, disputed: tuple[Database, Run], event: Event) -> None:
    error = open_dispute(disputed[0], event(text))
    assert isinstance(error, InputError)
    assert error.what == "the issue is longer than 65,536 characters, which is the most that is read."


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"number": "7; touch owned"}, "issue.number"),
        ({"number": -1}, "issue.number"),
        ({"user": {"login": "../../x"}}, "issue.user.login"),
        ({"user": {"login": "kim\n@all"}}, "issue.user.login"),
        ({"created_at": "yesterday"}, "issue.created_at"),
        ({"html_url": "javascript:alert(1)//"}, "url: "),
        ({"html_url": 'https://x/"><script>'}, "url: "),
        ({"pull_request": {}}, "is of a pull request"),
        ({"body": None}, "does not begin with"),
    ],
)
def test_what_github_does_not_state_is_refused(
    facts: dict[str, object], says: str, disputed: tuple[Database, Run], event: Event
) -> None:
    database, run = disputed
    error = open_dispute(database, event(body("shell", run), **facts))
    assert isinstance(error, InputError) and says in str(error)
    assert not database.holds(dispute_path(CYCLE, 7))
