"""A small referee repository on the stand-in for GitHub: our code and rules, one subject, one cycle, one signer."""

from __future__ import annotations

import itertools
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.evidence.keys import KeyFolder
from argusic.evidence.trust.authority import LocalAuthority
from argusic.evidence.trust.service import Service, serving
from argusic.github.pygithub_forge import GitHubForge
from argusic.records.trust import Signer, Trust
from tests.conftest import git
from tests.program import argusic
from tests.workflows.act import preparing, running
from tests.workflows.act.platform import ROBOT, RUNTIME, Platform
from tests.workflows.act.preparing import Reused
from tests.workflows.act.running import TOP, Leg, Ran

REPOSITORY = "ada/referee"
ISSUER = "https://token.actions.githubusercontent.com"
CYCLE = "small"
#: The identity that GitHub gives to a job of cycle.yml on main.
CLAIMS = {
    "iss": ISSUER,
    "sub": f"repo:{REPOSITORY}:ref:refs/heads/main",
    "repository": REPOSITORY,
    "repository_visibility": "public",
    "ref": "refs/heads/main",
    "sha": "a" * 40,
    "runner_environment": "github-hosted",
    "job_workflow_ref": f"{REPOSITORY}/.github/workflows/cycle.yml@refs/heads/main",
}
#: What of our own tree is no part of a referee that begins anew.
_LEFT_OUT = ("runs/", "leaderboards/", "pool/cycles/", "pool/subjects/", "tests/", "rules/trust/policy.yaml")


@dataclass
class Referee:
    """A repository with its workflows, and what a test does with it."""

    platform: Platform
    authority: LocalAuthority
    service: Service
    scratch: Path
    packages: Path
    variables: dict[str, str] = field(default_factory=lambda: {"ARGUSIC_REPOSITORY": REPOSITORY})
    secrets: dict[str, dict[str, str]] = field(default_factory=dict)
    """The secrets of each environment; of the repository itself under the empty name."""
    address: str | None = None
    """What jobs are told is GitHub's address, where it is not the stand-in's."""
    seen: set[tuple[str, str, str]] = field(default_factory=set)
    """Every step that ran: its workflow, its job and its name."""
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(7001))

    @property
    def control(self) -> Path:
        """Where a test says what is to go wrong."""
        return self.scratch / "control"

    @property
    def policy(self) -> Path:
        """Whom a verifier trusts, outside of every checkout."""
        return self.scratch / "policy.yaml"

    def arrange(self, what: str, *names: str) -> None:
        """Say what is to go wrong: `dying` jobs, `lost` and `dropped` artifacts. Without names, nothing any more."""
        (self.control / what).write_text(" ".join(names))

    def restore(self, ran: Ran, name: str, attempt: int) -> None:
        """Bring a dropped artifact back."""
        dropped = self.scratch / "github/artifacts" / str(ran.number) / str(attempt) / f"{name}.dropped"
        dropped.rename(dropped.with_suffix(".zip"))

    def checkout(self, name: str, branch: str = "main") -> Database:
        """Return a fresh checkout of a branch, as a person has it."""
        folder = self.scratch / name
        subprocess.run(["git", "clone", "-q", "-b", branch, self.platform.remote, folder], check=True)
        return Database(folder, cache_folder=self.scratch / "cache")

    def propose(self, branch: str) -> Ran:
        """Run pull-request.yml for a pull request from a branch to main: on the merge, a commit of its own."""
        bare = self.platform.bare
        number = GitHubForge.of_environment(self.platform.environment()).pull(branch, "main", branch, "")
        base, head = bare.git("rev-parse", "main"), bare.git("rev-parse", branch)
        tree = bare.git("merge-tree", "--write-tree", base, head)
        merge = bare.git("commit-tree", tree, "-p", base, "-p", head, "-m", f"Merge {head} into {base}")
        bare.git("update-ref", f"refs/pull/{number}/merge", merge)
        repository = {"full_name": REPOSITORY}
        facts = {
            "number": number,
            "head": {"sha": head, "ref": branch, "repo": repository},
            "base": {"sha": base, "ref": "main", "repo": repository},
            "user": {"login": "ada"},
        }
        facts = {"action": "opened", "number": number, "pull_request": facts}
        return self.run("pull-request.yml", "pull_request", merge, **facts)

    def run(self, workflow: str, event: str = "workflow_dispatch", commit: str = "main", **payload: Any) -> Ran:
        """Run a workflow for an event, which says what else is named."""
        commit = self.platform.bare.git("rev-parse", commit)
        ran = Ran(workflow, next(self.numbers), 1, event, self._payload(event, payload), commit)
        return self._run(ran, Reused())

    def rerun_failed(self, before: Ran) -> Ran:
        """Run what failed of a run again, and what waited for it, as GitHub does on request."""
        content = preparing.prepare(self._workflow(before), self.secrets, {}).content
        again = {leg.job for leg in before.legs if leg.conclusion != "success"}
        over = (before.kept | {leg.job for leg in before.legs}) - again
        while more := {name for name, job in content["jobs"].items() if again & _needed(job)} - again:
            again |= more
        legs = {
            name: [leg.matrix for leg in before.legs_of(name) if leg.conclusion != "success"]
            for name in again
            if any(leg.matrix for leg in before.legs_of(name))
        }
        reused = Reused({name: before.outputs.get(name, {}) for name in over - again}, legs)
        ran = Ran(before.workflow, before.number, before.attempt + 1, before.event, before.payload, before.commit)
        ran.kept = frozenset(reused.outputs)
        after = self._run(ran, reused)
        after.legs = [leg for leg in after.legs if leg.job not in ran.kept]
        after.outputs |= reused.outputs
        return after

    def _workflow(self, ran: Ran) -> Path:
        launch = self.scratch / f"launch-{ran.number}"
        if not launch.exists():
            git(self.scratch, "clone", "-q", "--no-checkout", str(self.platform.remote), str(launch))
            git(launch, "fetch", "-q", "origin", ran.commit)
            git(launch, "checkout", "-q", "--detach", ran.commit)
        return launch / ".github/workflows" / ran.workflow

    def _run(self, ran: Ran, reused: Reused) -> Ran:
        workflow = self._workflow(ran)
        identity = {
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{self.service.address}/oidc?run={ran.number}",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": self.service.secret,
        }
        prepared = preparing.prepare(workflow, self.secrets, identity, reused)
        for granted in prepared.granted:
            self.platform.grant(granted)
        self.platform.add_run(ran.number)
        if ran.event == "schedule":
            self.platform.add_workflow(ran.workflow, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
        scratch = self.scratch / f"run-{ran.number}-{ran.attempt}"
        scratch.mkdir()

        def watch(leg: Leg) -> None:
            if leg.job not in ran.kept:
                self.platform.add_job(ran.number, leg.name, leg.conclusion, ran.attempt)

        secrets = {key: value for some in self.secrets.values() for key, value in some.items()}
        launch = workflow.parents[2]
        running.run(ran, prepared, launch, self.variables, secrets, self._environment(ran), scratch, watch)
        shutil.rmtree(scratch)
        self.seen |= {(ran.workflow, leg.job, step) for leg in ran.legs for step in leg.steps}
        return ran

    def _environment(self, ran: Ran) -> dict[str, str]:
        return {
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REPOSITORY_OWNER": REPOSITORY.partition("/")[0],
            "GITHUB_API_URL": self.platform.url,
            "GITHUB_SERVER_URL": self.address or self.platform.url,
            "GITHUB_RUN_ID": str(ran.number),
            "GITHUB_RUN_NUMBER": str(ran.number - 7000),
            "GITHUB_RUN_ATTEMPT": str(ran.attempt),
            **self._ref(ran),
            "RUNNER_ENVIRONMENT": "github-hosted",
            "TERM": "dumb",
            "ARGUSIC_VENV": str(self.packages),
            "STUB_SERVER": self.platform.url,
            "STUB_ARTIFACTS": str(running.STUBS / "artifacts.py"),
            "STUB_FOLDER": str(self.scratch / "github"),
            "STUB_CONTROL": str(self.control),
            "STUB_TOKEN": RUNTIME,
        }

    @staticmethod
    def _ref(ran: Ran) -> dict[str, str]:
        if ran.event == "pull_request":
            return {"GITHUB_REF": f"refs/pull/{ran.payload['number']}/merge"}
        return {"GITHUB_REF": "refs/heads/main", "GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch"}

    def _payload(self, event: str, more: Mapping[str, Any]) -> dict[str, Any]:
        repository = {"full_name": REPOSITORY, "default_branch": "main", "private": False, "owner": {"login": "ada"}}
        person = {"login": ROBOT if event == "schedule" else "ada"}
        return {"repository": repository, "sender": person, "ref": "refs/heads/main", **more}


def _needed(job: Mapping[str, Any]) -> set[str]:
    needs = job.get("needs", [])
    return {needs} if isinstance(needs, str) else set(needs)


def lay_out(folder: Path, database: Database, *, measured: bool = False) -> None:
    """Make a bare repository of our code and rules, with the subjects and cycles of a database, and its signer.

    Args:
        folder: A folder for all of it, which is not there yet.
        database: The subjects and cycles.
        measured: Whether the cycle has been run already, here, and what follows from it is derived.
    """
    tree = folder / "tree"
    _copy(tree, database)
    _lend(folder, tree)
    authority = LocalAuthority.create(KeyFolder(folder / "authority"), "sigstore")
    policy = dump(Trust(roots=(authority.root(),), signers=(_signer(authority),)))
    (tree / "rules/trust/policy.yaml").write_bytes(policy)
    (folder / "policy.yaml").write_bytes(policy)
    # Whoever runs a cycle on machines that are thrown away makes the keys for raw evidence beforehand.
    _do(folder, "evidence", "recipients", CYCLE)
    if measured:
        _do(folder, "cycle", "run", CYCLE, "--sign", "none")
        _do(folder, "evidence", "collect", CYCLE)
        _do(folder, "recompute")
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "--all")
    git(tree, "commit", "-q", "-m", "A small referee")
    git(folder, "clone", "-q", "--bare", str(tree), str(folder / "remote.git"))
    shutil.rmtree(tree)


@contextmanager
def refereeing(laid_out: Path, scratch: Path, seen: set[tuple[str, str, str]]) -> Iterator[Referee]:
    """Serve a copy of the repository that was laid out in a folder, and note which steps of its workflows run."""
    shutil.copytree(laid_out, scratch, symlinks=True)
    (scratch / "control").mkdir()
    authority = LocalAuthority(KeyFolder(scratch / "authority"))
    remote = scratch / "remote.git"
    with Platform(remote, scratch / "github", REPOSITORY) as platform, serving(authority, CLAIMS) as service:
        for name in platform.names(".github/workflows"):
            platform.add_workflow(name.rpartition("/")[2])
        (scratch / "control/sigstore.json").write_text(authority.configuration(service.address))
        yield Referee(platform, authority, service, scratch, laid_out / "lent/.venv", seen=seen)


def _do(folder: Path, *words: str) -> None:
    """Do what a maintainer does in the tree before it is on GitHub."""
    keys = str(folder / "maintainer")
    done = argusic(Database(folder / "tree", cache_folder=folder / "cache"), *words, ARGUSIC_KEYS=keys)
    assert done.returncode == 0, done.stdout + done.stderr


def _lend(folder: Path, tree: Path) -> None:
    """Let the packages that run this test be ready for what the tree's lock asks for: nothing is installed here."""
    lent = folder / "lent/.venv"
    lent.mkdir(parents=True)
    for name in ("bin", "lib"):
        (lent / name).symlink_to(Path(sys.prefix, name))
    wanted_state = runpy.run_path(str(tree / "tools/set_up.py"))["wanted_state"]
    (lent / "argusic-ready").write_text(wanted_state(lent.parent))


def _signer(authority: LocalAuthority) -> Signer:
    return Signer(
        name="the signing job",
        authority=authority.root().fingerprint,
        issuer=ISSUER,
        repository=REPOSITORY,
        workflow=".github/workflows/cycle.yml",
        ref="refs/heads/main",
        runner="github-hosted",
        may=("batch",),
        since=datetime.now(UTC).replace(microsecond=0) - timedelta(days=1),
    )


def _copy(tree: Path, database: Database) -> None:
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", TOP, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if not name.startswith(_LEFT_OUT) and (TOP / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, tree / name)
    for part in ("pool/subjects", "pool/cycles", "pool/agents"):
        shutil.copytree(database.root / part, tree / part, dirs_exist_ok=True)
