"""Works on a project: reads it, installs it, launches it, verifies it. It stops at the first proof."""

from __future__ import annotations

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.documents import saved_files
from argusic.runs.agents.newcomer.ecosystems import Ecosystem, Installed
from argusic.runs.agents.newcomer.ecosystems.built import CargoTrade, GoTrade, MakeTrade
from argusic.runs.agents.newcomer.ecosystems.node import NodeTrade
from argusic.runs.agents.newcomer.ecosystems.plain import PlainTrade
from argusic.runs.agents.newcomer.ecosystems.python import PythonTrade
from argusic.runs.agents.newcomer.looking import look_around
from argusic.runs.agents.newcomer.planning import trials
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.reporting import write_file

#: The trades, in the order in which a project's files are looked at.
TRADES: tuple[Ecosystem, ...] = (PythonTrade(), NodeTrade(), CargoTrade(), GoTrade(), MakeTrade(), PlainTrade())


def work_on_project(bench: Bench, folder: str, project: Project | None = None) -> None:
    """Work on the project that lies in `folder`: its own files, or a published file of it.

    Args:
        bench: The bench.
        folder: Where it lies.
        project: What was read of it, where somebody has looked around there.
    """
    if project is None:
        bench.session.note("reading")
        project = look_around(bench, folder)
    bench.session.note("installing")
    installed = _install(bench, project)
    if installed is not None:
        launch_and_verify(bench, project, installed)


def launch_and_verify(bench: Bench, project: Project, installed: Installed) -> None:
    """Launch an installed project in the ways that its documentation tells, until one of them is proven."""
    bench.journal.installed = installed.shows
    bench.session.note("launching and verifying")
    for name, text in saved_files(project, frozenset(installed.modules), bench.knowledge.samples.names).items():
        parent = f"mkdir -p {name.rpartition('/')[0]} && " if "/" in name else ""
        bench.look(f"cd {installed.folder} && {parent}test -e {name} || {write_file(name, text)}")
    for trial in trials(project, installed, bench):
        trial.run(bench)
        if bench.journal.proof:
            return


def _install(bench: Bench, project: Project) -> Installed | None:
    trade = next((trade for trade in TRADES if trade.recognises(project)), None)
    if trade is None:
        bench.do(Step("finding out how it is installed", f"ls {project.folder}/pyproject.toml", 10))
        return None
    return trade.install(bench, project)
