"""`argusic pull comment`: a stranger's artifact makes it say ids, figures and known words, and nothing else."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from argusic.github.commenting import MOST_BYTES
from argusic.github.proposal import MOST_ROWS, comment, table
from argusic.github.pygithub_forge import GitHubForge
from argusic.records.difference import MOST_NAMED, Changed, Difference, Proposal
from tests.github_server import GitHubServer
from tests.program import Done, called

RUN = 41
CHANGED = {"aspect": "verdict", "cycle": "made-00", "kind": "package", "subject": "package/x", "after": "runs"}


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server


class Said:
    """A pull request whose checks ended, and what is said below it."""

    def __init__(self, github: GitHubServer, folder: Path) -> None:
        self.github, self.folder = github, folder
        self.head = github.bare.commit("theirs", {"pool/README.md": b"x\n"})
        forge = GitHubForge.of_environment(github.environment())
        self.number = forge.pull("theirs", "main", "A change", "")
        github.add_run(RUN)

    def proposal(self, **fields: Any) -> dict[str, Any]:
        difference = {"schema": 1, "changed": [CHANGED], "counts": {"verdict": 1}}
        made = {"schema": 1, "number": self.number, "head": self.head, "base": "b" * 40, "findings": 0}
        return {**made, "difference": difference, **fields}

    def leave(self, content: bytes | dict[str, Any], *, name: str = "proposal.json", method: int = 8) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", method) as held:
            held.writestr(name, data)
        self.github.add_artifact(RUN, "proposal", archive.getvalue())

    def run(self, **fields: Any) -> Done:
        path = ".github/workflows/pull-request.yml"
        run = {
            "id": RUN,
            "event": "pull_request",
            "path": path,
            "head_sha": self.head,
            "display_title": "`x`",
            **fields,
        }
        event = self.folder / "event.json"
        event.write_text(json.dumps({"action": "completed", "workflow_run": run}))
        return called("pull", "comment", "--event", str(event), environment=self.github.environment())

    def comments(self) -> list[str]:
        return [one["body"] for one in self.github.comments(self.number)]


@pytest.fixture
def said(github: GitHubServer, tmp_path: Path) -> Said:
    return Said(github, tmp_path)


def test_it_says_what_would_change_and_renews_what_it_said(said: Said) -> None:
    said.leave(said.proposal())
    assert said.run().stdout == f"Said below pull request {said.number}.\n"
    (body,) = said.comments()
    assert "| verdict | `made-00` | `package/x` | – | runs |" in body
    said.leave(said.proposal(findings=2))
    assert said.run().returncode == 0
    (body,) = said.comments()
    assert "found 2 to mend" in body


def test_it_writes_below_the_pull_request_that_the_run_was_of_and_below_no_other(said: Said) -> None:
    other = said.github.add_issue("Another")
    said.leave(said.proposal(head="c" * 40))
    assert "and the workflow run of" in said.run().stderr
    said.leave(said.proposal(number=other))
    assert said.run().stdout == f"Nothing to say: pull request {other} is not open.\n"
    said.leave(said.proposal())
    said.head = said.github.bare.commit("theirs", {"pool/README.md": b"y\n"})
    assert "and the workflow run of" in said.run().stderr
    stale = said.run(head_sha=said.proposal()["head"])
    assert stale.returncode == 2
    assert not said.comments() and not said.github.comments(other)


def test_below_one_that_moved_on_nothing_is_said(said: Said) -> None:
    old = said.head
    said.leave(said.proposal())
    said.github.bare.commit("theirs", {"pool/README.md": b"y\n"})
    assert (
        said.run(head_sha=old).stdout == f"Nothing to say: pull request {said.number} brings another commit by now.\n"
    )
    assert not said.comments()


def test_below_one_that_was_merged_meanwhile_nothing_is_said(said: Said) -> None:
    said.leave(said.proposal())
    said.github.merge(said.number)
    assert said.run().stdout == f"Nothing to say: pull request {said.number} is not open.\n"
    assert not said.comments()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"event": "push"}, "of no pull request"),
        ({"path": ".github/workflows/other.yml"}, "of no pull request"),
        ({}, "left no proposal"),
    ],
)
def test_of_another_run_and_of_one_that_left_nothing_nothing_is_said(
    said: Said, fields: dict[str, str], why: str
) -> None:
    done = said.run(**fields)
    assert (done.returncode, why in done.stdout) == (0, True)


HOSTILE = {
    "no archive": b"PK\x03\x04 and then nothing",
    "another name": ("../proposal.json", b"{}"),
    "no JSON": ("proposal.json", b"\xff"),
    "deep": ("proposal.json", b"[" * 500_000),
    "text for a word": {"changed": [{**CHANGED, "after": "[x](http://evil)"}]},
    "a cell for a value": {"changed": [{**CHANGED, "after": "a | b"}]},
    "a mention for an agent": {"changed": [{**CHANGED, "agent": "@everyone"}]},
    "an aspect of its own": {"changed": [{**CHANGED, "aspect": "<img>"}]},
    "a count of its own": {"counts": {"**bold**": 1}},
    "a huge count": {"counts": {"verdict": 10**40}},
    "more than may be named": {"changed": [CHANGED] * (MOST_NAMED + 1)},
    "a field of its own": {"markdown": "# x"},
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_proposal_is_refused_and_not_repeated(said: Said, hostile: object) -> None:
    if isinstance(hostile, bytes):
        said.github.add_artifact(RUN, "proposal", hostile)
    elif isinstance(hostile, tuple):
        said.leave(hostile[1], name=hostile[0])
    else:
        said.leave(said.proposal(difference={"schema": 1, "changed": [], "counts": {}, **hostile}))  # type: ignore[dict-item]
    done = said.run()
    assert done.returncode == 2 and len(done.stderr) < 200
    assert not re.search(r"evil|everyone|img|bold|PK", done.stderr)
    assert not said.comments()


def test_a_bomb_is_not_unpacked(said: Said) -> None:
    said.leave(b"0" * 30_000_000)
    assert f"more than {MOST_BYTES:,} bytes" in said.run().stderr
    said.leave(b"0" * 30_000_000, method=zipfile.ZIP_BZIP2)
    assert "packed in a way that artifacts are not" in said.run().stderr
    said.github.add_artifact(RUN, "proposal", bytes(MOST_BYTES + 1))
    assert f"it has {MOST_BYTES:,} at most" in said.run().stderr
    assert not said.comments()


VALUE = st.text(max_size=30)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["cycle", "kind", "agent", "subject", "before", "after"]), VALUE))
def test_whatever_passes_for_a_change_is_a_row_of_five_cells(fields: dict[str, str]) -> None:
    try:
        changed = Changed.model_validate({**CHANGED, **fields})
    except ValidationError:
        return
    made = table(Difference(changed=(changed,), counts={"verdict": 1}))
    row = made.rstrip("\n").split("\n")[-1]
    assert row.count("|") == 6
    assert re.fullmatch(r"[A-Za-z0-9_./`| –-]+", row)


def test_a_long_difference_is_cut_and_counted() -> None:
    changed = tuple(Changed.model_validate(CHANGED) for _ in range(MOST_NAMED))
    proposal = Proposal(
        number=1,
        head="a" * 40,
        base="b" * 40,
        findings=0,
        difference=Difference(changed=changed, counts={"verdict": 900_000}),
    )
    said = comment(proposal)
    assert said.count("\n| verdict") == MOST_ROWS and f"And {900_000 - MOST_ROWS} more" in said
    assert len(proposal.model_dump_json(by_alias=True)) < MOST_BYTES
