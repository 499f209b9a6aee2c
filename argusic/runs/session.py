"""What an agent sees of an attempt: a mission, and a session whose every command is recorded by the host.

An agent implementation is an object with one method, `run(session, mission)`. It returns when it is done,
having left its report at `mission.report_path` inside the sandbox. Whatever it wants done in the sandbox goes
through `session.run`, so that the recording shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from argusic.records.subject import Solution
from argusic.runs.inner import Unwrap


@dataclass(frozen=True)
class Mission:
    """What an agent is told, the same for every agent of a cycle.

    Attributes:
        kind: The subject's kind.
        name: The subject's public name.
        task: The kind's text: what the subject is, where it lies, what "does it run" means for it.
        instructions: The standard instructions of the edition, verbatim.
        subject_folder: Where the subject lies inside the sandbox.
        report_path: Where the report is to be left, inside the sandbox.
        budget_seconds: The time budget.
        solution: The subject's known solution. Given to the control `oracle` alone, None for everyone else.
    """

    kind: str
    name: str
    task: str
    instructions: str
    subject_folder: str
    report_path: str
    budget_seconds: float
    solution: Solution | None = None


class CommandResult(NamedTuple):
    """One recorded command."""

    number: int
    """Its number in the command table, from 1."""
    command: str
    """The shell command line."""
    exit_status: int | None
    """Its exit status (128 + n for signal n); None where it was cut off."""
    output: str
    """What it printed, control sequences removed; head and tail where it was long."""
    seconds: float
    """How long it took."""
    cut: str | None
    """Why it was cut off: `command_time` or `output`; None where it ended by itself."""

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with status 0."""
        return self.exit_status == 0 and self.cut is None


class Session(Protocol):
    """A recorded shell in the sandbox. Each command is a fresh `bash -c` in the home folder."""

    @property
    def remaining(self) -> float:
        """Seconds left of the budget."""

    def check(self) -> None:
        """Let pass whoever may go on: for an agent that waits for something else than a command.

        Raises:
            AttemptOver: The attempt has ended.
        """

    def run(
        self,
        command: str,
        *,
        timeout: float | None = None,
        environment: Mapping[str, str] | None = None,
        observed: Unwrap | None = None,
    ) -> CommandResult:
        """Run one shell command on a recorded terminal and wait for its end.

        A background process that the command leaves behind (`server > server.log 2>&1 &`) goes on running.

        Args:
            command: The command line.
            timeout: Its own time limit in seconds.
            environment: Further environment variables of this command alone. They are not in the recording.
            observed: For an agent's own program, which runs commands itself: these are listed in the command table as
                well. Takes a command line as the program gives it to a shell, and returns the command in it.

        Raises:
            AttemptOver: The attempt ended meanwhile (budget, cancellation, sandbox gone). Let it pass.
        """

    def set_up(self, command: str, *, timeout: float, environment: Mapping[str, str] | None = None) -> CommandResult:
        """Run a command that puts the agent's own program in place, recorded like any other.

        Its time is not taken from the budget, which is for the subject.

        Raises:
            AttemptOver: It failed, so that there is no agent; or as `run`.
        """

    def fetch(self, pattern: str, *, max_bytes: int) -> bytes | None:
        """Return what the newest file inside holds that a shell pattern names, or None; off the record.

        For what an agent's own program wrote of itself. It may be asked for when the attempt is over, too.
        """

    def note(self, text: str) -> None:
        """Put a marker with `text` into the recording."""


class AgentProgram(Protocol):
    """An agent implementation."""

    def run(self, session: Session, mission: Mission) -> None:
        """Do the mission."""


class AttemptOver(Exception):
    """The attempt has ended under the agent's feet. Agents do not catch this."""
