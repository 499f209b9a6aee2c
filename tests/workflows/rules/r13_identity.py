"""Rule 13: what may sign is one workflow of one repository on main, on GitHub's machines; and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.workflows.reach import may_be_own
from tests.workflows.repository import Job, Repository

POLICY: Final = "rules/trust/policy.yaml"
SIGNER: Final = ".github/settings/signer.yaml"
MAIN: Final = "refs/heads/main"


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    signing = {workflow.file for workflow, job in repository.jobs if signs(job)}
    for _, job in repository.jobs:
        if not signs(job):
            continue
        if f"github.ref == '{MAIN}'" not in job.condition or "||" in job.condition:
            yield f"{job.place}: {job.id} signs on other branches than main"
        if may_be_own(job):
            yield f"{job.place}: {job.id} signs on a machine that is not GitHub's"
    policy = repository.yaml(POLICY) or {}
    stated = [(POLICY, one) for one in policy.get("signers", ()) if one.get("authority") == "public_good"]
    template = repository.yaml(SIGNER)
    if template is None:
        yield f"{SIGNER}: the signer that a policy is to state is not there"
    else:
        stated.append((SIGNER, template))
    for file, signer in stated:
        yield from _signer(file, signer, signing)


def signs(job: Job) -> bool:
    """Return whether a job has an identity for signing."""
    return job.writes == {"id-token"}


def _signer(file: str, signer: Mapping[str, Any], signing: set[str]) -> Iterator[str]:
    for key in ("issuer", "repository", "workflow", "ref", "runner"):
        if not signer.get(key):
            yield f"{file}: a signer does not state its {key}, so any will do"
    if signer.get("workflow") not in signing:
        yield f"{file}: {signer.get('workflow')} signs nothing"
    if signer.get("ref") != MAIN or signer.get("runner") != "github-hosted":
        yield f"{file}: a signer may be on another branch than main, or on a machine that is not GitHub's"
