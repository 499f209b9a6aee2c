"""The terminal's recording, asciicast v2, written event by event as things happen.

Every event is on its way to the disk before the next one is looked at, so a kill loses nothing that was recorded.
Times come from a monotonic clock and never go backwards. `argusic.evidence.castreader` reads.
"""

from __future__ import annotations

import codecs
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple

from argusic.evidence.livefile import LiveFile

#: The kinds of event that are written: printed, typed, a marker.
EventKind = Literal["o", "i", "m"]

#: The marker that opens a recording.
BEGIN_MARKER: Final = "begin"
#: The marker that only the regular end of a recording leaves, as its last event.
END_MARKER: Final = "end"

#: Control characters that Python escapes in another way than JSON does.
_OTHER_CONTROLS: Final = bytes([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
_encode = json.JSONEncoder(ensure_ascii=False).encode


def command_marker(number: int) -> str:
    """Return the marker of the command with this number."""
    return f"command {number}"


def note_marker(text: str) -> str:
    """Return the marker of a note. No note can pass for one of the recorder's own markers."""
    return f"note: {visible(text)}"


def cut_marker(number: int, why: str) -> str:
    """Return the marker that says that a command was cut off by a limit of its own."""
    return f"cut {number}: {why}"


#: Control characters, each written out so that it can be seen and does nothing.
_VISIBLE: Final = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A)}


def visible(text: str) -> str:
    """Return `text` with its control characters written out, but for tabs and line feeds."""
    return text.translate(_VISIBLE)


def prompt(command: str) -> str:
    """Return how a command is echoed, without line ends at its end: `$ command`, further lines behind `> `."""
    return "$ " + visible(command).replace("\n", "\n> ")


def prompt_event(command: str) -> str:
    """Return what the recording shows for `prompt(command)`."""
    return prompt(command).replace("\n", "\r\n") + "\r\n"


def _quoted(text: str) -> bytes:
    """Return `text` as a JSON string.

    Of printable ASCII with tabs and line ends Python's own escapes are JSON's but for the quotes, and come in half
    the time. That is most of what terminals print, and the recorder must keep up with them.
    """
    if text.isascii():
        raw = text.encode()
        if len(raw.translate(None, _OTHER_CONTROLS)) == len(raw):
            return b'"%b"' % codecs.unicode_escape_encode(text)[0].replace(b'"', b'\\"')
    return _encode(text).encode()


class Event(NamedTuple):
    """One event of a recording."""

    time: float
    """Seconds since its start."""
    kind: str
    """What it is: an `EventKind`, or another in someone else's recording."""
    data: str
    """What was printed or typed; a marker's label."""


@dataclass(frozen=True)
class CastHeader:
    """The first line of a recording.

    Attributes:
        width: Columns.
        height: Rows.
        started: The wall clock at its start, whole seconds, where it is known.
        environment: `TERM` and `SHELL`, nothing else: a recording does not carry an environment.
    """

    width: int
    height: int
    started: datetime | None
    environment: Mapping[str, str]

    def line(self) -> bytes:
        """Return the header as its line."""
        fields: dict[str, object] = {"version": 2, "width": self.width, "height": self.height}
        if self.started is not None:
            fields["timestamp"] = int(self.started.timestamp())
        fields["env"] = {name: self.environment[name] for name in ("TERM", "SHELL") if name in self.environment}
        return _encode(fields).encode() + b"\n"


class CastWriter:
    """A recording in the making.

    Args:
        path: Where. It must not exist.
        header: The first line.
        clock: A monotonic clock in seconds.

    Attributes:
        events: How many events were written.
        last: The time of the last one.
    """

    def __init__(self, path: Path, header: CastHeader, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = LiveFile(path)
        self._file.append(header.line())
        self._clock = clock
        self._origin = clock()
        self.events = 0
        self.last = 0.0

    def write(self, kind: EventKind, data: str) -> float:
        """Write one event now; return its time in the recording.

        Args:
            kind: What it is.
            data: What was printed or typed; a marker's label.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        now = self.now()
        self._file.append(b'[%.6f, "%b", %b]\n' % (now, kind.encode(), _quoted(data)))
        self.last = now
        self.events += 1
        return now

    def now(self) -> float:
        """Return the time in the recording without writing anything."""
        return max(self.last, self.second(self._clock()))

    def second(self, moment: float) -> float:
        """Return the time in the recording of a moment on its clock."""
        return round(max(0.0, moment - self._origin), 6)

    def close(self) -> None:
        """Close. It marks no end: that is an event like others."""
        self._file.close()
