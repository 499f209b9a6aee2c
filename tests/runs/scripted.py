"""An agent that does what a test says."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from argusic.runs.session import Mission, Session

Act = Callable[[Session, Mission], None]


@dataclasses.dataclass(frozen=True)
class Scripted:
    """An agent that does what a test says."""

    act: Act

    def run(self, session: Session, mission: Mission) -> None:
        self.act(session, mission)
