"""Makes a project of a cookiecutter template, with the template's own defaults, and works on it as on any project."""

from __future__ import annotations

import re
import shlex

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.cloud.brief import Brief, prove_unchanged
from argusic.runs.agents.newcomer.working import work_on_project

_MADE = "~/made"


def work_on_made(bench: Bench, brief: Brief, documentation: str) -> None:
    """Make the project, prove that the template stayed as it was, and install, launch and verify what was made."""
    bench.session.note("installing")
    if bench.do(Step("making a virtual environment", "python3 -m venv ~/generator", 300)) is None:
        return
    bench.values["python"] = "~/generator/bin/python"
    install = "~/generator/bin/python -m pip install -q cookiecutter"
    if bench.do(Step("installing cookiecutter", install, 600)) is None:
        return
    bench.look("~/generator/bin/python -m pip list --format=freeze | tr '\\n' ' '")
    bench.look(f"mkdir -p {_MADE}")
    line = f"~/generator/bin/cookiecutter --no-input {shlex.quote(brief.template)} < /dev/null"
    if bench.do(Step("making a project of the template", line, 900, _MADE)) is None:
        return
    if prove_unchanged(bench, brief) is None:
        return
    names = [name for name in bench.look(f"ls -1A {_MADE}").output.splitlines() if name.strip()]
    if len(names) != 1:
        bench.do(Step("finding the project that was made", f'test "$(ls -1A {_MADE} | wc -l)" = 1', 10))
        return
    folder = f"{_MADE}/{names[0]}"
    if not re.fullmatch(r"[\w.-]+", names[0]):
        # Its commands name the folder again and again: a plain name stands for the one that it has.
        folder = "~/made-project"
        bench.look(f"ln -s {_MADE}/{shlex.quote(names[0])} {folder}")
    work_on_project(bench, folder)
    if bench.journal.installed:
        made = f"cookiecutter made “{names[0]}” of the unchanged template (sha256 {brief.digest})."
        bench.journal.installed = f"{made} {bench.journal.installed}"
