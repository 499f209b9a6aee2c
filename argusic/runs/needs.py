"""What some subjects need of the machine beyond a sandbox: refused before anything runs where it is not there."""

from __future__ import annotations

from typing import Final

from argusic.errors import EnvironmentLack
from argusic.records.base import Tier
from argusic.records.cycle import PoolEntry
from argusic.records.edition import Edition
from argusic.records.subject import Subject
from argusic.runs.screen import has_screen, screen_lack
from argusic.sandbox.protocol import Provider

#: The tier of subjects that need a GPU.
GPU_TIER: Final[Tier] = "gpu"


def refuse_unmet(provider: Provider, subject: Subject, entry: PoolEntry, edition: Edition) -> None:
    """Let pass a subject that can be run here.

    Raises:
        EnvironmentLack: It needs a GPU or a display that this machine cannot give. Nothing slower is run in its place.
    """
    if entry.tier == GPU_TIER and (lack := provider.lack_of("gpu")):
        raise EnvironmentLack(f"{subject.ref} needs a GPU and is not run without one. {lack}", advice=_ELSEWHERE)
    if has_screen(subject, edition) and (lack := screen_lack(provider)):
        raise EnvironmentLack(f"{subject.ref} is a desktop application and needs a display. {lack}", advice=_ELSEWHERE)


_ELSEWHERE: Final = "Other subjects can be run here: `argusic cycle run` takes them by `--subject`."
