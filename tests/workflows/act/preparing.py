"""A workflow as one machine can run it: what GitHub does by itself, and `act` does not, is written into a copy.

GitHub gives a job a token that may do what the job's `permissions` say, an identity where they say `id-token: write`,
and the secrets of its own environment alone; it lets one job of a `concurrency` group wait for another. `act` knows
none of that. In the copy each job's token and identity are its own, secrets of other environments are empty, and what
`act` refuses to read is left out. Nothing else differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argusic.database.codec import parse

#: What is written by whoever calls an action: its name and the commit that it is pinned to.
_PINNED = re.compile(r"uses:\s*([\w.-]+/[\w.-]+)(?:/[\w./-]+)?@([0-9a-f]{40})")
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}", re.DOTALL)
_TOKEN = re.compile(r"\b(?:github\.token|secrets\.GITHUB_TOKEN)\b")
_SECRET = re.compile(r"\bsecrets\.([A-Z_][A-Z0-9_]*)\b")
_OUTPUT = re.compile(r"^\$\{\{\s*steps\.([\w-]+)\.outputs\.([\w-]+)\s*\}\}$")


@dataclass(frozen=True)
class Granted:
    """What a job is given."""

    token: str
    """Its token."""
    permissions: Mapping[str, str]
    """What the token may do; what is not named is `none`."""


@dataclass(frozen=True)
class Prepared:
    """A workflow that is ready to be run."""

    name: str
    content: dict[str, Any]
    granted: list[Granted]
    """The tokens of its jobs, and of the app that they become."""


@dataclass(frozen=True)
class Reused:
    """What a re-run takes over from the attempt before."""

    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    """The outputs of each job that is not run again."""
    legs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Of a job with a matrix, the rows that are run again."""


def pinned(folder: Path) -> set[tuple[str, str]]:
    """Return every action that the workflows and actions of a folder use, with the commit it is pinned to."""
    return {found for file in folder.rglob("*.yml") for found in _PINNED.findall(file.read_text(encoding="utf-8"))}


def prepare(
    workflow: Path,
    secrets: Mapping[str, Mapping[str, str]],
    identity: Mapping[str, str],
    reused: Reused = Reused(),
) -> Prepared:
    """Return a workflow as it is run here.

    Args:
        workflow: Its file.
        secrets: The secrets of each environment; of the repository itself under the empty name.
        identity: The variables by which a job asks for its identity.
        reused: What a re-run takes over.
    """
    content = parse(workflow.read_bytes(), file=workflow)
    top = content.get("permissions", {})
    granted = []
    for name, job in content["jobs"].items():
        permissions = job.get("permissions", top)
        assert isinstance(permissions, dict), f"{workflow.name}: the permissions of {name} are not listed one by one"
        token = Granted(f"token-of-{workflow.stem}-{name}", permissions)
        granted += [token, *_app(job, f"token-of-the-app-for-{workflow.stem}-{name}")]
        own = {*secrets.get("", {}), *secrets.get(environment_of(job), {})}
        content["jobs"][name] = _given(job, token, own)
        if permissions.get("id-token") == "write":
            content["jobs"][name]["env"] = {**job.get("env", {}), **identity}
    for name, outputs in reused.outputs.items():
        content["jobs"][name] = _done_before(content["jobs"][name], outputs)
    for name, legs in reused.legs.items():
        content["jobs"][name]["strategy"]["matrix"] = {"include": legs}
    for group in (content, *content["jobs"].values()):
        if isinstance(group.get("concurrency"), dict):
            group["concurrency"].pop("queue", None)
    return Prepared(content.get("name", workflow.stem), content, granted)


def environment_of(job: Mapping[str, Any]) -> str:
    """Return the name of a job's environment; empty where it has none."""
    named = job.get("environment", "")
    return str(named["name"] if isinstance(named, dict) else named)


def outputs_of(job: Mapping[str, Any], steps: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """Return a job's outputs, from those of its steps."""
    told = {}
    for name, expression in job.get("outputs", {}).items():
        found = _OUTPUT.match(expression)
        assert found or not _EXPRESSION.search(expression), f"an output is not taken from one step: {expression}"
        told[name] = steps.get((found[1], found[2]), "") if found else expression
    return told


def name_of(job: Mapping[str, Any], key: str, matrix: Mapping[str, Any]) -> str:
    """Return the name that GitHub shows for a job."""
    shown = str(job.get("name", key))
    return re.sub(r"\$\{\{\s*matrix\.(\w+)\s*\}\}", lambda found: str(matrix.get(found[1], "")), shown)


def _app(job: Mapping[str, Any], token: str) -> list[Granted]:
    """Let the job's step that becomes an app get a token that may do what the step asks for."""
    granted = []
    for step in job["steps"]:
        if "create-github-app-token@" in step.get("uses", ""):
            asked = {key.removeprefix("permission-"): str(value) for key, value in step["with"].items()}
            granted.append(Granted(token, asked))
            step["with"]["stub-token"] = token
    return granted


def _done_before(job: Mapping[str, Any], outputs: Mapping[str, str]) -> dict[str, Any]:
    """Return a job that did its work in an earlier attempt: nothing but its outputs."""
    kept = {key: job[key] for key in ("name", "needs") if key in job}
    kept["name"] = _EXPRESSION.sub("", str(kept.get("name", ""))) or "Done before"
    return {**kept, "if": "always()", "runs-on": "ubuntu-24.04", "outputs": dict(outputs), "steps": [{"run": "true"}]}


def _given(job: dict[str, Any], granted: Granted, own: set[str]) -> dict[str, Any]:
    def grant(expression: str) -> str:
        told = _TOKEN.sub(f"'{granted.token}'", expression)
        return _SECRET.sub(lambda found: found[0] if found[1] in own else "''", told)

    given = _changed(job, lambda text: _EXPRESSION.sub(lambda found: grant(found[0]), text))
    assert isinstance(given, dict)
    return given


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case dict():
            return {key: _changed(one, change) for key, one in value.items()}
        case list():
            return [_changed(one, change) for one in value]
    return value
