from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.evidence.asciicast import CastHeader, CastWriter, Event, EventKind, prompt, prompt_event
from argusic.evidence.castreader import CastReader

HEADER = CastHeader(100, 30, datetime(2026, 11, 30, tzinfo=UTC), {"TERM": "xterm-256color", "SHELL": "/bin/bash"})


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def read(data: bytes) -> tuple[CastReader, list[Event]]:
    reader = CastReader(io.BytesIO(data), "some.cast")
    return reader, list(reader)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["o", "i", "m"]),
            st.text(alphabet=st.characters(exclude_categories=["Cs"])),
            st.floats(0, 100),
        )
    )
)
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[EventKind, str, float]]
) -> None:
    path = tmp_path_factory.mktemp("cast") / "some.cast"
    clock = Clock()
    writer = CastWriter(path, HEADER, clock)
    written = []
    for kind, data, pause in events:
        clock.now += pause
        written.append(Event(writer.write(kind, data), kind, data))
    writer.close()
    reader, found = read(path.read_bytes())
    assert reader.header == HEADER
    assert reader.findings == []
    assert found == written


@given(st.text(alphabet=st.characters(max_codepoint=0x7F, include_characters="é日\u2028")))
def test_the_quick_way_of_writing_makes_the_same_event(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("cast") / "some.cast"
    writer = CastWriter(path, HEADER, Clock())
    writer.write("o", text)
    writer.close()
    assert json.loads(path.read_bytes().split(b"\n")[1]) == [0.0, "o", text]


def test_the_header_names_size_time_terminal_and_shell_and_nothing_else_of_the_environment(tmp_path: Path) -> None:
    header = CastHeader(80, 24, datetime(2026, 11, 30, 1, 2, 3, tzinfo=UTC), {"TERM": "x", "SHELL": "y", "KEY": "z"})
    CastWriter(tmp_path / "c", header).close()
    assert json.loads((tmp_path / "c").read_bytes()) == {
        "version": 2,
        "width": 80,
        "height": 24,
        "timestamp": 1796000523,
        "env": {"TERM": "x", "SHELL": "y"},
    }


def test_times_never_go_backwards_even_when_the_clock_does(tmp_path: Path) -> None:
    clock = Clock()
    writer = CastWriter(tmp_path / "c", HEADER, clock)
    clock.now += 5
    assert writer.write("o", "a") == 5
    clock.now -= 3
    assert writer.write("o", "b") == 5


def test_an_event_is_in_the_file_before_the_next_one_is_looked_at(tmp_path: Path) -> None:
    writer = CastWriter(tmp_path / "c", HEADER)
    for number in range(1, 4):
        writer.write("o", "x" * 100_000)
        _, found = read((tmp_path / "c").read_bytes())
        assert len(found) == number


def test_a_recording_never_replaces_another(tmp_path: Path) -> None:
    CastWriter(tmp_path / "c", HEADER).close()
    with pytest.raises(FileExistsError):
        CastWriter(tmp_path / "c", HEADER)


def test_a_prompt_shows_every_line_and_no_control_character_acts() -> None:
    assert prompt("ls -l") == "$ ls -l"
    assert prompt("cat <<E\nx\nE") == "$ cat <<E\n> x\n> E"
    assert prompt("echo '\x1b[2K\r'") == "$ echo '\\x1b[2K\\x0d'"
    assert prompt_event("a\nb") == "$ a\r\n> b\r\n"
