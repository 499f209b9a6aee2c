"""What ends a command of `docker` with a sentence, and with the status that an engine's own client would end with."""

from __future__ import annotations

#: The client's own trouble; a program that cannot be started; one that is not there.
CLIENT, NOT_STARTED, NOT_THERE = 125, 126, 127


class Wrong(Exception):
    """What went wrong, in a sentence.

    Args:
        what: The sentence.
        status: The exit status.
    """

    def __init__(self, what: str, status: int = CLIENT) -> None:
        super().__init__(what)
        self.status = status
