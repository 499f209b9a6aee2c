"""Server-sent events are told apart wherever the network cuts them, and no byte is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.runs.keys.apis import events
from argusic.runs.keys.apis.events import Splitter, TooLong, said

line = st.sampled_from(["data: {}", 'data: {"a": 1}', ": comment", "event: x", "id: 7", "data:", "data: [DONE]", "é"])
event = st.tuples(st.lists(line, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n", "\r"]))


@given(st.lists(event, max_size=6), st.lists(st.integers(1, 9)), st.sampled_from([b"", b"data: half", b"\xff"]))
def test_a_stream_is_the_same_however_it_is_cut(
    told: list[tuple[list[str], str]], cuts: list[int], rest: bytes
) -> None:
    whole = [(end.join(lines) + 2 * end).encode() for lines, end in told]
    data = b"".join(whole) + rest
    splitter, heard, at = Splitter(), [], 0
    for size in [*cuts, len(data)]:
        heard += list(splitter.feed(data[at : at + size]))
        at += size
    assert b"".join(heard) + splitter.rest() == data
    assert [one.strip() for one in heard] == [one.strip() for one in whole]


@given(st.dictionaries(st.text(), st.integers() | st.text()), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_an_event_says_is_read(data: dict[str, object], end: str) -> None:
    lines = json.dumps(data, indent=1).split("\n")
    text = "".join(f"data: {one}{end}" for one in lines) + end
    assert said(f"event: x{end}: comment{end}{text}".encode()) == data


@pytest.mark.parametrize("text", [b"", b"data: [DONE]\n\n", b"data: [1]\n\n", b": x\n\n", b"data: {\n\n", b"\xff\n\n"])
def test_an_event_without_an_object_says_nothing(text: bytes) -> None:
    assert said(text) is None


def test_an_event_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LONGEST", 100)
    splitter = Splitter()
    assert list(splitter.feed(b"x" * 100)) == []
    with pytest.raises(TooLong):
        list(splitter.feed(b"x"))
