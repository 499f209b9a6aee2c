from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.evidence.castreader import CastReader
from argusic.evidence.commands import read_commands
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, RECORDING_NAME
from argusic.evidence.livefile import WriteFailed
from argusic.runs import recorder, terminal
from argusic.runs.excerpt import HEAD_BYTES, TAIL_BYTES, Excerpt
from argusic.runs.recorder import Recorder
from tests.evidence.cutting import cuts, pieces
from tests.runs.recording import Begin

TOP = Path(__file__).parents[2]


def test_every_command_is_in_table_recording_and_log_at_its_place(begin: Begin) -> None:
    recording = begin()
    recording.session.run("echo one; echo two >&2")
    recording.session.run("printf 'no line end'")
    recording.session.run("cat <<E\nlines\nE\nexit 3")
    coverage = recording.end()
    assert coverage.complete, coverage.lacks
    events, log = recording.events(), recording.log().split("\n")
    for row in recording.rows():
        assert events[row.offset].kind == "m" and events[row.offset].data == f"command {row.number}"
        assert log[row.log_line - 1] == "$ " + row.command.split("\n")[0]
    assert [row.exit_status for row in recording.rows()] == [0, 0, 3]
    assert recording.log() == (
        "$ echo one; echo two >&2\none\ntwo\n$ printf 'no line end'\nno line end\n"
        "$ cat <<E\n> lines\n> E\n> exit 3\nlines\n"
    )


def test_an_attempt_without_commands_is_covered(begin: Begin) -> None:
    recording = begin()
    time.sleep(0.2)
    coverage = recording.end()
    assert coverage.complete
    assert coverage.commands == 0 and coverage.recorded_seconds >= 0.2


def test_a_recording_that_was_closed_without_its_end_is_not_complete(begin: Begin) -> None:
    recording = begin()
    recording.session.run("true")
    recording.recorder.close()
    with pytest.raises(ValueError, match="closed"):
        recording.end()
    assert [event.data for event in recording.events()][-1] != "end"


def test_a_silent_command_leaves_a_recording_that_spans_it(begin: Begin) -> None:
    recording = begin()
    result = recording.session.run("sleep 1")
    coverage = recording.end()
    assert coverage.complete and coverage.recorded_seconds >= 1
    assert result.seconds == pytest.approx(1, abs=0.5)


def test_a_character_split_over_two_writes_arrives_whole(begin: Begin) -> None:
    recording = begin()
    result = recording.session.run(r"printf '\xe2\x82'; sleep 0.2; printf '\xac 3\n'")
    recording.end()
    assert result.output == "€ 3\n"
    assert "€ 3\r\n" in recording.printed()
    assert recording.recorder.replaced == 0


def test_bytes_that_are_no_utf8_are_replaced_and_counted(begin: Begin) -> None:
    recording = begin()
    result = recording.session.run(r"printf 'a\xff\xfeb\0c\n'")
    recording.end()
    assert result.output == "a��bc\n"
    assert recording.recorder.replaced == 2


def test_control_sequences_are_in_the_recording_and_not_in_log_and_result(begin: Begin) -> None:
    recording = begin()
    result = recording.session.run(r"printf '\e[31mred\e[0m\n10%%\r100%%\n\e]0;title\a'")
    recording.end()
    assert result.output == "red\n100%\n"
    assert "\x1b[31mred\x1b[0m" in recording.printed()
    assert "\x1b" not in recording.log()


def test_what_one_command_did_to_the_terminal_is_undone_before_the_next_prompt(begin: Begin) -> None:
    recording = begin()
    recording.session.run(r"printf '\e[?1049h\e[31m'")
    recording.session.run("true")
    recording.session.run("true")
    recording.end()
    assert recording.printed().count("\x1b[?1049l") == 1


def test_the_terminal_has_the_size_and_kind_that_the_recording_names(begin: Begin) -> None:
    recording = begin()
    assert recording.session.run("stty size; echo $TERM").output == "40 120\nxterm-256color\n"
    recording.end()
    with (recording.folder / RECORDING_NAME).open("rb") as stream:
        reader = CastReader(stream, "x")
        list(reader)
    assert reader.header is not None
    assert (reader.header.width, reader.header.height) == (120, 40)
    assert reader.header.environment == {"TERM": "xterm-256color", "SHELL": "/bin/bash"}


def test_ten_megabytes_in_one_line_arrive_whole_in_bounded_memory(begin: Begin) -> None:
    recording = begin()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = recording.session.run("head -c 10000000 /dev/zero | tr '\\0' z; echo; echo after")
    recording.end()
    assert recording.log().split("\n")[1:3] == ["z" * 10_000_000, "after"]
    assert recording.printed().count("z") - "$ | tr '\\0' z; /dev/zero".count("z") == 10_000_000
    assert result.output.startswith("zzz") and result.output.endswith("z\nafter\n")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_output_beyond_its_cap_kills_the_command(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "OUTPUT_CAP", 200_000)
    recording = begin()
    result = recording.session.run("yes")
    after = recording.session.run("echo on")
    coverage = recording.end()
    assert (result.exit_status, result.cut) == (None, "output")
    assert after.output == "on\n"
    assert coverage.complete, coverage.lacks
    assert sum(event.data.count("y") for event in recording.events() if event.data != "$ yes\r\n") <= 100_000
    assert [(hit.limit, hit.count) for hit in recording.session.limits_hit] == [("output", 1)]
    assert "cut 1: output" in [event.data for event in recording.events() if event.kind == "m"]


def test_all_commands_together_cannot_fill_the_hosts_disk(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "ATTEMPT_OUTPUT_CAP", 200_000)
    recording = begin()
    cuts = [recording.session.run("head -c 150000 /dev/zero | tr '\\0' z").cut for _ in range(4)]
    silent = recording.session.run("true")
    coverage = recording.end()
    assert cuts == [None, "output", "output", "output"]
    assert (silent.exit_status, silent.cut) == (0, None)
    assert coverage.complete, coverage.lacks
    assert sum(event.data.count("z") for event in recording.events() if event.data.startswith("zz")) <= 200_000


def test_output_of_exactly_the_cap_is_not_cut(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "OUTPUT_CAP", 100_000)
    recording = begin()
    assert recording.session.run("head -c 100000 /dev/zero | tr '\\0' z").cut is None


def test_a_full_disk_fails_with_what_was_recorded_readable(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small limit on file size stands for a full disk: the kernel refuses the write in the same way."""
    recording = begin()
    recording.session.run("echo before")
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, old[1]))
        with pytest.raises(WriteFailed) as raised:
            recording.recorder.record(
                "yes", lambda: recording.sandbox.spawn(["yes"]), until=None, attempt_over=lambda: False
            )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, ignored)
    assert raised.value.errno == errno.EFBIG
    recording.recorder.close()
    with (recording.folder / RECORDING_NAME).open("rb") as stream:
        events = list(CastReader(stream, "x"))
    assert "before\r\n" in [event.data for event in events]


_RECORD_FOR_EVER = """
import sys, threading
from pathlib import Path
from argusic.runs.recorded_session import RecordedSession
from argusic.runs.recorder import Recorder
from tests.runs.local_sandbox import LocalSandbox
folder = Path(sys.argv[1])
session = RecordedSession(LocalSandbox(folder), Recorder(folder), budget_seconds=60, cancel=threading.Event())
print("ready", flush=True)
session.run("echo quick")
while True:
    session.run("while date +%s.%N; do sleep 0.05; done", timeout=0.7)
"""


@pytest.mark.parametrize("after", [0.4, 1.1, 2.3])
def test_a_kill_at_any_moment_loses_at_most_a_second(tmp_path: Path, after: float) -> None:
    victim = subprocess.Popen(
        [sys.executable, "-c", _RECORD_FOR_EVER, str(tmp_path)],
        cwd=TOP,
        env={**os.environ, "PYTHONPATH": str(TOP)},
        stdout=subprocess.PIPE,
    )
    assert victim.stdout is not None
    with victim.stdout as out:
        assert out.readline() == b"ready\n"
        time.sleep(after)
        killed_at = time.time()
        victim.kill()
        victim.wait(10)
    with (tmp_path / RECORDING_NAME).open("rb") as stream:
        reader = CastReader(stream, "recording")
        events = list(reader)
    assert reader.findings == []
    stamps = [float(word) for event in events if event.kind == "o" for word in event.data.split() if "." in word[9:12]]
    assert killed_at - max(stamps) < 1
    rows = read_commands(tmp_path / COMMANDS_NAME)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    assert all(row.ended is not None for row in rows[:-1])
    log = (tmp_path / LOG_NAME).read_text()
    assert f"{max(stamps):.9f}"[:14] in log
    for row in rows:
        assert log.split("\n")[row.log_line - 1] == f"$ {row.command}"


def test_a_recorder_never_writes_over_another_recording(tmp_path: Path) -> None:
    Recorder(tmp_path).close()
    with pytest.raises(FileExistsError):
        Recorder(tmp_path)


@settings(max_examples=50)
@given(st.binary(max_size=200_000).map(lambda raw: raw * 5), st.data())
def test_an_excerpt_holds_both_ends_and_says_how_much_it_left_out(raw: bytes, data: st.DataObject) -> None:
    text = raw.hex().encode()
    excerpt = Excerpt()
    for piece in pieces(text, data.draw(cuts(text))):
        excerpt.add(piece)
    shown = excerpt.text()
    left_out = len(text) - HEAD_BYTES - TAIL_BYTES
    if left_out <= 0:
        assert shown.encode() == text
    else:
        head, line, tail = shown.split("\n")
        assert (head.encode(), tail.encode()) == (text[:HEAD_BYTES], text[-TAIL_BYTES:])
        assert line == f"[... {left_out:,} bytes left out ...]"


def test_an_excerpt_cuts_no_character_in_half() -> None:
    excerpt = Excerpt()
    excerpt.add(("a" + "€" * 50_000).encode())
    head, _, tail = excerpt.text().split("\n")
    assert set(head) == {"a", "€"} and set(tail) == {"€"}
