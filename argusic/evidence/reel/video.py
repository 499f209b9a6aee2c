"""The reel as an MP4, by ffmpeg where it is there: picture for picture the GIF's."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Final

from PIL import Image

from argusic.errors import CheckFailed, EnvironmentLack

_PATIENCE: Final = 900.0
_ABSENT: Final = "ffmpeg is not installed"
#: What mends that.
ADVICE: Final = "Install it with: sudo apt-get install -y ffmpeg"


def lack() -> str | None:
    """Return why no MP4 can be made or looked into here, or None where it can."""
    return None if which("ffmpeg") and which("ffprobe") else _ABSENT


def encode(gif: Path, video: Path) -> None:
    """Encode a GIF's pictures, at their times, as H.264.

    Raises:
        CheckFailed: ffmpeg could not.
        EnvironmentLack: It is not here.
    """
    # The format wants even sizes; a dark edge of one dot is added where one is odd.
    _run(
        [
            *("ffmpeg", "-nostdin", "-loglevel", "error", "-f", "gif", "-ignore_loop", "1", "-i", f"file:{gif}"),
            *("-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", "-fps_mode", "passthrough"),
            *("-c:v", "libx264", "-crf", "18", "-preset", "medium", "-bf", "0", "-enc_time_base", "1/1000"),
            *("-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart"),
            *("-f", "mp4", f"file:{video}"),
        ]
    )


def moments(video: Path) -> list[int]:
    """Return when each picture of an MP4 comes, in milliseconds.

    Raises:
        CheckFailed: It is no MP4 that can be read.
        EnvironmentLack: ffmpeg is not here.
    """
    words = ["ffprobe", "-loglevel", "error", *_carefully(video)]
    said = _run([*words, "-select_streams", "v:0", "-show_entries", "frame=pts_time:stream=index", "-of", "json"])
    try:
        return [round(1000 * float(frame["pts_time"])) for frame in json.loads(said)["frames"]]
    except (ValueError, KeyError, TypeError):
        raise CheckFailed(f"{video.name} is no MP4 that ffprobe can read.") from None


def read_video(video: Path, width: int, height: int) -> Iterator[Image.Image]:
    """Yield the pictures of an MP4 of a known size.

    Raises:
        CheckFailed: It is no MP4 that can be read.
        EnvironmentLack: ffmpeg is not here.
    """
    if reason := lack():
        raise EnvironmentLack(f"{reason}, so no MP4 can be looked into.", advice=ADVICE)
    wide, high = width + width % 2, height + height % 2
    words = [
        "ffmpeg",
        "-nostdin",
        "-loglevel",
        "error",
        *_carefully(video),
        "-map",
        "0:v:0",
        "-fps_mode",
        "passthrough",
    ]
    words += ["-vf", f"scale={wide}:{high}", "-pix_fmt", "rgb24", "-f", "rawvideo", "pipe:1"]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(words, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing) as process:
        assert process.stdout is not None
        try:
            while data := process.stdout.read(wide * high * 3):
                if len(data) < wide * high * 3:
                    raise CheckFailed(f"{video.name} ends in the middle of a picture.")
                yield Image.frombytes("RGB", (wide, high), data).crop((0, 0, width, height))
        finally:
            process.kill()


def _carefully(video: Path) -> list[str]:
    """Return how a file from anywhere is read: as this format, and nothing that it refers to."""
    return ["-protocol_whitelist", "file", "-f", "mov", "-i", f"file:{video}"]


def _run(words: list[str]) -> bytes:
    if reason := lack():
        raise EnvironmentLack(f"{reason}.", advice=ADVICE)
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"{words[0]} did not come to an end within {_PATIENCE:.0f} seconds.") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CheckFailed(f"{words[0]} failed ({said[-1][:200] if said else 'it said nothing'}).")
    return done.stdout
