"""GIFs, written picture by picture so that no reel has to fit in memory, and read with bounds.

A picture is stored as the part of it that differs from the one before. Each part is encoded by Pillow as a GIF of its
own, whose palette and data are taken over.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from PIL import Image, ImageChops

_TRAILER: Final = b"\x3b"
_FOREVER: Final = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


class GifWriter:
    """A GIF in the making, that plays again and again.

    Args:
        path: Where. It must not exist.
    """

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("xb")
        self._before: Image.Image | None = None
        self.pictures = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.write(_TRAILER)
        self._file.close()

    def add(self, image: Image.Image, lasts: int) -> None:
        """Add a picture that stays `lasts` milliseconds."""
        if self._before is None:
            self._file.write(b"GIF89a" + struct.pack("<HHBBB", *image.size, 0x70, 0, 0) + _FOREVER)
        box = (0, 0, *image.size)
        if self._before is not None:
            # At least one dot, where nothing differs.
            box = ImageChops.difference(image, self._before).getbbox() or (0, 0, 1, 1)
        part = image.crop(box).quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        encoded = io.BytesIO()
        part.save(encoded, "GIF", optimize=False, interlace=0)
        size, palette, data = _taken(encoded.getvalue())
        self._file.write(struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 0x04, min(lasts // 10, 65535), 0, 0))
        self._file.write(struct.pack("<BHHHHB", 0x2C, box[0], box[1], *part.size, 0x80 | size) + palette + data)
        self._before = image
        self.pictures += 1


def _taken(gif: bytes) -> tuple[int, bytes, bytes]:
    """Return the size and the colours of a GIF's palette, and the data of its one picture."""
    flags = gif[10]
    size = flags & 7
    at = 13
    palette = gif[at : at + 3 * 2 ** (size + 1)] if flags & 0x80 else b""
    at += len(palette)
    while gif[at] == 0x21:  # an extension: skip its blocks
        at += 2
        while gif[at]:
            at += gif[at] + 1
        at += 1
    flags = gif[at + 9]
    at += 10
    if flags & 0x80:
        size = flags & 7
        palette = gif[at : at + 3 * 2 ** (size + 1)]
        at += len(palette)
    return size, palette, gif[at:].removesuffix(_TRAILER)


def read_gif(path: Path) -> Iterator[tuple[Image.Image, int, int, bool]]:
    """Yield each picture of a GIF, when it comes and how long it stays in milliseconds, and whether it is the last.

    Raises:
        OSError, ValueError, SyntaxError: It is no GIF that can be read.
    """
    with Image.open(path, formats=["GIF"]) as gif:
        starts = 0
        number = 0
        waiting: tuple[Image.Image, int, int] | None = None
        while True:
            try:
                gif.seek(number)
            except EOFError:
                break
            if waiting is not None:
                yield (*waiting, False)
            lasts = int(gif.info.get("duration", 0))
            waiting = (gif.convert("RGB"), starts, lasts)
            starts += lasts
            number += 1
        if waiting is not None:
            yield (*waiting, True)
