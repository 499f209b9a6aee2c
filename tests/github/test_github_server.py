"""The stand-in for GitHub as a program of its own, which workflows that are run in tests talk to."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from argusic.github.forge import Job
from argusic.github.pygithub_forge import GitHubForge
from tests.github_server import TOKEN
from tests.github_server.bare import BareRepository

TOP = Path(__file__).resolve().parents[2]


def test_it_runs_alone_lists_what_lies_in_its_folder_and_states_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    remote, folder = tmp_path / "remote.git", tmp_path / "folder"
    command: list[str | Path] = [sys.executable, "-m", "tests.github_server", "--remote", remote, "--folder", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=TOP) as program:
        try:
            assert program.stdout is not None
            url = program.stdout.readline().strip()
            environment = {"GITHUB_REPOSITORY": "ada/referee", "GITHUB_API_URL": url, "GITHUB_TOKEN": TOKEN}
            forge = GitHubForge.of_environment(environment)
            admin(url, "jobs", {"run": 1, "name": "attempt (001)", "conclusion": "failure", "run_attempt": 2})
            assert (forge.artifacts(1), forge.jobs(1)) == ((), (Job("attempt (001)", "failure", 2),))
            (folder / "artifacts/1").mkdir(parents=True)
            with zipfile.ZipFile(folder / "artifacts/1/plan.zip", "w") as pack:
                pack.writestr("plan.json", "{}")
            (plan,) = forge.artifacts(1)
            forge.download(plan, tmp_path / "plan.zip", most_bytes=1000)
            assert zipfile.ZipFile(tmp_path / "plan.zip").read("plan.json") == b"{}"
            admin(url, "issues", {"title": "A dispute", "author": "bob", "labels": ["dispute"]})
            forge.say(1, "facts", "the facts")
            BareRepository(remote).commit("results/pilot", {"runs/pilot/a": b"a"})
            pull = forge.pull("results/pilot", "main", "Runs", "table")
            assert admin(url, "merge", {"pull": pull})["sha"]
            told = admin(url)
            assert told["pulls"][0]["merged"] == told["branches"]["main"]
            assert [one["body"] for one in told["comments"]] == ["<!-- argusic: facts -->\nthe facts"]
            assert told["artifacts"] == {"1": ["plan"]}
        finally:
            program.terminate()
            assert program.wait(10) == 0


def admin(url: str, what: str = "", said: dict[str, Any] | None = None) -> Any:
    """Ask what only a test may ask."""
    asked = Request(f"{url}/_admin/{what}", data=json.dumps(said).encode() if said is not None else None)
    with build_opener(ProxyHandler({})).open(asked, timeout=10) as answer:
        return json.load(answer)
