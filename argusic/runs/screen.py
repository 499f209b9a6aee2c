"""The screen of an attempt: for a desktop application a display and the film of it, for anything else nothing."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final

from argusic.evidence.layout import VIDEO_NAME
from argusic.evidence.reel import video
from argusic.records.edition import Edition
from argusic.records.manifest import SandboxFacts, VideoFacts
from argusic.records.run import Ending
from argusic.records.subject import Subject
from argusic.runs.film import Film
from argusic.runs.recorder import Recorder
from argusic.runs.work import Work
from argusic.sandbox.display.display import Display, start_display
from argusic.sandbox.display.picture import HEIGHT, WIDTH
from argusic.sandbox.protocol import DISPLAY, Provider

#: What the task says beside what its kind says.
TASK: Final = f"""\
It is a desktop application. There is a display for it, of {WIDTH} by {HEIGHT} dots: DISPLAY={DISPLAY} is set for every
command. What is to be seen on it is filmed from outside. Start no display of your own.
"""


def has_screen(subject: Subject, edition: Edition) -> bool:
    """Return whether attempts on a subject get a display."""
    return bool(subject.desktop) and edition.virtual_display


def screen_lack(provider: Provider) -> str | None:
    """Return in one sentence why there can be no display here, or no film of it; None where there can."""
    if reason := video.lack():
        return f"{reason[:1].upper()}{reason[1:]}, which films the display. {video.ADVICE}."
    return provider.lack_of("display")


class Screen:
    """The screen of one attempt.

    Args:
        provider: Makes the display's sandbox.
        work: The attempt's folder.
        wanted: Whether there is to be one. Where not, nothing here does anything.
    """

    def __init__(self, provider: Provider, work: Work, wanted: bool) -> None:
        self._provider = provider
        self._work = work
        self._wanted = wanted
        self._display: Display | None = None
        self._film: Film | None = None

    def start(self) -> None:
        """Start the display.

        Raises:
            SandboxStartFailed: It could not be started.
        """
        if self._wanted:
            self._display = start_display(self._provider, self._work.folder.name, self._work.display)

    @property
    def reach(self) -> Callable[[], socket.socket] | None:
        """What the agent's sandbox reaches it by; None where there is none."""
        return self._display.reach if self._display is not None else None

    def stated(self, facts: SandboxFacts) -> SandboxFacts:
        """Return the facts of the agent's sandbox, with those of the display beside it."""
        return facts.model_copy(update={"display": self._display.facts}) if self._display is not None else facts

    def film(self, recorder: Recorder) -> None:
        """Begin to film, on the clock of the recording.

        Raises:
            EnvironmentLack: There is no encoder.
        """
        if self._display is not None:
            self._film = Film(self._display.picture, self._work.evidence / VIDEO_NAME, recorder.now)

    def ended(self) -> Ending | None:
        """Return how the attempt ends because the display did; None while it lives, or where there is none."""
        return self._display.ended() if self._display is not None else None

    def filmed(self) -> VideoFacts | None:
        """End the film and return what it covers; None where none was begun. Safe to call twice."""
        return self._film.end() if self._film is not None else None

    def destroy(self) -> None:
        """Destroy the display. Safe to call twice.

        Raises:
            OSError: Something of it could not be removed.
        """
        if self._display is not None:
            self._display.destroy()
