"""Rule 3: what others wrote is data. No expression in a command; it comes by `env`, and is quoted there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tests.workflows.repository import Repository, Step, values

#: What strangers choose the text of.
_THEIRS: Final = re.compile(
    r"github\.head_ref|github\.event(\.[\w*-]+|\[[^\]]*\])*\.(title|body|ref|head_branch|default_branch|label|name|email"
    r"|login|message|page_name|display_title|description|html_url|clone_url|full_name)\b|github\.event\.inputs"
    r"|toJSON\(\s*github",
    re.IGNORECASE,
)
#: In a condition a label is compared with words of ours, and is never run.
_LABELS: Final = re.compile(r"github\.event\.(label|issue\.labels\.\*)\.name")
_QUOTED: Final = re.compile(r"\"(?:\\.|\$\([^()]*\)|[^\"\\])*\"|'[^']*'")
#: A word that is there or not, as a switch of ours says; and a variable that is set.
_LAWFUL: Final = re.compile(r"\$\{[A-Z_]+:\+[^${}]*\}|^\s*\w+=\$\([^()]*\)", re.MULTILINE)


def check(repository: Repository) -> Iterator[str]:
    """Yield what breaks the rule."""
    for step in repository.steps:
        yield from _step(step)
    for workflow in repository.workflows:
        yield from _elsewhere(workflow.file, workflow.data)
    for action in repository.actions:
        yield from _elsewhere(action.file, action.data)


def _step(step: Step) -> Iterator[str]:
    if "${{" in step.run:
        yield f"{step.place}: an expression stands in a command; give it by `env`"
    if "${{" in str(step.given.get("script", "")):
        yield f"{step.place}: an expression stands in a script; give it by `env`"
    bare = _LAWFUL.sub("", _QUOTED.sub("", step.run))
    if found := re.search(r"\$[A-Za-z_{(]\w*", bare):
        yield f"{step.place}: {found[0]} stands in a command without quotes"


def _elsewhere(file: str, data: Any) -> Iterator[str]:
    """Yield what strangers wrote wherever it is more than a variable of the environment."""
    for path, text in values(data):
        if "env" in path[:-1] or path[-1:] == ("run",):
            continue
        if found := _THEIRS.search(_LABELS.sub("", text) if path[-1:] == ("if",) else text):
            yield f"{file}: {'.'.join(path)} has {found[0]} in it, which strangers write; give it by `env`"
