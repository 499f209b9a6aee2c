"""Whether a file that is called a reel shows what the recording comes to: to the byte, or else picture by picture."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Final

from PIL import Image, ImageChops

from argusic.errors import CheckFailed
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.reel.gif import read_gif
from argusic.evidence.reel.video import moments, read_video

#: How far a dot of a still or of a GIF's picture may differ, of 255: another processor rounds otherwise. What differs
#: by less nobody can read.
_SAME_STILL: Final = 4
#: How far blocks of so many dots of a video may differ on average: H.264 is lossy. A letter that is another one differs
#: by more.
_SAME_VIDEO: Final = 40
_BLOCK: Final = 4


def difference(kind: str, path: Path, rendered: Path, reel: Path) -> str | None:
    """Return how a file differs from what was rendered again, or None where it shows the same.

    Args:
        kind: Which of a reel's files it is.
        path: It.
        rendered: The same, rendered again.
        reel: The GIF, rendered again.

    Raises:
        EnvironmentLack: It cannot be looked into here.
    """
    if fingerprint(path) == fingerprint(rendered):
        return None
    try:
        return {"gif": _gif, "mp4": _mp4, "card": _card}[kind](path, reel if kind == "mp4" else rendered)
    except CheckFailed as error:
        return error.what
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        return f"it cannot be read ({type(error).__name__}), and is not what the recording comes to"


def _gif(path: Path, reel: Path) -> str | None:
    size = _size(reel)
    if (found := _size(path)) != size:
        return _sizes(found, size)
    for number, (mine, theirs) in enumerate(zip_longest(read_gif(reel), read_gif(path)), 1):
        if mine is None or theirs is None:
            return _count(number, mine is None)
        if mine[1:3] != theirs[1:3]:
            stay = f"{theirs[2]} ms; by the list at {mine[1] / 1000} s for {mine[2]} ms"
            return f"picture {number} comes at {theirs[1] / 1000} s for {stay}"
        if _differ(mine[0], theirs[0], _SAME_STILL):
            return _shows(number, mine[1])
    return None


def _mp4(path: Path, reel: Path) -> str | None:
    size = _size(reel)
    times = [starts for _, starts, _, _ in read_gif(reel)]
    found = moments(path)
    if len(found) != len(times):
        return f"it has {len(found)} pictures; the recording comes to {len(times)}"
    for number, (mine, theirs) in enumerate(zip(times, found, strict=True), 1):
        if abs(mine - theirs) > 1:
            return f"picture {number} comes at {theirs / 1000} s; by the list at {mine / 1000} s"
    stills = (image for image, _, _, _ in read_gif(reel))
    for number, (still, frame) in enumerate(zip_longest(stills, read_video(path, *size)), 1):
        if still is None or frame is None:
            return _count(number, still is None)
        if _differ(still, frame, _SAME_VIDEO, _BLOCK):
            return _shows(number, times[number - 1])
    return None


def _card(path: Path, card: Path) -> str | None:
    with Image.open(card) as mine, Image.open(path, formats=["PNG"]) as theirs:
        if mine.size != theirs.size:
            return _sizes(theirs.size, mine.size)
        if _differ(mine.convert("RGB"), theirs.convert("RGB"), _SAME_STILL):
            return "it shows something else than the recording comes to"
    return None


def _differ(mine: Image.Image, theirs: Image.Image, same: int, block: int = 1) -> bool:
    apart = ImageChops.difference(mine, theirs)
    return any(high > same for _, high in _extrema(apart.reduce(block) if block > 1 else apart))


def _extrema(image: Image.Image) -> Iterator[tuple[float, float]]:
    for band in image.split():
        low, high = band.getextrema()
        assert isinstance(low, (int, float)) and isinstance(high, (int, float))
        yield low, high


def _size(path: Path) -> tuple[int, int]:
    with Image.open(path, formats=["GIF"]) as image:
        return image.size


def _sizes(found: tuple[int, int], due: tuple[int, int]) -> str:
    return f"it is {found[0]} by {found[1]} dots; the recording comes to {due[0]} by {due[1]}"


def _count(number: int, more: bool) -> str:
    how = (
        f"more pictures than the recording comes to: {number - 1} are enough" if more else f"{number - 1} pictures only"
    )
    return f"it has {how}"


def _shows(number: int, starts: int) -> str:
    return f"picture {number}, at {starts / 1000} s, shows something else than the recording comes to"
