"""Settings as files: one command puts each where GitHub takes it, and they name what the workflows are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import yaml

from tests.workflows.repository import TOP, Repository

HERE = Repository.here()
GH = """#!/usr/bin/env bash
echo "$*" >>"$LOG"
case "$*" in
    *deployment-branch-policies\\ --jq*) ;;
    *rulesets\\ --jq*) [ -z "${THERE:-}" ] || echo 7 ;;
esac
"""


def asked(folder: Path, **environment: str) -> list[str]:
    """Return what the command asked of GitHub."""
    program = folder / "gh"
    program.write_text(GH)
    program.chmod(0o755)
    given = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "LOG": str(folder / "log"), **environment}
    words = [str(TOP / "tools/github-settings"), "ada/referee"]
    done = subprocess.run(words, env=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return (folder / "log").read_text().splitlines()


def test_every_file_of_settings_is_put_where_github_takes_it(tmp_path: Path) -> None:
    said = asked(tmp_path)
    files = [file for file in HERE.files if file.startswith((".github/settings/", ".github/rulesets/"))]
    sent = [file for file in files if any(line.endswith("--input " + file.removeprefix(".github/")) for line in said)]
    assert set(files) - set(sent) == {".github/settings/signer.yaml"}
    assert all("repos/ada/referee" in line or line.startswith("label create") for line in said)


def test_only_main_may_use_any_environment(tmp_path: Path) -> None:
    said = "\n".join(asked(tmp_path))
    for _, job in HERE.jobs:
        if job.environment:
            assert (
                f"-X POST repos/ada/referee/environments/{job.environment}/deployment-branch-policies -f name=main"
                in said
            )


def test_a_ruleset_that_is_there_is_left_to_whoever_changed_it(tmp_path: Path) -> None:
    said = asked(tmp_path, THERE="yes")
    assert not any("-X POST repos/ada/referee/rulesets" in line for line in said)


def test_the_checks_that_main_asks_for_are_jobs_of_pull_requests() -> None:
    rules = {rule["type"]: rule for rule in HERE.json(".github/rulesets/main.json")["rules"]}
    wanted = {one["context"] for one in rules["required_status_checks"]["parameters"]["required_status_checks"]}
    made = {job.data["name"] for workflow, job in HERE.jobs if "pull_request" in workflow.on}
    assert wanted == made


def test_scheduled_workflows_begin_at_odd_minutes() -> None:
    crons = [one["cron"] for workflow in HERE.workflows for one in workflow.on.get("schedule") or ()]
    assert crons
    assert all(int(cron.split()[0]) % 2 and cron.split()[0] not in {"15", "45"} for cron in crons)


def test_the_clock_does_nothing_in_a_fork_that_was_not_asked() -> None:
    for workflow, job in HERE.jobs:
        if workflow.on.keys() & {"schedule", "push", "issues", "workflow_run"} and workflow.name != "ci":
            begins = not job.needs
            manual = job.condition.startswith("github.event_name == 'workflow_dispatch' &&")
            assert not begins or manual or "vars.ARGUSIC_REPOSITORY == github.repository" in job.condition, job.place


def test_the_labels_that_forms_give_are_made() -> None:
    made = (TOP / "tools/github-settings").read_text()
    for form in (".github/ISSUE_TEMPLATE/dispute.yml", ".github/ISSUE_TEMPLATE/request.yml"):
        for label in yaml.safe_load(HERE.files[form])["labels"]:
            assert f" {label} " in made
