"""A published package is installed into an empty project, and what its README says is done there."""

from __future__ import annotations

from argusic.runs.agents.newcomer import program
from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.ecosystems import begin_project
from argusic.runs.agents.newcomer.journal import Journal
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.session import Mission
from tests.runs.agents.conftest import ShellSession
from tests.runs.agents.wheels import wheel

README = """# squawk

## Quickstart

```console
$ squawk 'wandering albatross'
```
"""
CODE = """import pathlib, sys

def main():
    print("heard", sys.argv[1], "in", pathlib.Path.cwd().name)
"""


def test_a_wheel_is_installed_into_an_empty_project_and_its_quickstart_runs_there(
    session: ShellSession, mission: Mission
) -> None:
    wheel(session.home / "subject", "squawk", README, CODE, command="squawk")
    program().run(session, mission)
    lines = [result.command for result in session.commands]
    begun = next(number for number, line in enumerate(lines) if "ls -A ~/project" in line)
    installed = next(number for number, line in enumerate(lines) if "pip install" in line)
    assert begun < installed and session.commands[begun].output == ""
    assert lines[installed].startswith("cd ~/project && ")
    report = (session.home / "report.yaml").read_text()
    assert "tier1_real" in report and "squawk 1.0 was installed into an empty project" in report
    assert any(result.output == "heard wandering albatross in project\n" for result in session.commands)


def test_a_project_that_is_not_empty_is_never_called_empty(session: ShellSession) -> None:
    bench = Bench(session, Journal("squawk"), knowledge())
    assert begin_project(bench) == "an empty project"
    (session.home / "project" / "left.txt").touch()
    assert begin_project(bench) == "a project that is not empty"
