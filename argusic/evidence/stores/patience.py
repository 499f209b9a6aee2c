"""Asking a server again, within bounds: a few times, longer apart each time, and never sooner than it said."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TypeVar

from argusic.errors import EnvironmentLack

T = TypeVar("T")


class AskAgain(Exception):
    """Something that may pass.

    Args:
        what: What happened, without a full stop: `the bucket b answers 503 (SlowDown)`.
        after: How many seconds the server asks to wait for, where it says so.
    """

    def __init__(self, what: str, after: float | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.after = after


@dataclass(frozen=True)
class Patience:
    """How often and how long to ask again.

    Attributes:
        tries: How often something is asked for at most.
        first: The seconds before the second try; each further wait is twice as long.
        longest: The most seconds that all waits of one question take together.
        sleep: What waits.
    """

    tries: int = 5
    first: float = 0.5
    longest: float = 120.0
    sleep: Callable[[float], None] = time.sleep

    def ask(self, question: Callable[[], T]) -> T:
        """Return the answer to a question that raises AskAgain where it may be asked again.

        Raises:
            EnvironmentLack: It was asked often enough, or the server asks to wait for too long.
        """
        waited = 0.0
        for turn in range(1, self.tries + 1):
            try:
                return question()
            except AskAgain as again:
                wait = max(again.after or 0.0, self.first * 2 ** (turn - 1) * random.uniform(0.75, 1.0))
                if waited + wait > self.longest:
                    asks = f" and asks to wait {again.after:,.0f} seconds" if again.after else ""
                    raise EnvironmentLack(f"{again.what}{asks}; nothing was changed, try again later.") from None
                if turn == self.tries:
                    raise EnvironmentLack(f"{again.what}, after {self.tries} tries in {waited:.0f} seconds.") from None
                self.sleep(wait)
                waited += wait
        raise AssertionError("the last turn answers or raises")


def seconds_to_wait(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """Return for how long a server asks to be left alone: by `Retry-After`, or by GitHub's `X-RateLimit-Reset`.

    Args:
        headers: Those of its answer, their names in lower case.
        now: The seconds since 1970.
    """
    if (after := headers.get("retry-after", "").strip()) != "":
        if after.isdecimal():
            return float(after)
        try:
            until = parsedate_to_datetime(after)
        except ValueError:
            return None
        return max(0.0, until.replace(tzinfo=until.tzinfo or UTC).timestamp() - now())
    if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset", "").isdecimal():
        return max(0.0, float(headers["x-ratelimit-reset"]) - now())
    return None
