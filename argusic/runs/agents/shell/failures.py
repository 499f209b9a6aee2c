"""What an endpoint's error means for whoever asked: try again, ask otherwise, say less, or stop.

Endpoints have a dozen ways to say the same. What they say is read leniently, and what nothing here knows is an error
that trying again does not mend.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal

#: What there is to do: ask `again` later; the conversation is too long (`context`); the run's money is spent (`cap`);
#: the content was `refused`; the request must be made otherwise (`request`); or nothing helps (`lost`).
Kind = Literal["again", "context", "cap", "refused", "request", "lost"]

_CAP_CODES: Final = frozenset(["cap_reached", "budget_exceeded", "insufficient_quota", "billing_hard_limit_reached"])
_CAP: Final = re.compile(r"key limit exceeded|budget has been exceeded|spending cap", re.IGNORECASE)
_CONTEXT_CODES: Final = frozenset(["context_length_exceeded", "exceed_context_size_error", "string_above_max_length"])
_CONTEXT: Final = re.compile(
    r"context (length|window|size)|maximum context|too many (input )?tokens|(prompt|input)( is)? too long"
    r"|exceeds? .{0,40}(context|token limit)|reduce the length",
    re.IGNORECASE,
)
_REFUSED_CODES: Final = frozenset(["content_filter", "content_policy_violation", "responsibleaipolicyviolation"])
_AGAIN: Final = frozenset([408, 409, 425, 429])
_SHOWN: Final = 300


class Failed(Exception):
    """An endpoint gave no answer.

    Attributes:
        kind: What there is to do.
        says: What it said, shortened.
        wait: How many seconds it asked to be left alone, where it did.
    """

    def __init__(self, kind: Kind, says: str, wait: float | None = None) -> None:
        super().__init__(says)
        self.kind: Kind = kind
        self.says = says
        self.wait = wait

    @property
    def sentence(self) -> str:
        """What it said, with one full stop."""
        return f"{self.says.rstrip('.')}."


def failure(status: int, body: bytes, headers: dict[str, str], now: datetime | None = None) -> Failed:
    """Return what an answer with another status than 200 means.

    Args:
        status: The status.
        body: The answer's body.
        headers: Its headers, names in lower case.
        now: The time, for a date to wait until.
    """
    message, codes = said(body)
    says = f"HTTP {status}: {message}"[:_SHOWN]
    if status == 402 or codes & _CAP_CODES or _CAP.search(message):
        return Failed("cap", says)
    if status in (400, 413, 422, 500) and (codes & _CONTEXT_CODES or _CONTEXT.search(message)):
        return Failed("context", says)
    if codes & _REFUSED_CODES:
        return Failed("refused", says)
    if headers.get("x-should-retry") == "false" and (status in _AGAIN or status >= 500):
        return Failed("lost", says)
    if status in _AGAIN or status >= 500:
        return Failed("again", says, _wait(headers, now or datetime.now(UTC)))
    return Failed("request" if status in (400, 404, 422, 501) else "lost", says)


def failure_in_stream(error: Any) -> Failed:
    """Return what an error means that came in the middle of a stream: there it has no status."""
    status = error.get("code") if isinstance(error, dict) else None
    known = status if isinstance(status, int) and 400 <= status < 600 else 500
    return failure(known, json.dumps({"error": error}).encode(), {})


def said(body: bytes) -> tuple[str, frozenset[str]]:
    """Return an error's message, and its code and type in lower case."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return " ".join(body[:_SHOWN].decode(errors="replace").split()) or "nothing more", frozenset()
    if isinstance(data, list) and data:
        data = data[0]
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return str(error)[:_SHOWN], frozenset()
    codes = frozenset(str(error[name]).lower() for name in ("code", "type", "param") if error.get(name))
    message = error.get("message") or error.get("detail") or error.get("msg") or error
    return " ".join(str(message).split())[: 4 * _SHOWN], codes


def _wait(headers: dict[str, str], now: datetime) -> float | None:
    """Return how long an endpoint asks to be left alone: in seconds, in milliseconds, or until a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after", "")
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds()) if value else None
    except (ValueError, TypeError):
        return None
