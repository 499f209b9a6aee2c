from __future__ import annotations

import io
import json
import re

import pyte
import pytest

from argusic.evidence.reel.playing import Player, Watching
from argusic.evidence.reel.source import Source
from tests.evidence.reel.sessions import Making


class Clock:
    """Time that goes by only where the player waits."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def played(source: Source, watching: Watching, size: tuple[int, int] = (120, 50)) -> tuple[str, float]:
    """Return what reaches the reader's terminal, and how long it takes."""
    clock, out = Clock(), io.StringIO()
    Player(source, watching, out, size, clock.now, clock.sleep).play()
    return out.getvalue(), clock.seconds


def screen(written: str, size: tuple[int, int]) -> list[str]:
    """Return what the reader sees before the terminal is given back."""
    emulated = pyte.Screen(*size)
    pyte.Stream(emulated).feed(written.rpartition("\x1b[0m\x1b[?25h")[0])
    return [line.rstrip() for line in emulated.display]


def cast(*events: tuple[float, str], width: int = 80, height: int = 24) -> bytes:
    lines: list[object] = [{"version": 2, "width": width, "height": height}, [0.0, "m", "begin"]]
    lines += [[when, "o", data] for when, data in events]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def test_the_whole_recording_is_played_with_pauses_cut_short(making: Making) -> None:
    written, seconds = played(making().source(), Watching(speed=1.0, pause=2.0))
    shown = screen(written, (120, 50))
    assert "$ pip install demo" in shown
    assert "42 frames decoded, no errors" in shown
    assert "cut to 2.0 s" in written
    # 52 s, in which five silences of 2.5 and of 20 s become 2 s each; the last picture stays a second.
    assert 16 < seconds < 18


def test_twice_the_speed_takes_half_the_time(making: Making) -> None:
    source = making().source()
    _, once = played(source, Watching(speed=1.0, pause=100.0))
    _, twice = played(source, Watching(speed=2.0, pause=100.0))
    assert abs((once - 1) - 2 * (twice - 1)) < 0.5


def test_what_came_before_the_second_that_is_asked_for_is_there_at_once(making: Making) -> None:
    written, seconds = played(making().source(), Watching(since=48.0, pause=100.0))
    assert "$ pip install demo" in screen(written, (120, 50))
    assert seconds < 6


def test_nothing_in_a_recording_steers_the_readers_terminal(making: Making) -> None:
    hostile = (
        "\x1b]0;title\x07\x1b]52;c;cm0gLXJmIH4=\x07\x1b]8;;https://example.org\x07link\x1b]8;;\x07"
        "\x1b[c\x1b[6n\x1bP$qm\x1b\\\x1b[?1000h\x1b[?2004h\x1b[21t\x1b[5i\x9b6n\x1bc\x07"
        "after \x1b[31mred\x1b[0m \u202etxt\r\n"
    )
    written, _ = played(making(cast=cast((1.0, hostile))).source(), Watching())
    for sequence in re.findall(r"\x1b[^m\x1b]*", written):
        assert re.match(r"\x1b\[(?:\?1049[hl]|\?25[hl]|2J|K|[0-9;]*[H]|[0-9;]*)", sequence), sequence
    assert set(re.findall(r"[\x00-\x1f\x7f-\x9f\u202e]", written)) == {"\x1b"}
    assert "\x1b[0;31mred" in written


def test_a_smaller_terminal_follows_the_cursor(making: Making) -> None:
    text = "".join(f"line {number}\r\n" for number in range(30))
    written, _ = played(making(cast=cast((1.0, text), height=40)).source(), Watching(), (60, 11))
    shown = screen(written, (60, 11))
    assert shown[8] == "line 29"
    assert "command" in shown[10]


def test_the_terminal_is_given_back_when_the_reader_ends_it(making: Making) -> None:
    class Interrupted(Clock):
        def sleep(self, seconds: float) -> None:
            raise KeyboardInterrupt

    clock, out = Interrupted(), io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        Player(making().source(), Watching(), out, (80, 24), clock.now, clock.sleep).play()
    assert out.getvalue().endswith("\x1b[0m\x1b[?25h\x1b[?1049l")
