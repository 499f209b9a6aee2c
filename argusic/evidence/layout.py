"""The names of a run's files, stated once: whoever writes, publishes, verifies or shows them agrees here."""

from __future__ import annotations

from typing import Final

from argusic.database.paths import MANIFEST_FILE, RUN_FILE
from argusic.records.manifest import FileRole

#: The record of the run, in its folder.
RUN_NAME: Final = RUN_FILE
#: The manifest, in the run's folder. It lists every other file and therefore not itself.
MANIFEST_NAME: Final = MANIFEST_FILE
#: The terminal's recording, asciicast v2.
RECORDING_NAME: Final = "recording.cast"
#: The session as plain text.
LOG_NAME: Final = "session.log"
#: The command table, JSON Lines.
COMMANDS_NAME: Final = "commands.jsonl"
#: What the agent left as its report, byte for byte.
REPORT_NAME: Final = "report.yaml"
#: The agent's own steps, ATIF, where it has a model.
TRAJECTORY_NAME: Final = "trajectory.json"
#: The same in the making, JSON Lines, in an attempt's work folder.
TRAJECTORY_LINES_NAME: Final = "trajectory.jsonl"
#: What an agent and its model said to each other, as the gateway wrote it down, JSON Lines.
EXCHANGES_NAME: Final = "exchanges.jsonl"
#: What was to be seen on the display of a desktop application, as raw evidence: it is always sealed.
VIDEO_NAME: Final = "display.mp4"

#: The media type of each role's file.
MEDIA_TYPES: Final[dict[FileRole, str]] = {
    "run": "application/yaml",
    "recording": "application/x-asciicast",
    "log": "text/plain; charset=utf-8",
    "commands": "application/x-ndjson",
    "report": "application/yaml",
    "trajectory": "application/json",
    "exchanges": "application/x-ndjson",
    "environment": "application/json",
    "video": "video/mp4",
}


def sealed_name(name: str) -> str:
    """Return what the sealed raw form of the file `name` is called where it is vouched for."""
    return f"{name}.age"
