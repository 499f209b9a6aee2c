"""A recorder and a session over real processes of this machine, and what they left, for the recorder's tests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from argusic.evidence.asciicast import Event
from argusic.evidence.castreader import CastReader
from argusic.evidence.commands import CommandRow, read_commands
from argusic.evidence.coverage import measure
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, RECORDING_NAME
from argusic.records.manifest import Coverage
from argusic.runs.recorded_session import RecordedSession
from argusic.runs.recorder import Recorder
from argusic.sandbox.protocol import Sandbox


class Recording:
    """One attempt's recording under test."""

    def __init__(self, folder: Path, sandbox: Sandbox, budget_seconds: float = 60) -> None:
        self.folder = folder
        self.sandbox = sandbox
        self.cancel = threading.Event()
        self.recorder = Recorder(folder)
        self.began = self.recorder.clock()
        self.session = RecordedSession(sandbox, self.recorder, budget_seconds=budget_seconds, cancel=self.cancel)

    def end(self) -> Coverage:
        """End the recording and measure what it covers."""
        self.recorder.end()
        seconds = self.recorder.clock() - self.began
        recording, commands, log = (self.folder / name for name in (RECORDING_NAME, COMMANDS_NAME, LOG_NAME))
        return measure(recording, commands, log, seconds)

    def events(self) -> list[Event]:
        """Return the recording's events; there must be nothing wrong with it."""
        with (self.folder / RECORDING_NAME).open("rb") as stream:
            reader = CastReader(stream, RECORDING_NAME)
            events = list(reader)
        assert reader.findings == []
        return events

    def printed(self) -> str:
        """Return everything that the recording shows as printed."""
        return "".join(event.data for event in self.events() if event.kind == "o")

    def log(self) -> str:
        """Return the log."""
        return (self.folder / LOG_NAME).read_text()

    def rows(self) -> list[CommandRow]:
        """Return the command table."""
        return read_commands(self.folder / COMMANDS_NAME)


Begin = Callable[..., Recording]
