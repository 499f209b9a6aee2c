"""The newcomer's day: does the mission in the way of its kind, and reports. It stops at the first proof."""

from __future__ import annotations

import re

from argusic.runs.agents.newcomer.bench import Bench, OutOfTime
from argusic.runs.agents.newcomer.journal import Journal
from argusic.runs.agents.newcomer.kinds import work_of
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.working import work_on_project
from argusic.runs.agents.reporting import leave
from argusic.runs.session import Mission, Session

_DISPLAY = re.compile(r"\bDISPLAY=([\w.:-]*\w)")


class Newcomer:
    """An agent without a model."""

    def run(self, session: Session, mission: Mission) -> None:
        """Do the mission, and leave a report of what was seen."""
        promised = _DISPLAY.search(mission.task)
        display = promised[1] if promised else ""
        bench = Bench(session, Journal(mission.name), knowledge(), display=display)
        work = work_of(mission.kind)
        try:
            if work is None:
                work_on_project(bench, mission.subject_folder)
            else:
                work(bench, mission)
        except OutOfTime:
            bench.journal.stopped = "The time ran out before everything was tried."
        session.note("report")
        leave(session, mission, bench.journal.report())
