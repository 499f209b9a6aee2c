"""Which machines a job can land on and what can start it: matrices, expressions, groups, calls and followers."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent

import pytest

from tests.workflows.reach import ANY, labels, may_be_own, starts
from tests.workflows.repository import Repository


def workflow(on: str, job: str, name: str = "made") -> str:
    """Return a workflow of one job."""
    return f"name: {name}\non:\n{indent(on, '  ')}\njobs:\n  work:\n{indent(job, '    ')}\n"


def made(files: Mapping[str, str]) -> Repository:
    """Return a repository of some workflows, by name."""
    return Repository({f".github/workflows/{name}.yml": text for name, text in files.items()})


LABELS = {
    "one": ("runs-on: ubuntu-24.04", {"ubuntu-24.04"}),
    "several": ("runs-on: [self-hosted, gpu]", {"self-hosted", "gpu"}),
    "a group": ("runs-on:\n  group: ours\n  labels: gpu", {"a group of machines", "gpu"}),
    "an axis": (
        "strategy:\n  matrix:\n    machine: [ubuntu-24.04, gpu]\nruns-on: ${{ matrix.machine }}",
        {"ubuntu-24.04", "gpu"},
    ),
    "rows": (
        "strategy:\n  matrix:\n    include:\n      - machine: [self-hosted, gpu]\n      - machine: ubuntu-24.04\n"
        "runs-on: ${{ matrix.machine }}",
        {"self-hosted", "gpu", "ubuntu-24.04"},
    ),
    "a planned matrix": (
        "strategy:\n  matrix: ${{ fromJSON(needs.plan.outputs.matrix) }}\nruns-on: ${{ matrix.x }}",
        {ANY},
    ),
    "a planned axis": (
        "strategy:\n  matrix:\n    x: ${{ fromJSON(needs.plan.outputs.x) }}\nruns-on: ${{ matrix.x }}",
        {ANY},
    ),
    "another axis": ("strategy:\n  matrix:\n    x: [1]\nruns-on: ${{ matrix.y }}", {ANY}),
    "an input": ("runs-on: ${{ inputs.machine }}", {ANY}),
    "a part of a label": ("runs-on: ubuntu-${{ matrix.version }}", {ANY}),
    "a variable": ("runs-on: ${{ vars.RUNNER || 'ubuntu-24.04' }}", {ANY}),
}


@pytest.mark.parametrize("case", LABELS)
def test_every_machine_that_a_job_can_land_on_is_seen(case: str) -> None:
    text, wanted = LABELS[case]
    (job,) = made({"made": workflow("push:", text)}).workflows[0].jobs
    assert labels(job) == wanted
    assert may_be_own(job) is (case != "one")


def test_what_starts_a_caller_or_what_is_followed_starts_a_workflow_too() -> None:
    job = "runs-on: gpu"
    repository = made(
        {
            "inner": workflow("workflow_call:", job, "inner"),
            "outer": workflow("workflow_call:", "uses: ./.github/workflows/inner.yml", "outer"),
            "checks": workflow("pull_request:", "uses: ./.github/workflows/outer.yml", "checks"),
            "after": workflow("workflow_run:\n  workflows: [checks]", job, "after"),
            "again": workflow("workflow_run:\n  workflows: [again, after]", job, "again"),
        }
    )
    reached = {one.name: starts(repository, one) for one in repository.workflows}
    assert "pull_request" in reached["inner"]
    assert "pull_request" in reached["after"]
    assert "pull_request" in reached["again"]
    assert "pull_request" in reached["outer"]
