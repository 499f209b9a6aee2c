"""A display: in a sandbox of its own, reached by the sandbox it is for alone, its picture read with bounds."""

from __future__ import annotations

import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

import psutil
import pytest

from argusic.database.database import Database
from argusic.sandbox.display.display import Display, sandbox_name, start_display
from argusic.sandbox.display.picture import HEIGHT, PICTURE_BYTES, WIDTH, NoPicture, read_picture
from argusic.sandbox.protocol import Provider, Sandbox, SandboxGone, SandboxSpec, SandboxStartFailed
from argusic.sandbox.registry import provider

TOP = Path(__file__).parents[2]


@pytest.fixture(
    params=[
        pytest.param("bubblewrap", marks=[pytest.mark.sandbox, pytest.mark.display]),
        pytest.param("docker", marks=pytest.mark.published),
    ]
)
def using(request: pytest.FixtureRequest) -> Provider:
    return provider(request.param, Database(TOP))


@pytest.fixture
def name() -> str:
    return f"20261130T014500Z-{token_hex(3)}"


@pytest.fixture
def shown(using: Provider, tmp_path: Path, name: str) -> Iterator[tuple[Display, Sandbox]]:
    """Return a display, and the sandbox that it is for."""
    display = start_display(using, name, tmp_path / "display")
    try:
        (tmp_path / "box").mkdir()
        box = using.start(SandboxSpec(name, tmp_path / "box", display=display.reach))
        try:
            yield display, box
        finally:
            box.destroy()
    finally:
        display.destroy()


def named(word: str) -> list[int]:
    """Return the processes of this machine with a word in their command line."""
    running = psutil.process_iter(["cmdline"])
    return [one.pid for one in running if any(word in part for part in one.info["cmdline"] or ())]


#: Where, in a picture, a dot of the window is that is drawn.
BLUE_AT = 4 * (50 * WIDTH + 50)
DRAW = """
import tkinter
top = tkinter.Tk()
top.geometry("200x100+10+10")
tkinter.Frame(top, bg="#0000ff", width=200, height=100).pack()
top.mainloop()
"""


def test_what_is_drawn_inside_is_read_outside_and_nothing_more_of_the_display_is_reached(
    shown: tuple[Display, Sandbox], name: str, tmp_path: Path, using: Provider
) -> None:
    display, box = shown
    assert display.facts.server.startswith("Xvfb 1.") and not any(display.picture())
    drawing = box.spawn(["python3", "-c", DRAW])
    try:
        deadline = time.monotonic() + 30
        while display.picture()[BLUE_AT : BLUE_AT + 3] != b"\xff\0\0":
            assert drawing.poll() is None and time.monotonic() < deadline, "the window was never seen"
            time.sleep(0.05)
    finally:
        drawing.kill()
        drawing.close()
    tried = box.run(["sh", "-c", "ls /tmp /root; cat /proc/*/cmdline; find / -name 'Xvf?_screen0' 2> /dev/null"]).output
    assert b"Xvfb" not in tried and b"X0" not in tried
    inside = box.run(["sh", "-c", "cat /proc/net/tcp /proc/net/unix"]).output.decode()
    assert ".X11-unix" not in inside and f":{6010:04X} " in inside
    assert display.ended() is None

    display.destroy()
    assert box.run(["python3", "-c", "import tkinter; tkinter.Tk()"]).exit_status != 0
    assert box.run(["true"]).exit_status == 0 and box.ended() is None
    with pytest.raises(SandboxGone):
        display.reach()
    box.destroy()
    assert named(name) == [] and [path.name for path in tmp_path.glob("*/*")] == []


def test_a_display_that_a_dead_process_left_is_removed(using: Provider, tmp_path: Path, name: str) -> None:
    display = start_display(using, name, tmp_path / "display")
    try:
        assert named(sandbox_name(name))
        using.reap(sandbox_name(name), tmp_path / "display")
        assert named(sandbox_name(name)) == [] and list((tmp_path / "display").iterdir()) == []
        deadline = time.monotonic() + 20
        while (ending := display.ended()) is None and time.monotonic() < deadline:
            time.sleep(0.1)  # Whoever did not end it hears of it in time, not at once.
        assert ending is not None and ending.how == "harness_error"
    finally:
        display.destroy()


@pytest.mark.sandbox
def test_a_display_that_does_not_start_says_why_and_leaves_nothing(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argusic.sandbox.display.display._START", "echo 'Fatal: no fonts.' > /root/server.log; exit 1")
    with pytest.raises(SandboxStartFailed, match=r"^The display could not be started: Fatal: no fonts\.$"):
        start_display(provider("bubblewrap"), name, tmp_path / "display")
    assert named(name) == [] and list((tmp_path / "display").iterdir()) == []


def picture(**changes: int) -> bytes:
    """Return a picture as Xvfb keeps it, with other figures in its head."""
    head = {
        "length": 104, "version": 7, "format": 2, "depth": 24, "width": WIDTH, "height": HEIGHT, "offset": 0,
        "order": 0, "unit": 32, "bit_order": 0, "pad": 32, "bits": 32, "row": 4 * WIDTH, "visual": 4,
        "red": 0, "green": 0, "blue": 0, "rgb": 8, "entries": 256, "colours": 2,
    } | changes  # fmt: skip
    return struct.pack(">25I", *head.values(), *[0] * 5) + bytes(4 + 24) + b"\x01\x02\x03\0" * (WIDTH * HEIGHT)


@pytest.fixture
def kept() -> Iterator[Callable[[bytes], BinaryIO]]:
    with tempfile.TemporaryFile() as file:

        def keep(content: bytes) -> BinaryIO:
            file.write(content)
            file.flush()
            return file

        yield keep


def test_the_dots_of_a_picture_are_read_as_they_are(kept: Callable[[bytes], BinaryIO]) -> None:
    dots = read_picture(kept(picture()))
    assert len(dots) == PICTURE_BYTES and dots[:8] == b"\x01\x02\x03\0" * 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        picture()[:90],
        picture()[:-1],
        *(picture(**{field: value}) for field, value in {
            "version": 6, "width": 2**31, "height": 1, "order": 1, "bits": 8, "row": 2**32 - 1, "length": 2**32 - 1,
            "colours": 2**31,
        }.items()),
        picture(length=0, colours=0),
    ],
)  # fmt: skip
def test_a_picture_that_is_another_than_was_asked_for_is_none(
    content: bytes, kept: Callable[[bytes], BinaryIO]
) -> None:
    with pytest.raises(NoPicture):
        read_picture(kept(content))
