"""Reading the picture that an X server keeps of its screen in a file: plain dots of a known size, nothing else. Pure.

The server parses what hostile programs send it, so its file is believed in nothing but its dots: a head that describes
another picture than the one that was asked for is an error, and no figure in it decides how much is read.
"""

from __future__ import annotations

import os
import struct
from typing import BinaryIO, Final

#: The size of every display, in dots. A dot is four bytes: blue, green, red, and one that means nothing.
WIDTH: Final = 1280
HEIGHT: Final = 800
PICTURE_BYTES: Final = 4 * WIDTH * HEIGHT

_HEAD: Final = struct.Struct(">25I")
_VERSION: Final = 7
#: Places in the head: its length, its version, the picture's size, order of bytes, bits a dot, bytes a row, colours.
_LENGTH, _FORMAT, _WIDTH, _HEIGHT, _ORDER, _BITS, _ROW, _COLOURS = 0, 1, 4, 5, 7, 11, 12, 19
_MOST_HEAD: Final = 65536


class NoPicture(Exception):
    """The file does not hold the picture that it should."""


def read_picture(file: BinaryIO) -> bytes:
    """Return the dots of the picture as it is now, row by row from the top.

    Args:
        file: The server's file, open for reading.

    Raises:
        NoPicture: It holds another picture, or none.
        OSError: It cannot be read.
    """
    head = os.pread(file.fileno(), _HEAD.size, 0)
    if len(head) < _HEAD.size:
        raise NoPicture("the display's picture has no head")
    said = _HEAD.unpack(head)
    expected = {_FORMAT: _VERSION, _WIDTH: WIDTH, _HEIGHT: HEIGHT, _ORDER: 0, _BITS: 32, _ROW: 4 * WIDTH}
    begin = said[_LENGTH] + 12 * said[_COLOURS]
    if any(said[place] != value for place, value in expected.items()) or not _HEAD.size <= begin <= _MOST_HEAD:
        raise NoPicture("the display's picture is not the one that was asked for")
    dots = os.pread(file.fileno(), PICTURE_BYTES, begin)
    if len(dots) < PICTURE_BYTES:
        raise NoPicture("the display's picture ends too early")
    return dots
