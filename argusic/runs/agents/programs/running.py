"""An agent program at work: put in place, told its mission, started as one recorded command, its trajectory kept."""

from __future__ import annotations

from typing import Final

from argusic.evidence.trajectory import TrajectoryWriter
from argusic.records.configuration import ProgramUsed
from argusic.runs.agents.briefing import briefing
from argusic.runs.agents.programs.adapter import MISSION_PATH, Adapter, Told
from argusic.runs.agents.programs.conversation import Conversation
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import Mission, Session

#: How long putting a program in place may take, in seconds.
SET_UP_SECONDS: Final = 1200.0
_PREPARE_SECONDS: Final = 60.0
_MOST_TRAJECTORY_BYTES: Final = 200_000_000


class Program:
    """An agent program used as it is; implements `AgentProgram`.

    Args:
        adapter: What is known of it.
        used: Which one, at which version.
        told: What it is told of its model.
        trajectory: Where what it wrote of itself goes.
    """

    def __init__(self, adapter: Adapter, used: ProgramUsed, told: Told, trajectory: TrajectoryWriter) -> None:
        self._adapter = adapter
        self._used = used
        self._told = told
        self._trajectory = trajectory

    def run(self, session: Session, mission: Mission) -> None:
        """Do the mission.

        Raises:
            ProgramFailed: It ended with an error.
        """
        start = self._adapter.start(self._told)
        install = self._adapter.install(self._used.version)
        if install is not None:
            version = {"ARGUSIC_VERSION": self._used.version}
            session.set_up(install, timeout=SET_UP_SECONDS, environment=version)
        text = briefing(mission)
        for line in (write_file(MISSION_PATH, text), *start.prepare):
            session.set_up(line, timeout=_PREPARE_SECONDS, environment=start.environment)
        self._trajectory.begin(self._used.version, extra={"told_by": "the agent's own program"})
        try:
            result = session.run(start.command, environment=start.environment, observed=self._adapter.unwrap)
        finally:
            self._keep(session, text)
        if not result.ok:
            how = "was cut off" if result.cut else f"ended with status {result.exit_status}"
            raise ProgramFailed(f"The agent's program {how}.")
        self._trajectory.end({"how": "completed"})

    def _keep(self, session: Session, mission: str) -> None:
        """Keep what the program wrote of itself; where that cannot be read, as far as it can."""
        conversation = Conversation()
        problem: str | None = None
        pattern = self._adapter.trajectory
        data = session.fetch(pattern, max_bytes=_MOST_TRAJECTORY_BYTES) if pattern is not None else None
        if data is None:
            problem = "The program left no trajectory that is read here."
        else:
            try:
                self._adapter.read(data, conversation)
            except Exception as error:  # It is text from inside: whatever it does to its reader, the run is there.
                problem = f"The program's trajectory could be read in part: {type(error).__name__}."
        steps = conversation.steps()
        if not steps:
            self._trajectory.step("user", mission, extra={"note": problem} if problem else None)
            return
        for step in steps[:-1]:
            self._trajectory.add(step)
        last = steps[-1]
        self._trajectory.add(last.model_copy(update={"extra": {"note": problem}}) if problem else last)


class ProgramFailed(Exception):
    """An agent's own program ended with an error."""
