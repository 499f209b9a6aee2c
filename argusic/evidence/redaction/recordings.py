"""Redacting a recording while reading it: bounded memory, however long it is.

Events are read a megabyte at a time and held back until what follows them can no longer turn them into part of a
secret. Output is searched as one stream, whatever the events are that it came in; what was typed likewise; markers
and lines that are no events each by themselves. Only lines with a mask in them are written anew.
"""

from __future__ import annotations

import gc
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from pydantic_core import from_json

from argusic.evidence.redaction.banners import BannerSearch
from argusic.evidence.redaction.commands import Echoed
from argusic.evidence.redaction.finding import Finder, Found
from argusic.evidence.redaction.masking import Tally, characters, masked_bytes, masked_string
from argusic.evidence.redaction.screens import Screens
from argusic.evidence.redaction.texts import AGAIN, EDGE, PIECE

#: How a line's string is found that holds the data.
_BEFORE_DATA: Final = re.compile(rb'\s*\[\s*[^,"\[\]]+,\s*"(?:[^"\\]|\\.)*"\s*,\s*"')
#: The most that is held back for a terminal that shows next to nothing of what it gets.
_MOST_HELD: Final = 16 * PIECE


class Lines(NamedTuple):
    """Lines of a recording, side by side."""

    raws: list[bytes]
    """As they are written."""
    kinds: list[str]
    """The event's kind; empty for a line that is no event."""
    datas: list[str]
    """The event's data."""


@dataclass
class Redacting:
    """What is known of the recording so far.

    Attributes:
        tally: What was found.
        lines_masked: How many lines were changed.
        banner: Whether a banner was blanked.
        new_in_commands: Whether a command needs a mask that was not known when this pass began.
        unsearchable: The form that may hold a known credential, where there is one.
    """

    tally: Tally = field(default_factory=Tally)
    lines_masked: int = 0
    banner: bool = False
    new_in_commands: bool = False
    unsearchable: str | None = None


def parse(raws: list[bytes]) -> Lines:
    """Return lines as events where they are. All at once where all are: that takes a third of the time."""
    if raws[0].startswith(b"["):
        return _parsed_at_once(raws)
    first, rest = _parsed_singly(raws[:1]), _parsed_at_once(raws[1:])
    return Lines(raws, first.kinds + rest.kinds, first.datas + rest.datas)


def _parsed_at_once(raws: list[bytes]) -> Lines:
    with _collector_paused():
        try:
            events = from_json(b"[%b]" % b",".join(raws), allow_inf_nan=False, cache_strings="keys")
            if len(events) == len(raws) and set(map(type, events)) == {list}:
                _, kinds, datas = zip(*events, strict=True)
                if set(map(type, kinds)) == {str} == set(map(type, datas)):
                    return Lines(raws, list(kinds), list(datas))
        except (ValueError, RecursionError):
            pass
    return _parsed_singly(raws)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the collector of cycles off: ten thousand short-lived lists make it run often, and none is in a cycle."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _parsed_singly(raws: list[bytes]) -> Lines:
    lines = Lines(raws, [], [])
    for raw in raws:
        try:
            event = json.loads(raw)
        except (ValueError, RecursionError):
            event = None
        whole = type(event) is list and len(event) == 3 and type(event[1]) is str and type(event[2]) is str
        lines.kinds.append(event[1] if whole else "")
        lines.datas.append(event[2] if whole else "")
    return lines


class RecordingRedactor:
    """One pass over one recording.

    Args:
        finder: The search.
        screens: The search of what is drawn, rather than printed in a row.
        echoes: The commands by the number of the event that echoes each.
        banner: The search for the banner of the agent's program, where it has one.
    """

    def __init__(
        self, finder: Finder, screens: Screens, echoes: Mapping[int, Echoed], banner: BannerSearch | None = None
    ) -> None:
        self._finder = finder
        self._screens = screens
        self._echoes = echoes
        self._held = Lines([], [], [])
        self._masks: dict[int, set[int]] = {}
        self._banner = banner
        self._blanks: dict[int, set[int]] = {}
        self._raw_masks: dict[int, list[tuple[int, int]]] = {}
        self._first = 0  # the number of the first line held
        self._bases = dict.fromkeys(_CHANNELS, 0)
        self.result = Redacting()

    def run(self, source: BinaryIO, target: BinaryIO) -> None:
        """Read a recording and write it with its masks."""
        while raws := source.readlines(PIECE):
            new = parse(raws)
            self._held.raws.extend(new.raws)
            self._held.kinds.extend(new.kinds)
            self._held.datas.extend(new.datas)
            kept = self._kept()
            for channel in _CHANNELS:
                self._search(channel, kept)
            self._force_commands()
            self._blank_banner()
            self._write(target, kept)
        self._write(target, 0)

    def _search(self, channel: str, kept: int) -> None:
        """Search one channel, and count as gone by what will not be searched again."""
        _, kinds, datas = self._held
        if channel == "o":
            numbers = range(len(kinds)) if kinds.count("o") == len(kinds) else _of(kinds, ("o",))
        else:
            numbers = (
                _of(kinds, ("i",)) if channel == "i" else [n for n, kind in enumerate(kinds) if kind not in ("o", "i")]
            )
        if not numbers:
            return
        gap = b"" if channel else b"\n"
        text = gap.join(self._texts(numbers)) if channel == "" else _encoded(datas, numbers)
        looked = self._finder.look(text)
        found = looked.found
        self.result.unsearchable = self.result.unsearchable or looked.unsearchable
        if channel == "o" and looked.special:
            found += self._screens.find(text, lambda: list(accumulate(map(len, self._texts(numbers)))))
        if self._bases[channel]:
            found = [one for one in found if one.places[0][0] >= EDGE]
        if found:
            self._place(channel, numbers, found)
        going = len(kinds) - kept
        self._bases[channel] += len(text) - sum(
            len(one) + len(gap) for one in self._texts([n for n in numbers[-kept:] if n >= going] if kept else [])
        )

    def _texts(self, numbers: Sequence[int]) -> list[bytes]:
        raws, kinds, datas = self._held
        return [datas[n].encode("utf-8", "surrogatepass") if kinds[n] else raws[n] for n in numbers]

    def _place(self, channel: str, numbers: Sequence[int], found: list[Found]) -> None:
        """Turn places in a channel's text into characters of its lines."""
        texts = self._texts(numbers)
        starts = list(accumulate((len(text) + (not channel) for text in texts), initial=0))
        for one in found:
            self.result.tally.add(one, self._bases[channel] + (_CHANNELS.index(channel) << 60))
            for start, end in one.places:
                at = bisect_right(starts, start) - 1
                while at < len(texts) and starts[at] < end:
                    first, last = max(start - starts[at], 0), min(end - starts[at], len(texts[at]))
                    if first < last:
                        self._mark(numbers[at], first, last)
                    at += 1

    def _mark(self, held: int, first: int, last: int) -> None:
        number = self._first + held
        if self._held.kinds[held]:
            self._masks.setdefault(number, set()).update(characters(self._held.datas[held], [(first, last)]))
        else:
            self._raw_masks.setdefault(number, []).append((first, last))

    def _force_commands(self) -> None:
        """Give the echo of each command the masks of the command, and the command those of its echo."""
        _, kinds, datas = self._held
        # Lines count the header, events do not.
        for event in range(self._first - 1, self._first + len(kinds) - 1) if self._echoes else ():
            echoed = self._echoes.get(event)
            number = event + 1
            held = number - self._first
            if echoed is None or kinds[held] != "o" or datas[held] != echoed.echo():
                continue
            origin = echoed.origin("\r\n")
            if marks := self._masks.pop(number, None):
                self.result.new_in_commands |= echoed.add(origin[mark] for mark in marks)
            if echoed.masked:
                self._masks[number] = {n for n, of in enumerate(origin) if of in echoed.masked}

    def _blank_banner(self) -> None:
        """Blank the banner in what the command printed that started the agent's program."""
        number = next((event + 1 for event, echoed in self._echoes.items() if echoed.starts_program), None)
        if self._banner is None or number is None or not self._first <= number < self._first + len(self._held.raws):
            return
        kinds, datas = self._held.kinds, self._held.datas
        printed: list[int] = []
        for held in range(number + 1 - self._first, len(kinds)):
            if kinds[held] == "m" and datas[held].startswith("command "):
                break
            if kinds[held] == "o":
                printed.append(held)
        texts = self._texts(printed)
        starts = list(accumulate(map(len, texts), initial=0))
        for start, end in self._banner.find(b"".join(texts)):
            self.result.banner = True
            for held, first, text in zip(printed, starts[:-1], texts, strict=True):
                inside = (max(0, start - first), min(end - first, len(text)))
                if inside[0] < inside[1]:
                    self._blanks.setdefault(self._first + held, set()).update(characters(datas[held], [inside]))

    def _kept(self) -> int:
        """Return how many of the lines held will be searched again, with what comes next."""
        size = held = 0
        raws, kinds, datas = self._held
        for number in range(len(kinds) - 1, -1, -1):
            if size >= AGAIN or held >= _MOST_HELD:
                return len(kinds) - 1 - number
            size += len(datas[number]) if kinds[number] == "o" else 0
            held += len(raws[number])
        return len(kinds)

    def _write(self, target: BinaryIO, kept: int) -> None:
        raws, _, datas = self._held
        going = len(raws) - kept
        for number in sorted({*self._masks, *self._raw_masks, *self._blanks}):
            held = number - self._first
            if held < going:
                raws[held] = self._masked(number, raws[held], datas[held])
                self.result.lines_masked += 1
        target.write(b"".join(raws[:going]))
        self._first += going
        for column in self._held:
            del column[:going]

    def _masked(self, number: int, raw: bytes, data: str) -> bytes:
        if number in self._raw_masks:
            return masked_bytes(raw, self._raw_masks.pop(number))
        marks, blanks = self._masks.pop(number, set()), self._blanks.pop(number, set())
        start = _BEFORE_DATA.match(raw)
        if start is None:
            raise ValueError("an event is not written as events are")
        return masked_string(raw, start.end(), data, marks, blanks)


#: Output, input, everything else: each is a stream of its own.
_CHANNELS: Final = ("o", "i", "")


def _of(kinds: list[str], wanted: tuple[str, ...]) -> list[int]:
    return [number for number, kind in enumerate(kinds) if kind in wanted]


def _encoded(datas: list[str], numbers: Sequence[int]) -> bytes:
    some = datas if isinstance(numbers, range) else [datas[n] for n in numbers]
    return "".join(some).encode("utf-8", "surrogatepass")


def redact_recording(
    source: Path,
    target: Path,
    finder: Finder,
    screens: Screens,
    echoes: Mapping[int, Echoed],
    banner: BannerSearch | None = None,
) -> Redacting:
    """Write the redacted copy of a recording.

    Args:
        source: The recording.
        target: Where the copy goes.
        finder: The search.
        screens: The search of what is drawn.
        echoes: The commands by the number of the event that echoes each; their masks grow.
        banner: The search for the banner of the agent's program, where it has one.
    """
    redactor = RecordingRedactor(finder, screens, echoes, banner)
    with source.open("rb") as reading, target.open("wb") as writing:
        redactor.run(reading, writing)
    return redactor.result
