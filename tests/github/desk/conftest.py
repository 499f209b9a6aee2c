"""A referee's checkout whose remote is a GitHub on the loopback, and the events that it would state of issues."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from argusic.database.database import Database
from argusic.database.paths import agent_path, cycle_path
from argusic.github.desk.desk import Desk
from argusic.github.desk.opening import open_desk
from argusic.github.disputes import FORM_PATH
from argusic.github.events import Happening, read_happening
from argusic.github.requests import FORM_PATH as REQUEST_FORM
from argusic.records.agent import Agent
from argusic.records.cycle import Cycle
from tests.github.conftest import BODY, TOP
from tests.github_server import GitHubServer
from tests.program import Done, argusic
from tests.site.fixture_database import CYCLE, FAIL, PASS, FixtureDatabase

#: People, and what each may do.
PEOPLE = {"ada": "admin", "eve": "write", "mel": "maintain", "tom": "triage", "rob": "read"}
SEALED: dict[str, Any] = {
    "agent": "quiet",
    "title": "Quiet",
    "role": "agent",
    "program": "shell",
    "implementation": "shell",
    "commitment": "1" * 64,
    "sealed": {"sealed_size": 1, "sealed_sha256": "1" * 64, "recipients": [f"age1{'q' * 58}", f"age1{'p' * 58}"]},
}


@dataclass
class Referee:
    """A checkout, its remote, and what happens to its issues."""

    database: Database
    github: GitHubServer
    folder: Path
    runs: dict[str, str]
    clock: int = 0

    @property
    def desk(self) -> Desk:
        return open_desk(Database(self.database.root), "origin", self.environment)

    @property
    def environment(self) -> dict[str, str]:
        return self.github.environment()

    def body(self, run: str = "first", **words: str) -> str:
        """Return the text of a dispute."""
        made = BODY.replace("{RUN}", self.runs[run])
        return made.replace("It never started.", words.get("claim", "It never started."))

    def issue(self, body: str, *labels: str) -> int:
        """Open an issue, as somebody without any right."""
        return self.github.add_issue("An issue", body, author="kim", labels=labels)

    def event(self, issue: int, action: str, **facts: Any) -> Path:
        """Write down what somebody did to an issue, as GitHub states it.

        Args:
            issue: The issue.
            action: What they did.
            facts: `sender`, `label`, and in `states` what is to be stated otherwise of the issue.
        """
        self.clock += 1
        state = self.github.hub.issues[issue]
        stated = {
            "number": issue,
            "user": {"login": state["author"], "id": 1},
            "created_at": "2026-11-20T08:00:00Z",
            "updated_at": f"2026-11-21T{self.clock // 60:02}:{self.clock % 60:02}:00Z",
            "html_url": f"https://github.example/o/r/issues/{issue}",
            "body": state["body"],
            "labels": [{"name": name, "color": "ededed"} for name in state["labels"]],
        }
        event: dict[str, Any] = {"action": action, "issue": stated | facts.get("states", {})}
        event["sender"] = {"login": facts.get("sender", state["author"])}
        if "label" in facts:
            event["label"] = {"name": facts["label"]}
        path = self.folder / f"event-{self.clock}.json"
        path.write_text(json.dumps(event))
        return path

    def happening(self, issue: int, action: str, **facts: Any) -> Happening:
        """Return what somebody did to an issue."""
        return read_happening(self.event(issue, action, **facts))

    def labelled(self, issue: int, label: str = "accepted", by: str = "ada") -> Path:
        """Put a label on an issue and return the event of it."""
        labels = self.github.hub.issues[issue]["labels"]
        labels += [label] if label not in labels else []
        return self.event(issue, "labeled", sender=by, label=label)

    def edited(self, issue: int, body: str, by: str = "kim") -> Path:
        """Change an issue's text and return the event of it."""
        self.github.hub.issues[issue]["body"] = body
        return self.event(issue, "edited", sender=by)

    def call(self, *words: str, **others: str) -> Done:
        """Call the program on the checkout, with what a workflow's step has."""
        return argusic(self.database, *words, **{**self.environment, **others})

    def done(self, *words: str, **others: str) -> dict[str, Any]:
        """Return what a command printed that ended well."""
        found = self.call(*words, "--json", **others)
        assert found.returncode == 0, found.stderr
        data: dict[str, Any] = json.loads(found.stdout)
        return data

    def said(self, issue: int) -> list[str]:
        """Return the comments below an issue."""
        return [str(one["body"]) for one in self.github.comments(issue)]

    def merge(self, pull: int) -> None:
        """Merge a pull request and bring the checkout up to date."""
        assert self.github.merge(pull) is not None, "it conflicts"
        git(self.database.root, "pull", "--quiet", "--ff-only", "origin", "main")


def git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *settings, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def made_referee(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Make a checkout: what passed, what failed, and a sealed agent's run; the sealed agent may be asked for."""
    folder = tmp_path_factory.mktemp("desk") / "referee"
    made = FixtureDatabase(folder, board_agents=[])
    made.database.write(agent_path("quiet"), Agent.model_validate(SEALED))
    first, second, third = (made.subject(slug) for slug in ("first", "second", "third"))
    runs = {
        "first": made.run(first, PASS).run,
        "second": made.run(second, FAIL).run,
        "again": made.run(second, FAIL).run,
        "third": made.run(third, FAIL, agent="quiet").run,
    }
    database = made.finish()
    cycle = database.cycle(CYCLE)
    facts = {**cycle.model_dump(by_alias=True), "stronger_agent": "quiet"}
    database.write(cycle_path(CYCLE), Cycle.model_validate(facts), replace=True)
    for form in (FORM_PATH, REQUEST_FORM):
        (folder / form).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TOP / form, folder / form)
    (folder / ".gitignore").write_text(".argusic/\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "Made")
    return folder, runs


@pytest.fixture
def referee(
    made_referee: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Referee]:
    """Give a checkout of its own, and the GitHub that it was cloned from."""
    monkeypatch.delenv("ARGUSIC_EVIDENCE", raising=False)
    top, runs = made_referee
    git(tmp_path, "clone", "--quiet", "--bare", str(top), "remote.git")
    shutil.copytree(top, tmp_path / "referee")
    git(tmp_path / "referee", "remote", "add", "origin", str(tmp_path / "remote.git"))
    with GitHubServer(tmp_path / "remote.git") as github:
        for login, permission in PEOPLE.items():
            github.set_permission(login, permission)
        yield Referee(Database(tmp_path / "referee"), github, tmp_path, runs)
