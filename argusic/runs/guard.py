"""The session as an agent gets it: a fault of ours inside it ends the attempt and is never the agent's crash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from argusic.records.run import Ending
from argusic.runs.happened import ending_of
from argusic.runs.inner import Unwrap
from argusic.runs.session import AttemptOver, CommandResult, Session
from argusic.runs.watching import Watcher

_Result = TypeVar("_Result")


class GuardedSession:
    """Hands everything on to the recorded session, and remembers a fault of the harness.

    Attributes:
        fault: How the attempt ended when the harness itself failed; None while it has not.
    """

    def __init__(self, session: Session, watcher: Watcher) -> None:
        self._session = session
        self._watcher = watcher
        self.fault: Ending | None = None

    @property
    def remaining(self) -> float:
        """Seconds left of the budget."""
        return self._session.remaining

    def check(self) -> None:
        """Let pass whoever may go on; see `argusic.runs.session.Session`."""
        self._guarded(self._session.check)

    def run(
        self,
        command: str,
        *,
        timeout: float | None = None,
        environment: Mapping[str, str] | None = None,
        observed: Unwrap | None = None,
    ) -> CommandResult:
        """Run one recorded command; see `argusic.runs.session.Session`."""
        self._watcher.now(command.split("\n", 1)[0])
        return self._guarded(
            lambda: self._session.run(command, timeout=timeout, environment=environment, observed=observed)
        )

    def set_up(self, command: str, *, timeout: float, environment: Mapping[str, str] | None = None) -> CommandResult:
        """Run a recorded command that puts the agent's program in place; see `argusic.runs.session.Session`."""
        self._watcher.now(command.split("\n", 1)[0])
        result = self._guarded(lambda: self._session.set_up(command, timeout=timeout, environment=environment))
        if not result.ok:
            why = f"was cut off ({result.cut})" if result.cut else f"ended with status {result.exit_status}"
            self.fault = Ending(how="program_not_installed", detail=f"Command {result.number} {why}.")
            raise AttemptOver(self.fault.how)
        return result

    def fetch(self, pattern: str, *, max_bytes: int) -> bytes | None:
        """Return what the newest file of a pattern holds; see `argusic.runs.session.Session`."""
        return self._session.fetch(pattern, max_bytes=max_bytes)

    def note(self, text: str) -> None:
        """Put a marker into the recording; see `argusic.runs.session.Session`."""
        self._guarded(lambda: self._session.note(text))

    def _guarded(self, act: Callable[[], _Result]) -> _Result:
        try:
            return act()
        except AttemptOver:
            raise
        except Exception as error:
            self.fault = ending_of(error)
            raise AttemptOver(self.fault.how) from error
