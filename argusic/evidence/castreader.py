"""Reading recordings, ours and other people's, whole or broken: what can be read is yielded, the rest is named.

Nothing in a file makes the reader fail or take more memory than one line may have. Each kind of damage is named
once, with its first line and how often it occurs. Backwards times are common in the field: events keep them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeGuard

from argusic.errors import Finding, Place
from argusic.evidence.asciicast import CastHeader, Event

#: The longest line that is read. Ours have at most about 400 kB, the longest seen elsewhere 31 kB.
MAX_LINE: Final = 8 * 1024 * 1024


class CastReader:
    """One pass over a recording: iterate for its events, then ask for the findings.

    Args:
        stream: The file's bytes.
        file: What to call it in a finding.

    Attributes:
        header: The first line, or None where it is none of asciicast v2.
    """

    def __init__(self, stream: BinaryIO, file: Path | str) -> None:
        self._stream = stream
        self._file = file
        self._seen: dict[str, tuple[int, int]] = {}
        self._line = 0
        self.header: CastHeader | None = None

    @property
    def findings(self) -> list[Finding]:
        """What is wrong with what was read so far, in the order it was met."""
        return [
            Finding(Place(self._file, line), what if count == 1 else f"{what} ({count} times, here first)")
            for what, (line, count) in self._seen.items()
        ]

    def __iter__(self) -> Iterator[Event]:
        last = 0.0
        for raw in self._lines():
            if self._line == 1 and self._take_header(raw):
                continue
            event = self._event(raw)
            if event is None:
                continue
            if event.time < last:
                self._note("the time goes backwards")
            last = max(last, event.time)
            yield event
        if self.header is None and not self._seen:
            self._note("the header is missing")

    def _note(self, what: str) -> None:
        line, count = self._seen.get(what, (self._line, 0))
        self._seen[what] = (line, count + 1)

    def _lines(self) -> Iterator[bytes]:
        """Yield each line without its end; skip blank ones, and name those that are too long."""
        while raw := self._stream.readline(MAX_LINE):
            self._line += 1
            if not raw.endswith(b"\n") and len(raw) == MAX_LINE:
                self._note(f"the line is longer than {MAX_LINE:,} bytes and was skipped")
                while (more := self._stream.readline(MAX_LINE)) and not more.endswith(b"\n"):
                    pass
                continue
            if raw.strip():
                yield raw
        if self._line == 0:
            self._line = 1
            self._note("the file is empty")

    def _parse(self, raw: bytes) -> Any:
        """Return the line as plain data, or None with a finding."""
        if self._line == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            self._note("the line is not UTF-8")
            text = raw.decode("utf-8", "replace")
        try:
            return json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            whole = raw.endswith(b"\n")
            self._note("the line is not JSON" if whole else "the last line is cut off")
            return None

    def _take_header(self, raw: bytes) -> bool:
        """Read the first line; return False where it looks like an event, to be read as one."""
        if raw.lstrip().startswith(b"["):
            self._note("the header is missing")
            return False
        fields = self._parse(raw)
        if fields is None:
            return True
        if not isinstance(fields, dict) or fields.get("version") != 2:
            self._note("the header is none of asciicast version 2")
            return True
        width, height = fields.get("width"), fields.get("height")
        if not _is_size(width) or not _is_size(height):
            self._note("the header names no width and height")
            return True
        environment = fields.get("env")
        self.header = CastHeader(
            width=width,
            height=height,
            started=_moment(fields.get("timestamp")),
            environment={k: v for k, v in environment.items() if isinstance(v, str)}
            if isinstance(environment, dict)
            else {},
        )
        return True

    def _event(self, raw: bytes) -> Event | None:
        fields = self._parse(raw)
        if fields is None:
            return None
        if not isinstance(fields, list) or len(fields) != 3:
            self._note("the line is no event")
            return None
        when, kind, data = fields
        if not isinstance(kind, str) or not isinstance(data, str):
            self._note("the line is no event")
            return None
        seconds = _seconds(when)
        if seconds is None:
            self._note("the event's time is no number of seconds from 0")
            return None
        try:
            data.encode()
        except UnicodeEncodeError:
            self._note("the event holds half a character")
            data = data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return Event(seconds, kind, data)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _is_size(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 < value < 100_000


def _moment(value: object) -> datetime | None:
    if type(value) not in (int, float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)  # type: ignore[arg-type]
    except (ValueError, OverflowError, OSError):
        return None


def _seconds(value: object) -> float | None:
    if type(value) is not int and type(value) is not float:
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
