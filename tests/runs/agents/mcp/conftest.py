"""A bench with the official client on it, and servers of the tests' own that it is let loose on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from argusic.records.report import Report
from argusic.runs.agents.newcomer.bench import Bench, OutOfTime
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.journal import Journal
from argusic.runs.agents.newcomer.kinds.mcp_server import use
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.reporting import write_file
from tests.runs.agents.conftest import ShellSession

STAND_IN = Path(__file__).parent / "stand_in.py"

#: Lives a day with a server of the tests' own, by what its documentation says and in so many seconds.
Day = Callable[..., Report]


@pytest.fixture
def day(tmp_path: Path) -> Callable[..., Report]:
    """Let the newcomer start a documented server, connect to it and judge it; return its report."""

    def live(mode: str, *, budget: float = 600, task: str = "", readme: str | None = None) -> Report:
        session = ShellSession(tmp_path / "home", budget)
        session.home.mkdir()
        for name, program in (("client/bin/python", ""), ("bin/stand-in", f" {STAND_IN}")):
            file = session.home / name
            file.parent.mkdir(parents=True)
            file.write_text(f'#!/bin/sh\nexec {sys.executable}{program} "$@"\n')
            file.chmod(0o755)
        probe = files("argusic.runs.agents.newcomer.mcp").joinpath("probe.py").read_text()
        session.run(write_file("probe.py", probe))
        says = (
            readme
            or f'```json\n{{"mcpServers": {{"notes": {{"command": "uvx", "args": ["stand-in", "{mode}"]}}}}}}\n```\n'
        )
        bench = Bench(session, Journal("stand-in"), knowledge())
        bench.journal.installed = "It was installed."
        installed = Installed("It was installed.", "~", "~", f"PATH={session.home}/bin:$PATH", ("stand-in",))
        try:
            use(bench, task, Project("~", None, (), documentation=(says,)), installed)
        except OutOfTime:
            bench.journal.stopped = "The time ran out."
        assert session.remaining > 0
        assert not (session.home / "broken-out").exists()
        return bench.journal.report()

    return live
