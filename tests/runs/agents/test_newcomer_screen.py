"""The picture of a display is asked for and decoded, and an empty or plain one is nothing that was drawn."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from argusic.runs.agents.newcomer.failures import recognise
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.screen import COLOUR, main, tell
from argusic.runs.session import CommandResult

WIDTH, HEIGHT = 40, 30
ROOT, WINDOW, HIDDEN = 7, 9, 11


def picture(patches: dict[tuple[int, int, int, int], int]) -> bytes:
    """Return a picture with rectangles (left, top, width, height) of colours."""
    dots = [[0] * WIDTH for _ in range(HEIGHT)]
    for (left, top, width, height), colour in patches.items():
        for row in dots[top : top + height]:
            row[left : left + width] = [colour] * width
    return b"".join(struct.pack(f"<{WIDTH}I", *row) for row in dots)


def test_what_is_drawn_is_told_with_its_place_and_colours(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = picture({(5, 4, 20, 10): 0xFFFFFF, (8, 6, 3, 3): 0x00FF00 | ~COLOUR & 0xFFFFFFFF})
    assert tell(drawn, WIDTH, HEIGHT) == 0
    said = capsys.readouterr().out
    assert "The screen has 40 by 30 dots." in said
    assert "Drawn on: 20 by 10 dots, from 5,4, in 2 colours." in said and "#ffffff 191 dots" in said


def test_an_empty_screen_and_one_plain_patch_are_nothing_that_was_drawn() -> None:
    assert tell(picture({}), WIDTH, HEIGHT) == 1
    assert tell(picture({(5, 4, 20, 10): 0xFFFFFF}), WIDTH, HEIGHT) == 1


def reply(body: bytes, detail: int = 0) -> bytes:
    """Return an answer as the protocol shapes it; `body` begins at its ninth byte."""
    body = body.ljust(24, b"\0") + bytes(-len(body.ljust(24, b"\0")) % 4)
    return struct.pack("<BBHI", 1, detail, 0, (len(body) - 24) // 4) + body


def greeting(*, welcome: int = 1, order: int = 0) -> bytes:
    said = bytearray(32 + 4 + 8 + 40)
    struct.pack_into("<H", said, 16, 3)
    said[20:23] = bytes([1, 1, order])
    struct.pack_into("<IIIIIHH", said, 44, ROOT, 0, 0, 0, 0, WIDTH, HEIGHT)
    return struct.pack("<BBHHH", welcome, 0, 11, 0, len(said) // 4) + said


def answers(dots: bytes) -> dict[tuple[int, int], bytes]:
    """Return what a display says to each request, by its number and what it asks about."""
    seen, hidden = bytearray(36), bytearray(36)
    seen[18] = 2
    event = struct.pack("<B31x", 22)  # What happened meanwhile comes in between.
    return {
        (15, ROOT): event + reply(struct.pack("<IIH14xII", ROOT, 0, 2, WINDOW, HIDDEN)),
        (3, WINDOW): reply(bytes(seen)),
        (3, HIDDEN): reply(bytes(hidden)),
        (14, WINDOW): reply(struct.pack("<IhhHH", ROOT, 0, 0, 20, 10)),
        (14, HIDDEN): reply(struct.pack("<IhhHH", ROOT, 0, 0, 99, 99)),
        (20, WINDOW): reply(struct.pack("<III12x", 31, 0, 8) + b"Wing\x1b[2J"),
        (73, ROOT): reply(struct.pack("<I20x", 0) + dots),
    }


@contextmanager
def display(first: bytes, says: dict[tuple[int, int], bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve one program over a real socket, as a display does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            line, _ = listener.accept()
            with line:
                line.recv(12, socket.MSG_WAITALL)
                line.sendall(first)
                if not first:
                    return
                while len(head := line.recv(4, socket.MSG_WAITALL)) == 4:
                    number, length = head[0], struct.unpack("<H", head[2:])[0]
                    body = line.recv(4 * length - 4, socket.MSG_WAITALL)
                    answer = says.get((number, struct.unpack_from("<I", body)[0]))
                    if answer is None:
                        return
                    line.sendall(answer)

        serving = threading.Thread(target=serve)
        serving.start()
        monkeypatch.setattr("argusic.runs.agents.newcomer.screen.PORT", listener.getsockname()[1] - 10)
        monkeypatch.setenv("DISPLAY", "127.0.0.1:10")
        yield
        serving.join(10)


def test_the_windows_that_are_shown_and_the_picture_are_asked_of_the_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dots = picture({(5, 4, 20, 10): 0xFFFFFF, (8, 6, 3, 3): 0x00FF00})
    with display(greeting(), answers(dots), monkeypatch):
        assert main() == 0
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["Window: 20 by 10 dots: Wing?[2J", "The screen has 40 by 30 dots."]
    assert said[2] == "Drawn on: 20 by 10 dots, from 5,4, in 2 colours."


@pytest.mark.parametrize(
    ("first", "lacks", "sentence"),
    [
        (greeting(welcome=0), None, "There is no display that can be looked at: the display lets nobody in."),
        (
            greeting(order=1),
            None,
            "There is no display that can be looked at: the display orders bytes the other way round.",
        ),
        (b"", None, "There is no display that can be looked at: the display went away."),
        (greeting(), (15, ROOT), "There is no display that can be looked at: the display went away."),
        (greeting(), (73, ROOT), "There is no display that can be looked at: the display went away."),
    ],
)
def test_a_display_that_cannot_be_looked_at_is_said_to_be_so(
    first: bytes,
    lacks: tuple[int, int] | None,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    says = {asked: answer for asked, answer in answers(picture({})).items() if asked != lacks}
    with display(first, says if first else {}, monkeypatch):
        assert main() == 1
    assert capsys.readouterr().out.splitlines()[-1] == sentence


@pytest.mark.parametrize("name", ["", ":0", "unix:0", "127.0.0.1:10; rm"])
def test_a_display_that_is_not_reached_over_tcp_is_none(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISPLAY", name)
    assert main() == 1
    assert "There is no display that can be looked at:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "said",
    [
        "_tkinter.TclError: no display name and no $DISPLAY environment variable",
        "qt.qpa.xcb: could not connect to display",
    ],
)
def test_where_no_display_is_promised_the_newcomer_knows_what_lacks_and_makes_none(said: str) -> None:
    failure = recognise(CommandResult(1, "bird", 1, said, 0.1, None), knowledge().repairs)
    assert (failure.kind, failure.says, failure.repairs) == ("missing_display", "it needs a display", ())
