"""A published package is installed into an empty project, and what its README says is done there."""

from __future__ import annotations

from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.ecosystems import begin_project
from argusic.runs.agents.newcomer.ecosystems.python import PythonTrade
from argusic.runs.agents.newcomer.journal import Journal
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.projects import Project
from tests.runs.agents.conftest import ShellSession
from tests.runs.agents.wheels import wheel


def test_a_wheel_is_installed_into_an_empty_project_where_its_quickstart_is_to_run(session: ShellSession) -> None:
    file = wheel(session.home / "subject", "squawk", "# squawk\n", "SAID = 1\n")
    texts = {"METADATA": "Metadata-Version: 2.1\nName: squawk\nVersion: 1.0\n"}
    project = Project(str(session.home / "subject"), str(file), (file.name,), texts)
    installed = PythonTrade().install(Bench(session, Journal("squawk"), knowledge()), project)
    assert installed is not None and installed.folder == installed.workspace == "~/project"
    assert installed.shows.startswith("squawk 1.0 was installed into an empty project")
    lines = [result.command for result in session.commands]
    begun = next(number for number, line in enumerate(lines) if "ls -A ~/project" in line)
    added = next(number for number, line in enumerate(lines) if "pip install" in line)
    assert begun < added and session.commands[begun].output == ""
    assert lines[added].startswith("cd ~/project && ")


def test_a_project_that_is_not_empty_is_never_called_empty(session: ShellSession) -> None:
    bench = Bench(session, Journal("squawk"), knowledge())
    assert begin_project(bench) == "an empty project"
    (session.home / "project" / "left.txt").touch()
    assert begin_project(bench) == "a project that is not empty"
