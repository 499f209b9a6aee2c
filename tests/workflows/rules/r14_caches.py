"""Rule 14: nothing comes from a cache; new versions of others' code wait; every exception says why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tests.workflows.repository import Repository

DEPENDABOT: Final = ".github/dependabot.yml"
#: What `make lint` must hold the workflows to.
LINTS: Final = (
    "zizmor --offline --persona auditor",
    "$(BIN)/actionlint ",
    "custom.github-workflows-require-timeout",
    "dependabot",
)
#: Days that a version is out before it is proposed.
LEAST_DAYS: Final = 7


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for step in repository.steps:
        if step.action.startswith("actions/cache") or "/cache" in step.action:
            yield f"{step.place}: it uses a cache"
        elif any("cache" in key for key in step.given):
            yield f"{step.place}: its action uses a cache"
    updates = (repository.yaml(DEPENDABOT) or {}).get("updates", ())
    ecosystems = {one["package-ecosystem"] for one in updates}
    for wanted in ("github-actions", "pip"):
        if wanted not in ecosystems:
            yield f"{DEPENDABOT}: nobody looks after {wanted}"
    for one in updates:
        if (one.get("cooldown") or {}).get("default-days", 0) < LEAST_DAYS:
            yield f"{DEPENDABOT}: {one['package-ecosystem']} takes a version on the day it appears"
    for lint in LINTS:
        if lint not in repository.files["Makefile"]:
            yield f"Makefile: `make lint` does not run {lint}"
    for file, text in repository.files.items():
        for number, line in enumerate(text.splitlines(), 1):
            if (found := re.search(r"# zizmor: ignore\[[^\]]*\](.*)", line)) and not found[1].strip():
                yield f"{file}:{number}: it does not say why that is passed over"
    for name, rule in ((repository.yaml(".github/zizmor.yml") or {}).get("rules") or {}).items():
        if not re.search(rf"{name}:\n\s+#", repository.files[".github/zizmor.yml"]):
            yield f".github/zizmor.yml: it does not say why {name} is {dict(rule)}"
