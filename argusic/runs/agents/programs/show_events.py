"""Shows the events of an agent program as they come: what the model says, what it calls, and what came of that.

It runs inside the sandbox, on the machine's own Python, between the program and the terminal.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def _parts(holder: dict[str, Any]) -> list[dict[str, Any]]:
    content = holder.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _shown(part: dict[str, Any]) -> str:
    kind = part.get("type")
    if kind == "text":
        return str(part["text"])
    if kind == "thinking":
        return f"(thinks) {part['thinking']}"
    if kind == "tool_use":
        given = part.get("input") or {}
        return f"> {part['name']}: {given.get('command') or json.dumps(given)}"
    if kind == "tool_result":
        return "\n".join(_shown(one) for one in _parts(part))
    return f"({kind})"


def show(line: str) -> str:
    """Return what there is to see of one line: an event, or something that the program said otherwise."""
    if not line.startswith("{"):
        # Its own remarks on the model are of no use to whoever watches.
        return "" if line.startswith("[claude-code:") else line.rstrip("\n")
    try:
        event = json.loads(line)
        if event.get("type") == "result":
            return "" if event.get("subtype") == "success" else f"(ended: {event.get('subtype')})"
        if event.get("type") not in ("assistant", "user"):
            return ""
        return "\n".join(_shown(part) for part in _parts(event.get("message") or {}))
    except (ValueError, KeyError, TypeError, AttributeError):
        return "(an event that is not known)"


if __name__ == "__main__":
    for each in sys.stdin:
        if text := show(each):
            print(text, flush=True)
