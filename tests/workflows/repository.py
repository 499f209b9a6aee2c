"""A repository's workflows, composite actions and settings as data, with the lines they stand on.

The rules read this and nothing else, so that a broken copy is one text replaced by another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import yaml

TOP: Final = Path(__file__).resolve().parents[2]
WORKFLOWS: Final = ".github/workflows/"
ACTIONS: Final = ".github/actions/"
#: What the rules look at beside everything in .github.
BESIDE: Final = ("Makefile", "rules/trust/policy.yaml")


class Lined(dict[Any, Any]):
    """A mapping of a YAML file, which knows the lines it stands on, counted from 0."""

    line: int
    at: dict[str, int]


class _Loader(yaml.CSafeLoader):
    """The C reader: the rules are held against fifty copies. `on` and `yes` are words, as they are to GitHub."""

    def lined(self, node: yaml.MappingNode) -> Lined:
        """Return a mapping with its lines."""
        made = Lined(self.construct_mapping(node, deep=True))
        made.line = node.start_mark.line
        made.at = {str(key.value): key.start_mark.line for key, _ in node.value}
        return made


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool" or first in "tfTF"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.lined)


@cache
def _parsed(text: str) -> Any:
    """Return a YAML file's data. Read once for each text."""
    return yaml.load(text, _Loader)


@dataclass(frozen=True)
class Step:
    """One step of a job or of a composite action."""

    file: str
    lines: tuple[str, ...]
    data: Lined

    @property
    def place(self) -> str:
        """Where it is, for whoever mends it."""
        return f"{self.file}:{self.data.line + 1}"

    @property
    def run(self) -> str:
        """What it runs; empty where it uses an action."""
        return str(self.data.get("run", ""))

    @property
    def uses(self) -> str:
        """The action it uses; empty where it runs something."""
        return str(self.data.get("uses", ""))

    @property
    def action(self) -> str:
        """The action's name without its version."""
        return self.uses.partition("@")[0]

    @property
    def given(self) -> Mapping[str, Any]:
        """What it gives the action."""
        return self.data.get("with") or {}

    @property
    def env(self) -> Mapping[str, Any]:
        """Its environment variables."""
        return self.data.get("env") or {}

    def comment(self, key: str) -> str:
        """Return what stands behind `#` on the line of a key."""
        return self.lines[self.data.at[key]].partition(" #")[2].strip()


@dataclass(frozen=True)
class Job:
    """One job of a workflow."""

    file: str
    lines: tuple[str, ...]
    id: str
    data: Lined

    @property
    def place(self) -> str:
        """Where it is, for whoever mends it."""
        return f"{self.file}:{self.data.line}"

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its steps."""
        return tuple(Step(self.file, self.lines, one) for one in self.data.get("steps") or ())

    @property
    def needs(self) -> tuple[str, ...]:
        """The jobs it waits for."""
        needs = self.data.get("needs") or ()
        return (needs,) if isinstance(needs, str) else tuple(needs)

    @property
    def permissions(self) -> Mapping[str, str] | None:
        """What its token may; None where that is left to chance."""
        granted = self.data.get("permissions")
        return granted if isinstance(granted, Mapping) else None

    @property
    def writes(self) -> frozenset[str]:
        """What its token may write."""
        return frozenset(name for name, level in (self.permissions or {}).items() if level == "write")

    @property
    def condition(self) -> str:
        """When it runs, in one line."""
        return " ".join(str(self.data.get("if", "")).split())

    @property
    def environment(self) -> str:
        """The name of its environment; empty where it has none."""
        named = self.data.get("environment", "")
        return str(named.get("name", "")) if isinstance(named, Mapping) else str(named)

    @property
    def text(self) -> str:
        """All of it."""
        return dumped(self.data)


@dataclass(frozen=True)
class Workflow:
    """One workflow file."""

    file: str
    lines: tuple[str, ...]
    data: Lined

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.data["name"])

    @property
    def on(self) -> Mapping[str, Any]:
        """What starts it, event by event."""
        events = self.data["on"]
        if isinstance(events, str):
            return {events: None}
        return events if isinstance(events, Mapping) else dict.fromkeys(events)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Its jobs."""
        return tuple(Job(self.file, self.lines, name, job) for name, job in self.data["jobs"].items())

    def job(self, name: str) -> Job:
        """Return one of its jobs."""
        return Job(self.file, self.lines, name, self.data["jobs"][name])


@dataclass(frozen=True)
class Action:
    """One composite action."""

    file: str
    lines: tuple[str, ...]
    data: Lined

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its steps."""
        return tuple(Step(self.file, self.lines, one) for one in self.data["runs"].get("steps") or ())


@dataclass(frozen=True)
class Repository:
    """Its files by path, as text."""

    files: Mapping[str, str] = field(repr=False)

    @classmethod
    def here(cls) -> Repository:
        """Return the one that these tests belong to."""
        inside = [path for path in (TOP / ".github").rglob("*") if path.is_file()]
        paths = [*inside, *(TOP / name for name in BESIDE)]
        return cls({path.relative_to(TOP).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)})

    def replaced(self, file: str, old: str, new: str) -> Repository:
        """Return a copy in which the first occurrence of a text is another one."""
        text = self.files[file]
        assert old in text, f"{file} does not hold {old!r}"
        return Repository({**self.files, file: text.replace(old, new, 1)})

    def added(self, file: str, text: str) -> Repository:
        """Return a copy with one more file."""
        assert file not in self.files, f"{file} is there"
        return Repository({**self.files, file: text})

    @cached_property
    def workflows(self) -> tuple[Workflow, ...]:
        """Its workflows."""
        found = [file for file in self.files if file.startswith(WORKFLOWS) and re.search(r"\.ya?ml$", file)]
        return tuple(Workflow(one, tuple(self.files[one].splitlines()), _parsed(self.files[one])) for one in found)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """Its composite actions."""
        found = [file for file in self.files if file.startswith(ACTIONS) and re.search(r"/action\.ya?ml$", file)]
        return tuple(Action(one, tuple(self.files[one].splitlines()), _parsed(self.files[one])) for one in found)

    @cached_property
    def jobs(self) -> tuple[tuple[Workflow, Job], ...]:
        """Every job, with its workflow."""
        return tuple((workflow, job) for workflow in self.workflows for job in workflow.jobs)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every step, those of composite actions too."""
        return tuple(step for _, job in self.jobs for step in job.steps) + tuple(
            step for action in self.actions for step in action.steps
        )

    def yaml(self, file: str) -> Any:
        """Return what a YAML file holds; None where it is not there."""
        return _parsed(self.files[file]) if file in self.files else None

    def json(self, file: str) -> Any:
        """Return what a JSON file holds; None where it is not there."""
        return json.loads(self.files[file]) if file in self.files else None


def values(data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every text in a tree of data, with the keys that lead to it."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from values(value, (*path, str(key)))
    elif isinstance(data, list | tuple):
        for value in data:
            yield from values(value, path)
    elif isinstance(data, str):
        yield path, data


def dumped(data: Any) -> str:
    """Return every text in a tree of data, one a line."""
    return "\n".join(f"{'.'.join(path)}: {text}" for path, text in values(data))
