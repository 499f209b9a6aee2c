"""The session that agents get: each command runs in the sandbox on a terminal that the recorder records.

It also is what ends an attempt under the agent's feet (budget, cancellation, sandbox gone), and remembers why.
"""

from __future__ import annotations

import errno
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from argusic.evidence.commands import Source
from argusic.evidence.livefile import WriteFailed
from argusic.records.run import Ending, EndingClass, LimitHit
from argusic.runs.inner import Unwrap, inner_commands
from argusic.runs.recorder import TERMINAL_ENVIRONMENT, Recorded, Recorder
from argusic.runs.session import AttemptOver, CommandResult
from argusic.runs.told import Told
from argusic.sandbox.protocol import Sandbox, SandboxGone, TerminalProcess

#: The longest command line: Linux takes no longer argument.
COMMAND_BYTES: Final = 131_071
#: How often, in seconds, the sandbox is asked whether it still lives.
_ASK_SANDBOX: Final = 0.25
#: Prints the newest regular file that a pattern names, without what ends a line.
_NEWEST: Final = """\
newest=; shopt -s nullglob
for file in $1; do [ -f "$file" ] && { [ -z "$newest" ] || [ "$file" -nt "$newest" ]; } && newest=$file; done
printf %s "$newest"
"""
_FETCH_SECONDS: Final = 20
#: Exit statuses above this stand for a signal.
_KILLED: Final = 128


class RecordedSession:
    """A session over a sandbox. Its budget runs from the moment it is made.

    Args:
        sandbox: Where commands run.
        recorder: Records them. Whoever made it ends or closes it.
        budget_seconds: The time budget.
        cancel: Set by whoever wants the attempt to end now.
        beside: Returns how the attempt ends because something beside the sandbox did; None while nothing has.

    Attributes:
        ended: Why the attempt ended under the agent's feet; None as long as it has not.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        recorder: Recorder,
        *,
        budget_seconds: float,
        cancel: threading.Event,
        beside: Callable[[], Ending | None] = lambda: None,
    ) -> None:
        self.ended: Ending | None = None
        self._sandbox = sandbox
        self._beside = beside
        self._recorder = recorder
        self._cancel = cancel
        self._deadline = recorder.clock() + budget_seconds
        self._next_ask = 0.0
        self._limits: Counter[str] = Counter()

    @property
    def remaining(self) -> float:
        """Seconds left of the budget."""
        return max(0.0, self._deadline - self._recorder.clock())

    @property
    def limits_hit(self) -> tuple[LimitHit, ...]:
        """The recorder's own limits that held so far."""
        return tuple(
            LimitHit(limit=limit, count=self._limits[limit])
            for limit in ("output", "command_time")
            if self._limits[limit]
        )

    def check(self) -> None:
        """Let pass whoever may go on.

        Raises:
            AttemptOver: The attempt has ended.
        """
        self._check()

    def run(
        self,
        command: str,
        *,
        timeout: float | None = None,
        environment: Mapping[str, str] | None = None,
        observed: Unwrap | None = None,
    ) -> CommandResult:
        """Run one shell command on a recorded terminal and wait for its end.

        Args:
            command: The command line, for a fresh bash in the home folder.
            timeout: Its own time limit in seconds.
            environment: Further environment variables of this command alone. They are not in the recording.
            observed: Where what it starts is to be listed in the command table: knows how it wraps its commands.

        Raises:
            AttemptOver: The attempt ended before or while it ran; the command is dead.
            ValueError: The command holds a NUL or half a character, which no shell can be given.
        """
        if observed is not None:
            self._check()
            return self._guarded(lambda: self._record_program(command, timeout, environment or {}, observed))
        return self._run(command, timeout, environment or {})

    def set_up(self, command: str, *, timeout: float, environment: Mapping[str, str] | None = None) -> CommandResult:
        """Run a command that puts the agent's own program in place. Its time is not taken from the budget."""
        begun = self._recorder.clock()
        self._deadline += timeout
        try:
            return self._run(command, timeout, environment or {}, "set_up")
        finally:
            self._deadline += self._recorder.clock() - begun - timeout

    def fetch(self, pattern: str, *, max_bytes: int) -> bytes | None:
        """Return what the newest file inside holds that a shell pattern names; None where none can be had."""
        try:
            named = self._sandbox.run(["/bin/bash", "-c", _NEWEST, "bash", pattern], timeout=_FETCH_SECONDS)
            path = named.output.decode(errors="surrogateescape")
            return self._sandbox.get(path, max_bytes=max_bytes) if named.exit_status == 0 and path else None
        except (SandboxGone, ValueError):
            return None

    def _run(
        self, command: str, timeout: float | None, environment: Mapping[str, str], source: Source | None = None
    ) -> CommandResult:
        size = _size(command)
        self._check()
        if size > COMMAND_BYTES:
            return self._guarded(
                lambda: self._recorder.answer(command, "bash: the command line is too long", exit_status=126)
            )
        until = None if timeout is None else self._recorder.clock() + timeout
        return self._guarded(
            lambda: self._recorder.record(
                command,
                lambda: self._spawn(command, environment),
                until=until,
                attempt_over=self._is_over,
                source=source,
            )
        )

    def _record_program(
        self, command: str, timeout: float | None, environment: Mapping[str, str], unwrap: Unwrap
    ) -> Recorded:
        """Record an agent's own program, and list what it ran."""
        watch = self._sandbox.watch()
        told = Told(self._sandbox) if watch is None else None
        if told is not None:
            environment = {**environment, **told.environment}
        begun = self._recorder.clock()
        recorded = self._recorder.record(
            command,
            lambda: self._spawn(command, environment),
            until=None if timeout is None else begun + timeout,
            attempt_over=self._is_over,
            source="program",
            seen_by="observed" if watch is not None else "self_reported",
        )
        if watch is not None:
            inner = inner_commands(watch.seen(begun, self._recorder.clock()), command, unwrap)
        else:
            inner = told.commands(self._recorder.clock, unwrap) if told is not None else []
        self._recorder.list_inner(recorded.row, inner)
        return recorded

    def note(self, text: str) -> None:
        """Put a marker with `text` into the recording.

        Raises:
            AttemptOver: The attempt has ended.
        """
        self._check()
        self._recorder.note(text)

    def _spawn(self, command: str, environment: Mapping[str, str]) -> TerminalProcess:
        return self._sandbox.spawn(
            ["/bin/bash", "-c", command],
            size=self._recorder.size,
            environment={**environment, **TERMINAL_ENVIRONMENT},
        )

    def _guarded(self, record: Callable[[], Recorded]) -> CommandResult:
        """Record a command; turn whatever ends the attempt meanwhile into `AttemptOver`."""
        try:
            recorded = record()
        except SandboxGone as gone:
            self.ended = self.ended or gone.ending
            raise AttemptOver(str(gone)) from None
        except WriteFailed as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            how: EndingClass = "host_disk_full" if full else "recording_incomplete"
            self.ended = Ending(how=how, detail=f"The recording could not be written: {error.strerror}.")
            raise AttemptOver(str(error)) from error
        row = recorded.row
        if recorded.attempt_over or (row.exit_status or 0) > _KILLED:
            # A command that was killed may be the first to show that the sandbox is gone.
            self._next_ask = 0.0
            self._check()
        if row.cut is not None:
            self._limits[row.cut] += 1
        return CommandResult(
            number=row.number,
            command=row.command,
            exit_status=row.exit_status,
            output=recorded.output,
            seconds=round((row.ended or row.started) - row.started, 6),
            cut=row.cut,
        )

    def _is_over(self) -> bool:
        """Look whether the attempt has ended, and remember why. The first reason stands."""
        if self.ended is not None:
            return True
        if self._cancel.is_set():
            self.ended = Ending(how="cancelled")
        elif self._recorder.clock() >= self._deadline:
            self.ended = Ending(how="time_limit")
        elif self._recorder.clock() >= self._next_ask:
            self._next_ask = self._recorder.clock() + _ASK_SANDBOX
            self.ended = self._sandbox.ended() or self._beside()
        return self.ended is not None

    def _check(self) -> None:
        if self._is_over():
            assert self.ended is not None
            raise AttemptOver(self.ended.detail or self.ended.how)


def _size(command: str) -> int:
    if "\0" in command:
        raise ValueError("a command holds a NUL byte, which no shell can be given")
    return len(command.encode())
