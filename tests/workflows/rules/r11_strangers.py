"""Rule 11: a stranger's pull request runs nothing before a person let it, and the repository's tokens may only read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.workflows.repository import Repository

SETTINGS: Final = ".github/settings/"
#: What each settings file must say.
WANTED: Final[dict[str, dict[str, Any]]] = {
    "fork-pull-requests.json": {"approval_policy": "all_external_contributors"},
    "actions.json": {"enabled": True, "allowed_actions": "selected", "sha_pinning_required": True},
    "selected-actions.json": {"github_owned_allowed": True, "verified_allowed": False, "patterns_allowed": []},
    "token.json": {"default_workflow_permissions": "read", "can_approve_pull_request_reviews": False},
}
#: Only main may use an environment.
ENVIRONMENT: Final = {"protected_branches": False, "custom_branch_policies": True}


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for name, wanted in WANTED.items():
        given = repository.json(SETTINGS + name)
        if given != wanted:
            yield f"{SETTINGS}{name}: it says {given}, not {wanted}"
    named = {job.environment for _, job in repository.jobs} - {""}
    for name in sorted(named):
        file = f"{SETTINGS}environments/{name}.json"
        given = repository.json(file)
        if given is None:
            yield f"{file}: there is none, and a job uses that environment"
        elif given.get("deployment_branch_policy") != ENVIRONMENT:
            yield f"{file}: every branch may use it"
