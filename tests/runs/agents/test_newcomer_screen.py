"""The picture of a virtual screen is decoded, and an empty or plain one is nothing that was drawn."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from argusic.runs.agents.newcomer.screen import main

WIDTH, HEIGHT = 40, 30


def picture(folder: Path, patches: dict[tuple[int, int, int, int], int], *, version: int = 7) -> str:
    """Write a screen with rectangles (left, top, width, height) of colours, as Xvfb keeps it."""
    name, colours = b"a screen\0", 2
    dots = [[0] * WIDTH for _ in range(HEIGHT)]
    for (left, top, width, height), colour in patches.items():
        for row in dots[top : top + height]:
            row[left : left + width] = [colour] * width
    head = [100 + len(name), version, 2, 24, WIDTH, HEIGHT, 0, 0, 32, 0, 32, 32, WIDTH * 4, 4, 0, 0, 0, 8, 256, colours]
    data = struct.pack(">25I", *head, *([0] * (25 - len(head)))) + name + bytes(12 * colours)
    file = folder / "screen"
    file.write_bytes(data + b"".join(struct.pack(f"<{WIDTH}I", *row) for row in dots))
    return str(file)


def test_what_is_drawn_is_told_with_its_place_and_colours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(picture(tmp_path, {(5, 4, 20, 10): 0xFFFFFF, (8, 6, 3, 3): 0x00FF00})) == 0
    said = capsys.readouterr().out
    assert "The screen has 40 by 30 dots." in said
    assert "Drawn on: 20 by 10 dots, from 5,4, in 2 colours." in said and "#ffffff 191 dots" in said


def test_an_empty_screen_and_one_plain_patch_are_nothing_that_was_drawn(tmp_path: Path) -> None:
    assert main(picture(tmp_path, {})) == 1
    assert main(picture(tmp_path, {(5, 4, 20, 10): 0xFFFFFF})) == 1


def test_a_file_that_is_no_such_picture_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(picture(tmp_path, {(0, 0, 9, 9): 1, (1, 1, 2, 2): 2}, version=6)) == 1
    assert "no picture" in capsys.readouterr().out
