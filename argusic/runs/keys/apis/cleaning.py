"""Taking out of messages what is no text, and out of requests the tools that the model's server would run itself.

What is let through is listed, not what is held back: a new kind of part could cost what nobody reserved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from argusic.runs.keys.apis.dialect import Dropped, Json, Refusal

#: What stands where an image, a sound or a file was.
NOTE: Final = "[Left out by the referee: this model is sent text alone.]"


def cleaned_parts(content: Any, known: frozenset[str], note: str, dropped: Dropped) -> Any:
    """Return the content of a message with every part of an unknown kind replaced by a sentence.

    Args:
        content: Text, or a list of parts. Anything else is the server's to refuse.
        known: The kinds of parts that are text. A part may hold parts of its own under `content`.
        note: The kind of part that the sentence is.
        dropped: Where it is counted.
    """
    if isinstance(content, dict):
        return cleaned_parts([content], known, note, dropped)
    if not isinstance(content, list):
        return content
    found: list[Any] = []
    for part in content:
        if not isinstance(part, dict):
            found.append(part)
        elif part.get("type") not in known:
            dropped.images += 1
            found.append({"type": note, "text": NOTE})
        elif isinstance(part.get("content"), list | dict):
            found.append({**part, "content": cleaned_parts(part["content"], known, note, dropped)})
        else:
            found.append(part)
    return found


def clean_tools(body: Json, runs_here: Callable[[Json], bool], dropped: Dropped) -> None:
    """Take those tools out of a request that do not run where the agent does."""
    tools = body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise Refusal("request", "tools must be a list of objects.")
    left = [tool for tool in tools if runs_here(tool)]
    dropped.tools += len(tools) - len(left)
    body["tools"] = left
    if not left:
        del body["tools"]
        body.pop("tool_choice", None)


def messages(body: Json, field: str) -> list[Json]:
    """Return the messages of a request.

    Raises:
        Refusal: They are no list of objects.
    """
    found = body.get(field)
    if not isinstance(found, list) or not all(isinstance(message, dict) for message in found):
        raise Refusal("request", f"{field} must be a list of objects.")
    return found
