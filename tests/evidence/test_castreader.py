from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.evidence.asciicast import Event
from argusic.evidence.castreader import MAX_LINE, CastReader

HEAD = b'{"version": 2, "width": 160, "height": 40, "env": {"TERM": "tmux-256color", "SHELL": "/bin/bash"}}\n'


def read(data: bytes) -> tuple[CastReader, list[Event]]:
    reader = CastReader(io.BytesIO(data), "some.cast")
    return reader, list(reader)


def said(reader: CastReader) -> list[str]:
    return [str(finding) for finding in reader.findings]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b'[1.0, "o", "cut of', "the last line is cut off"),
        (b'[1.0, "o", "a"]]\n', "the line is not JSON"),
        (b'[NaN, "o", "a"]\n', "the line is not JSON"),
        (b'[1e999, "o", "a"]\n', "the event's time is no number of seconds from 0"),
        (b'[-1, "o", "a"]\n', "the event's time is no number of seconds from 0"),
        (b'["1", "o", "a"]\n', "the event's time is no number of seconds from 0"),
        (b'[true, "o", "a"]\n', "the event's time is no number of seconds from 0"),
        (b"[" + b"9" * 400 + b', "o", "a"]\n', "the event's time is no number of seconds from 0"),
        (b"[" + b"9" * 5000 + b', "o", "a"]\n', "the line is not JSON"),
        (b'[1, "o"]\n', "the line is no event"),
        (b'[1, 2, "a"]\n', "the line is no event"),
        (b'{"a": 1}\n', "the line is no event"),
        (b"[" * 200_000 + b"\n", "the line is not JSON"),
        (b'"\x00"\n', "the line is not JSON"),
    ],
)
def test_a_broken_line_is_named_and_the_others_are_read(line: bytes, what: str) -> None:
    after = b'[2.0, "o", "next"]\n' if line.endswith(b"\n") else b""
    reader, events = read(HEAD + b'[0.5, "o", "first"]\n' + line + after)
    assert [event.data for event in events] == (["first", "next"] if after else ["first"])
    assert said(reader) == [f"some.cast:3: {what}"]


def test_times_that_go_backwards_are_kept_and_named_once() -> None:
    reader, events = read(HEAD + b'[2.0, "o", "a"]\n[1.0, "o", "b"]\n[1.5, "o", "c"]\n[2.5, "o", "d"]\n')
    assert [event.time for event in events] == [2.0, 1.0, 1.5, 2.5]
    assert said(reader) == ["some.cast:3: the time goes backwards (2 times, here first)"]


def test_bytes_that_are_no_utf8_are_replaced_and_named() -> None:
    reader, events = read(HEAD + b'[1.0, "o", "a\xffb"]\n')
    assert events == [Event(1.0, "o", "a\ufffdb")]
    assert said(reader) == ["some.cast:2: the line is not UTF-8"]


def test_half_a_character_is_replaced_and_named() -> None:
    reader, events = read(HEAD + b'[1.0, "o", "a\\ud800b"]\n')
    assert events == [Event(1.0, "o", "a\ufffdb")]
    assert said(reader) == ["some.cast:2: the event holds half a character"]


def test_a_huge_line_is_skipped_without_being_held() -> None:
    huge = b'[1.0, "o", "' + b"x" * (2 * MAX_LINE) + b'"]\n'
    reader, events = read(HEAD + huge + b'[2.0, "o", "after"]\n')
    assert [event.data for event in events] == ["after"]
    assert said(reader) == [f"some.cast:2: the line is longer than {MAX_LINE:,} bytes and was skipped"]


@pytest.mark.parametrize(
    ("first", "what"),
    [
        (b"", "the file is empty"),
        (b'{"version": 1, "width": 80, "height": 24, "stdout": []}\n', "the header is none of asciicast version 2"),
        (b'{"version": 3, "term": {"cols": 80, "rows": 24}}\n', "the header is none of asciicast version 2"),
        (b'{"version": 2, "width": 0, "height": 24}\n', "the header names no width and height"),
        (b'{"version": 2, "width": true, "height": 24}\n', "the header names no width and height"),
        (b"\x7fELF\x02\n", "the line is not JSON"),
        (b'[0.1, "o", "a"]\n', "the header is missing"),
    ],
)
def test_a_file_without_a_header_of_version_2_says_so(first: bytes, what: str) -> None:
    reader, _ = read(first)
    assert reader.header is None
    assert said(reader) == [f"some.cast:1: {what}"]


def test_other_peoples_recordings_read_without_findings() -> None:
    """A theme, other event kinds, whole seconds, blank lines, and no line end at the end are all lawful."""
    head = {"version": 2, "width": 80, "height": 24, "timestamp": 1.5, "theme": {"fg": "#fff"}, "env": None}
    lines = b'[0, "o", "a"]\n\n[1, "r", "100x30"]\n[1.25, "i", "q"]\n[2, "m", ""]'
    reader, events = read(json.dumps(head).encode() + b"\n" + lines)
    assert reader.findings == []
    assert [event.kind for event in events] == ["o", "r", "i", "m"]
    assert reader.header is not None and reader.header.environment == {}


@given(st.binary())
def test_no_content_makes_the_reader_fail(data: bytes) -> None:
    for content in (data, HEAD + data):
        reader, _ = read(content)
        assert reader.header is not None or reader.findings


@given(st.data())
def test_a_recording_cut_off_anywhere_reads_up_to_the_cut(data: st.DataObject) -> None:
    whole = HEAD + b"".join(b'[%d, "o", "line %d"]\n' % (n, n) for n in range(20))
    cut = whole[: data.draw(st.integers(len(HEAD), len(whole)))]
    reader, events = read(cut)
    assert [event.data for event in events] == [f"line {n}" for n in range(len(events))]
    assert len(events) >= cut[len(HEAD) :].count(b"\n")
    assert len(reader.findings) <= 1


def test_reading_holds_one_line_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "long.cast"
    with path.open("wb") as file:
        file.write(HEAD)
        for n in range(1000):
            file.write(b'[%d, "o", "x"]\n' % n)
    with path.open("rb") as stream:
        reader = iter(CastReader(stream, "long.cast"))
        next(reader)
        assert stream.tell() < path.stat().st_size
