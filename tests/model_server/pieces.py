"""The pieces in which an answer is streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """A server-sent event: its type where the protocol names it, and its data, as JSON where it is no text."""

    kind: str | None
    data: dict[str, Any] | str

    def encode(self) -> bytes:
        data = self.data if isinstance(self.data, str) else json.dumps(self.data, separators=(",", ":"))
        head = f"event: {self.kind}\n" if self.kind else ""
        return f"{head}data: {data}\n\n".encode()


def pieces(text: str, size: int = 12) -> Iterator[str]:
    """Yield the text in pieces."""
    for start in range(0, len(text), size):
        yield text[start : start + size]
