"""Rule 10: history is never rewritten, and whoever changes rules or workflows is reviewed by their owners."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tests.workflows.repository import Repository, dumped

_FORCED: Final = re.compile(
    r"\bpush\b.*(\s--force|\s-[a-z]*f\b|\s\+\S|--mirror|--delete|--prune)|update-ref|force:\s*true"
)
MAIN: Final = ".github/rulesets/main.json"
RESULTS: Final = ".github/rulesets/results.json"
TAGS: Final = ".github/rulesets/tags.json"
OWNERS: Final = ".github/CODEOWNERS"
#: What only its owners may let pass.
OWNED: Final = ("/.github/", "/rules/", "/argusic/records/", "/argusic/evidence/", "/requirements.lock", "/tools/")


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for step in repository.steps:
        if found := _FORCED.search(step.run + "\n" + dumped(step.given)):
            yield f"{step.place}: {found[0].strip()} can take back what is published"
    for file, wanted in (
        (MAIN, {"deletion", "non_fast_forward", "pull_request", "required_status_checks"}),
        (RESULTS, {"non_fast_forward"}),
        (TAGS, {"deletion", "non_fast_forward", "update"}),
    ):
        rules = _rules(repository, file)
        for name in sorted(wanted - rules.keys()):
            yield f"{file}: nothing forbids what `{name}` would"
        ruleset = repository.json(file) or {}
        if ruleset.get("enforcement") != "active" or ruleset.get("bypass_actors") != []:
            yield f"{file}: it is not in force for everybody"
    review = _rules(repository, MAIN).get("pull_request", {})
    if not review.get("require_code_owner_review") or review.get("required_approving_review_count", 0) < 1:
        yield f"{MAIN}: a pull request needs no review by the owners of what it changes"
    owned = {line.split()[0] for line in repository.files.get(OWNERS, "").splitlines() if line and line[0] == "/"}
    for path in OWNED:
        if path not in owned:
            yield f"{OWNERS}: {path} has no owners"


def _rules(repository: Repository, file: str) -> dict[str, dict[str, Any]]:
    """Return the rules of a ruleset, with their parameters."""
    ruleset = repository.json(file) or {}
    return {rule["type"]: rule.get("parameters", {}) for rule in ruleset.get("rules", ())}
