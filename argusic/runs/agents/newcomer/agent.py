"""The newcomer's day: look around, read, install, launch, verify, report. It stops at the first proof."""

from __future__ import annotations

from argusic.runs.agents.newcomer.bench import Bench, OutOfTime, Step
from argusic.runs.agents.newcomer.documents import saved_files
from argusic.runs.agents.newcomer.ecosystems import Ecosystem, Installed
from argusic.runs.agents.newcomer.ecosystems.built import CargoTrade, GoTrade, MakeTrade
from argusic.runs.agents.newcomer.ecosystems.node import NodeTrade
from argusic.runs.agents.newcomer.ecosystems.plain import PlainTrade
from argusic.runs.agents.newcomer.ecosystems.python import PythonTrade
from argusic.runs.agents.newcomer.journal import Journal
from argusic.runs.agents.newcomer.kinds import work_of
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.looking import look_around
from argusic.runs.agents.newcomer.planning import trials
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.reporting import leave, write_file
from argusic.runs.session import Mission, Session

#: The trades, in the order in which a project's files are looked at.
TRADES: tuple[Ecosystem, ...] = (PythonTrade(), NodeTrade(), CargoTrade(), GoTrade(), MakeTrade(), PlainTrade())


class Newcomer:
    """An agent without a model."""

    def run(self, session: Session, mission: Mission) -> None:
        """Do the mission, and leave a report of what was seen."""
        bench = Bench(session, Journal(mission.name), knowledge())
        try:
            (work_of(mission.kind) or _work)(bench, mission)
        except OutOfTime:
            bench.journal.stopped = "The time ran out before everything was tried."
        session.note("report")
        leave(session, mission, bench.journal.report())


def _work(bench: Bench, mission: Mission) -> None:
    bench.session.note("reading")
    project = look_around(bench, mission.subject_folder)
    bench.session.note("installing")
    installed = _install(bench, project)
    if installed is None:
        return
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
