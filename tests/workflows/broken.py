"""Copies of this repository in which exactly one rule is broken, each as somebody in a hurry might."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.workflows.repository import Repository

CI: Final = ".github/workflows/ci.yml"
CYCLE: Final = ".github/workflows/cycle.yml"
PULL_REQUEST: Final = ".github/workflows/pull-request.yml"
RECOMPUTE: Final = ".github/workflows/recompute.yml"
SITE: Final = ".github/workflows/site.yml"
SWEEP: Final = ".github/workflows/sweep.yml"
CALLED: Final = ".github/workflows/called.yml"
SHA: Final = "0123456789abcdef0123456789abcdef01234567"

#: A workflow that others call, on whatever machine they name.
_CALLED = """
name: called
on:
  workflow_call:
    inputs:
      machine:
        type: string
permissions: {}
concurrency:
  group: called
  cancel-in-progress: true
jobs:
  work:
    name: Work
    runs-on: ${{ inputs.machine }}
    timeout-minutes: 5
    permissions: {}
    steps:
      - name: Work
        run: "true"
"""
_CALLS = """jobs:
  call:
    name: Call
    uses: ./.github/workflows/called.yml
    permissions: {}
    with:
      machine: gpu
"""
_MATRIX = """    strategy:
      matrix:
        machine: [ubuntu-24.04, gpu]
    runs-on: ${{ matrix.machine }}
"""


@dataclass(frozen=True)
class Broken:
    """One copy.

    Attributes:
        rule: The rule that it breaks.
        how: What somebody did.
        made: What makes the copy.
    """

    rule: int
    how: str
    made: Callable[[Repository], Repository]


def _edit(rule: int, how: str, file: str, old: str, new: str) -> Broken:
    return Broken(rule, how, lambda repository: repository.replaced(file, old, new))


BROKEN: Final = (
    _edit(1, "a grant without a reason", CI, "contents: read # the commit", "contents: read"),
    _edit(1, "a grant to a whole workflow", SWEEP, "permissions: {}\n", "permissions:\n  contents: read # all\n"),
    _edit(1, "a job that states nothing", CYCLE, "    permissions: {}\n    steps:", "    steps:"),
    _edit(2, "an action by its tag", CI, "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1", "v7"),
    _edit(2, "a commit of no version", CI, " # v7.0.1", ""),
    _edit(2, "two versions of one action", CI, "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1", f"{SHA} # v6.0.0"),
    _edit(3, "an expression in a command", SWEEP, "argusic keys sweep", "argusic keys sweep ${{ github.actor }}"),
    _edit(3, "a variable without quotes", PULL_REQUEST, '"$NUMBER"', "$NUMBER"),
    _edit(
        3,
        "a title in a name",
        PULL_REQUEST,
        "name: argusic/check\n",
        "name: Check ${{ github.event.pull_request.title }}\n",
    ),
    _edit(4, "comments start it", CI, "  pull_request:\n", "  pull_request:\n  issue_comment:\n"),
    _edit(4, "a stranger's code with our rights", CI, "  pull_request:\n", "  pull_request:\n  pull_request_target:\n"),
    _edit(4, "pushes to any branch", RECOMPUTE, "  push:\n    branches: [main]\n", "  push:\n"),
    _edit(4, "the head of what it follows", SITE, "ref: main\n", "ref: ${{ github.event.workflow_run.head_sha }}\n"),
    _edit(5, "a pull request on a machine of ours", CI, "runs-on: ubuntu-24.04", "runs-on: [self-hosted, gpu]"),
    _edit(5, "a pull request on one of a matrix", CI, "    runs-on: ubuntu-24.04\n", _MATRIX),
    Broken(
        5,
        "a pull request, through a workflow that it calls",
        lambda repository: repository.added(CALLED, _CALLED).replaced(CI, "jobs:\n", _CALLS),
    ),
    _edit(
        6, "a second secret", CYCLE, "          WITH_KEYS:", "          MORE: ${{ secrets.MORE }}\n          WITH_KEYS:"
    ),
    _edit(
        6,
        "the token within reach",
        CYCLE,
        "          WITH_KEYS:",
        "          GITHUB_TOKEN: ${{ github.token }}\n          WITH_KEYS:",
    ),
    _edit(
        6,
        "a right to read more than code",
        CYCLE,
        "    permissions: {}\n    steps:",
        "    permissions:\n      actions: read # to see how it went\n    steps:",
    ),
    _edit(7, "a signer that reads runs", CYCLE, "outputs.digests }}", "outputs.collected }}"),
    _edit(
        7,
        "a signer that may do more",
        CYCLE,
        "      id-token: write #",
        "      contents: read # the code\n      id-token: write #",
    ),
    _edit(7, "a writer that takes from attempts", CYCLE, "needs: [collect, sign]", "needs: [attempt, collect, sign]"),
    _edit(8, "an artifact by its name", CYCLE, "artifact-ids: ${{ needs.plan.outputs.plan }}", "name: plan"),
    _edit(8, "nothing handed over without a word", CYCLE, "if-no-files-found: error", "if-no-files-found: ignore"),
    _edit(
        8,
        "collecting without the plan",
        CYCLE,
        '--plan "$RUNNER_TEMP/plan/plan.json"\n          --workflow',
        "--workflow",
    ),
    _edit(9, "a writer that is dropped while it waits", RECOMPUTE, "      queue: max\n", ""),
    _edit(9, "a job without an end", SWEEP, "    timeout-minutes: 20\n", ""),
    _edit(9, "whatever machine is newest", SITE, "ubuntu-24.04", "ubuntu-latest"),
    _edit(9, "a check of what is gone", PULL_REQUEST, "cancel-in-progress: true", "cancel-in-progress: false"),
    _edit(10, "main can be forced", ".github/rulesets/main.json", '{"type": "non_fast_forward"},', ""),
    _edit(10, "the rules have no owners", ".github/CODEOWNERS", "/rules/  ", "#"),
    _edit(
        10,
        "a forced push",
        RECOMPUTE,
        "run: .venv/bin/argusic recompute",
        "run: git push --force && .venv/bin/argusic recompute",
    ),
    _edit(
        11,
        "strangers run at once after a first merge",
        ".github/settings/fork-pull-requests.json",
        "all_external_contributors",
        "first_time_contributors",
    ),
    _edit(11, "tokens that write", ".github/settings/token.json", '"read"', '"write"'),
    _edit(
        11,
        "every branch has the keys",
        ".github/settings/environments/keys.json",
        '{"protected_branches": false, "custom_branch_policies": true}',
        "null",
    ),
    _edit(12, "secrets without an environment", SWEEP, "    environment: keys\n", ""),
    _edit(12, "all secrets at once", SWEEP, "${{ secrets.ARGUSIC_LITELLM_KEY }}", "${{ toJSON(secrets) }}"),
    _edit(
        12,
        "secrets that every step sees",
        SWEEP,
        "    permissions:\n      contents",
        "    env:\n      KEY: ${{ secrets.KEY }}\n    permissions:\n      contents",
    ),
    _edit(13, "signing on any branch", CYCLE, "\n      && github.ref == 'refs/heads/main'\n", "\n"),
    _edit(13, "any workflow may sign", ".github/settings/signer.yaml", "workflow: .github/workflows/cycle.yml\n", ""),
    _edit(13, "any machine may sign", ".github/settings/signer.yaml", "runner: github-hosted\n", ""),
    _edit(
        14,
        "a cache",
        RECOMPUTE,
        "      - name: Set up\n",
        f"      - name: Faster\n        uses: actions/cache@{SHA} # v5.0.0\n      - name: Set up\n",
    ),
    _edit(14, "versions of today", ".github/dependabot.yml", "default-days: 14", "default-days: 0"),
    _edit(
        14,
        "an exception without a reason",
        SITE,
        "] only a run of our own on main, and nothing of that run is taken",
        "]",
    ),
    _edit(14, "a lint that is not run", "Makefile", "	@$(BIN)/actionlint ", "	@true "),
    _edit(15, "what an agent printed, in the log", CYCLE, ' >"$RUNNER_TEMP/output.txt" 2>&1', ""),
    _edit(15, "commands in what is shown", ".github/actions/show/action.yml", 'echo "::stop-commands::$token"', "true"),
)
