"""Encoding plain pictures as a video while they come, within bounds, by the same ffmpeg that reels are made with.

The file is a video up to its last second even if everything is killed: ffmpeg ends it when nobody hands it pictures any
more.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from argusic.errors import EnvironmentLack
from argusic.evidence.reel import video

#: The most that noise from edge to edge was measured to take is 30 kB a picture, at this rate.
_BITS_A_SECOND: Final = 300_000
#: No video is larger: two hours of noise, two pictures a second, are smaller.
MOST_BYTES: Final = 600_000_000
#: How long the last pictures may take to be encoded.
_PATIENCE: Final = 60.0
_LOOK_SECONDS: Final = 0.05
_SAID: Final = 2000


def await_end(path: Path) -> None:
    """Wait until nobody writes a video any more: an encoder whose pictures end comes to its end by itself, soon."""
    deadline = time.monotonic() + _PATIENCE
    with suppress(FileNotFoundError), path.open("rb") as file:
        while time.monotonic() < deadline:
            try:
                # The kernel grants this only on what nobody has open for writing.
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                return
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    return  # This file system does not say.
            time.sleep(_LOOK_SECONDS)


class FilmBroken(Exception):
    """The video cannot go on. What was encoded stays."""


class FilmWriter:
    """A video in the making: H.264, at a constant rate.

    Args:
        path: Where. It must not exist.
        width: The width of each picture in dots, an even number.
        height: The height, an even number.
        per_second: Pictures a second.

    Raises:
        EnvironmentLack: ffmpeg is not here, or cannot be started.
    """

    def __init__(self, path: Path, width: int, height: int, per_second: int) -> None:
        if reason := video.lack():
            raise EnvironmentLack(f"{reason}.", advice=video.ADVICE)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  # As long as the program runs.
        words = [
            *("ffmpeg", "-nostdin", "-loglevel", "error"),
            *("-f", "rawvideo", "-pix_fmt", "bgr0", "-s", f"{width}x{height}", "-r", str(per_second), "-i", "pipe:0"),
            *("-c:v", "libx264", "-preset", "veryfast", "-crf", "24", "-pix_fmt", "yuv420p", "-threads", "1"),
            *("-g", str(30 * per_second), "-maxrate", str(_BITS_A_SECOND), "-bufsize", str(4 * _BITS_A_SECOND)),
            *("-map_metadata", "-1", "-movflags", "+frag_keyframe+empty_moov+default_base_moof"),
            *("-f", "mp4", f"file:{path}"),
        ]
        try:
            # In a session of its own: what interrupts the program that films shall not cut the video.
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                env={"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"},
                start_new_session=True,
            )
        except OSError as error:
            self._said.close()
            raise EnvironmentLack(f"ffmpeg cannot be started: {error.strerror}.", advice=video.ADVICE) from None
        with suppress(ProcessLookupError):
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))

    def add(self, dots: bytes) -> None:
        """Add a picture: four bytes a dot (blue, green, red, nothing), row by row from the top.

        Raises:
            FilmBroken: ffmpeg has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(dots)
            self._process.stdin.flush()
        except OSError:
            raise FilmBroken(self._why()) from None

    def close(self) -> None:
        """Have the last pictures encoded, and the file ended.

        Raises:
            FilmBroken: It was not.
        """
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            if self._process.wait(_PATIENCE):
                raise FilmBroken(self._why())
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise FilmBroken("the encoder did not come to an end") from None
        finally:
            self._said.close()

    def _why(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._said.seek(0)
        lines = self._said.read(_SAID).decode(errors="replace").strip().splitlines()
        said = f" ({lines[-1][:200]})" if lines else ""
        return f"the encoder ended with status {self._process.poll()}{said}"
