"""Filming the display of an attempt from outside: a picture at a constant rate, on the clock of the recording.

It runs on a thread of its own. The picture before stands in for one that cannot be taken in time, so that a second of
the video is a second of the recording, from the second of its beginning on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from argusic.evidence.coverage import SLACK_SECONDS
from argusic.evidence.filming import FilmBroken, FilmWriter
from argusic.records.manifest import VideoFacts
from argusic.sandbox.display.picture import HEIGHT, WIDTH, NoPicture

#: Pictures a second.
RATE: Final = 2
_STOP_SECONDS: Final = 30.0


class Film:
    """The video of a display in the making. It begins when it is made.

    Args:
        picture: Returns what is to be seen now.
        path: Where the video goes. It must not exist.
        second: Returns the second of the recording that it is now.

    Raises:
        EnvironmentLack: There is no encoder.
    """

    def __init__(self, picture: Callable[[], bytes], path: Path, second: Callable[[], float]) -> None:
        self._picture = picture
        self._second = second
        self._writer = FilmWriter(path, WIDTH, HEIGHT, RATE)
        self._over = threading.Event()
        self._lacks: list[str] = []
        self._pictures = self._repeated = 0
        self._facts: VideoFacts | None = None
        self._began = second()
        self._thread = threading.Thread(target=self._shoot, name="film", daemon=True)
        self._thread.start()

    def end(self) -> VideoFacts:
        """End the video and return what it covers, up to the end of the recording. Safe to call twice."""
        if self._facts is not None:
            return self._facts
        until = self._second()
        self._over.set()
        self._thread.join(_STOP_SECONDS)
        if self._thread.is_alive():
            self._lacks.append("the encoder stopped taking pictures")
        try:
            self._writer.close()
        except FilmBroken as error:
            self._lacks.append(str(error))
        seconds = self._pictures / RATE
        missing = until - self._began - seconds
        if missing > SLACK_SECONDS:
            self._lacks.append(f"the video ends {missing:.1f} s before the recording does")
        lacks = tuple(dict.fromkeys(self._lacks))
        self._facts = VideoFacts(
            began=self._began,
            seconds=seconds,
            per_second=RATE,
            pictures=self._pictures,
            repeated=self._repeated,
            complete=not lacks,
            lacks=lacks,
        )
        return self._facts

    def _shoot(self) -> None:
        begun = time.monotonic()
        last: bytes | None = None
        try:
            over = False
            while not over:
                over = self._over.is_set()  # Then one more is taken, of how it was at the end.
                dots = self._picture()
                due = int((time.monotonic() - begun) * RATE)
                while last is not None and self._pictures < due:
                    self._add(last)
                    self._repeated += 1
                self._add(dots)
                last = dots
                self._over.wait(begun + self._pictures / RATE - time.monotonic())
        except (FilmBroken, NoPicture) as error:
            self._lacks.append(str(error))
        except OSError as error:
            self._lacks.append(f"the display's picture cannot be read: {error.strerror}")

    def _add(self, dots: bytes) -> None:
        self._writer.add(dots)
        self._pictures += 1
