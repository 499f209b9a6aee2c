"""Redacting a recording while reading it: bounded memory, however long it is.

Events are read a megabyte at a time and held back until what follows them can no longer turn them into part of a
secret. Output is searched as one stream, whatever the events are that it came in; what was typed likewise; markers
and lines that are no events each by themselves. Only lines with a mask in them are written anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from argusic.evidence.redaction.commands import Echoed
from argusic.evidence.redaction.finding import Finder, Found
from argusic.evidence.redaction.masking import Tally, characters, masked_bytes, masked_string
from argusic.evidence.redaction.screens import Screens
from argusic.evidence.redaction.texts import AGAIN, EDGE, PIECE

#: How a line's string is found that holds the data.
_BEFORE_DATA: Final = re.compile(rb'\s*\[\s*[^,"\[\]]+,\s*"(?:[^"\\]|\\.)*"\s*,\s*"')
#: The most that is held back for a terminal that shows next to nothing of what it gets.
_MOST_HELD: Final = 16 * PIECE


class Line(NamedTuple):
    """One line of the recording."""

    raw: bytes
    """As it is written."""
    kind: str
    """The event's kind; empty for a line that is none."""
    data: str
    """The event's data."""


@dataclass
class Redacting:
    """What is known of the recording so far.

    Attributes:
        tally: What was found.
        lines_masked: How many lines were changed.
        new_in_commands: Whether a command needs a mask that was not known when this pass began.
        unsearchable: The form that may hold a known credential, where there is one.
    """

    tally: Tally = field(default_factory=Tally)
    lines_masked: int = 0
    new_in_commands: bool = False
    unsearchable: str | None = None


def parse(raws: list[bytes]) -> list[Line]:
    """Return lines as events where they are. All at once where all are: that takes half the time."""
    try:
        events = json.loads(b"[%b]" % b",".join(raws))
    except (ValueError, RecursionError):
        events = []
    if len(events) != len(raws):
        events = [_event(raw) for raw in raws]
    return [
        Line(raw, event[1], event[2])
        if type(event) is list and len(event) == 3 and type(event[1]) is str and type(event[2]) is str
        else Line(raw, "", "")
        for raw, event in zip(raws, events, strict=True)
    ]


def _event(raw: bytes) -> object:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


class RecordingRedactor:
    """One pass over one recording.

    Args:
        finder: The search.
        screens: The search of what is drawn, rather than printed in a row.
        echoes: The commands by the number of the event that echoes each.
    """

    def __init__(self, finder: Finder, screens: Screens, echoes: Mapping[int, Echoed]) -> None:
        self._finder = finder
        self._screens = screens
        self._echoes = echoes
        self._held: list[Line] = []
        self._masks: dict[int, set[int]] = {}
        self._raw_masks: dict[int, list[tuple[int, int]]] = {}
        self._first = 0  # the number of the first line held
        self._bases = {"o": 0, "i": 0, "": 0}
        self.result = Redacting()

    def run(self, source: BinaryIO, target: BinaryIO) -> None:
        """Read a recording and write it with its masks."""
        while raws := source.readlines(PIECE):
            self._held += parse(raws)
            self._search()
            self._write(target, self._keep())
        self._write(target, 0)

    def _search(self) -> None:
        for channel in ("o", "i", ""):
            numbers = [n for n, line in enumerate(self._held) if _channel(line) == channel]
            if not numbers:
                continue
            texts = [_text(self._held[n]) for n in numbers]
            text = (b"\n" if channel == "" else b"").join(texts)
            found = [*self._finder.find(text), *self._finder.opaque(text)]
            if channel == "o":
                found += self._screens.find(text, list(accumulate(map(len, texts))))
                self.result.unsearchable = self.result.unsearchable or self._finder.unsearchable(text)
            if self._bases[channel]:
                found = [one for one in found if one.places[0][0] >= EDGE]
            if found:
                self._place(channel, numbers, texts, found)
        self._force_commands()

    def _place(self, channel: str, numbers: list[int], texts: list[bytes], found: list[Found]) -> None:
        """Turn places in a channel's text into characters of its lines."""
        gap = 1 if channel == "" else 0
        starts = list(accumulate((len(text) + gap for text in texts), initial=0))
        spans = sorted(place for one in found for place in one.places)
        for one in found:
            self.result.tally.add(one, self._bases[channel] + (1 << 60) * "oi".find(channel))
        index = 0
        for start, end in spans:
            index = _at(starts, start, index)
            at = index
            while at < len(texts) and starts[at] < end:
                first, last = max(start - starts[at], 0), min(end - starts[at], len(texts[at]))
                line = self._held[numbers[at]]
                if first < last:
                    if line.kind:
                        marks = self._masks.setdefault(self._first + numbers[at], set())
                        marks |= characters(line.data, [(first, last)])
                    else:
                        self._raw_masks.setdefault(self._first + numbers[at], []).append((first, last))
                at += 1

    def _force_commands(self) -> None:
        """Give the echo of each command the masks of the command, and the command those of its echo."""
        for number, line in enumerate(self._held, self._first):
            # Lines count the header, events do not.
            echoed = self._echoes.get(number - 1)
            if echoed is None or line.kind != "o" or line.data != echoed.echo():
                continue
            origin = echoed.origin("\r\n")
            if marks := self._masks.pop(number, None):
                self.result.new_in_commands |= echoed.add(origin[mark] for mark in marks)
            if echoed.masked:
                self._masks[number] = {n for n, of in enumerate(origin) if of in echoed.masked}

    def _keep(self) -> int:
        """Return how many of the lines held must stay."""
        size = held = keep = 0
        for keep, line in enumerate(reversed(self._held)):
            if size >= AGAIN or held >= _MOST_HELD:
                return keep
            size += len(line.data) if line.kind == "o" else 0
            held += len(line.raw)
        return len(self._held)

    def _write(self, target: BinaryIO, keep: int) -> None:
        going = self._held[: len(self._held) - keep]
        for number in sorted({*self._masks, *self._raw_masks}):
            if number < self._first + len(going):
                line = going[number - self._first]
                going[number - self._first] = line._replace(raw=self._masked(number, line))
                self.result.lines_masked += 1
        target.write(b"".join([line.raw for line in going]))
        for line in going:
            self._bases[_channel(line)] += len(_text(line))
        self._first += len(going)
        del self._held[: len(going)]

    def _masked(self, number: int, line: Line) -> bytes:
        marks = self._masks.pop(number, None)
        if marks is None:
            return masked_bytes(line.raw, self._raw_masks.pop(number))
        start = _BEFORE_DATA.match(line.raw)
        if start is None:
            raise ValueError("an event is not written as events are")
        return masked_string(line.raw, start.end(), line.data, marks)


def _channel(line: Line) -> str:
    return line.kind if line.kind in ("o", "i") else ""


def _text(line: Line) -> bytes:
    return line.data.encode("utf-8", "surrogatepass") if line.kind else line.raw


def _at(starts: list[int], place: int, index: int) -> int:
    """Return the number of the piece that a place is in, looking forward from `index`."""
    while index + 1 < len(starts) and starts[index + 1] <= place:
        index += 1
    return index


def redact_recording(
    source: Path, target: Path, finder: Finder, screens: Screens, echoes: Mapping[int, Echoed]
) -> Redacting:
    """Write the redacted copy of a recording.

    Args:
        source: The recording.
        target: Where the copy goes.
        finder: The search.
        screens: The search of what is drawn.
        echoes: The commands by the number of the event that echoes each; their masks grow.
    """
    redactor = RecordingRedactor(finder, screens, echoes)
    with source.open("rb") as reading, target.open("wb") as writing:
        redactor.run(reading, writing)
    return redactor.result
