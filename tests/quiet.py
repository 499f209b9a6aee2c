"""A watcher that says nothing."""

from __future__ import annotations

from argusic.records.run import Run
from argusic.rules.rubric import Score


class Quiet:
    """Watches and says nothing."""

    def begin(self, subject: str, agent: str, purpose: str, number: int, of: int) -> None: ...

    def now(self, what: str) -> None: ...

    def end(self, run: Run, score: Score) -> None: ...

    def say(self, text: str) -> None: ...

    def beside(self) -> Quiet:
        return self
