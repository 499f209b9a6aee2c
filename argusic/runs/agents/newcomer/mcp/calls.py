"""Puts the calls of a server's tools into an order in which they can succeed: first what makes, last what removes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from argusic.runs.agents.newcomer.mcp.answers import Tool
from argusic.runs.agents.newcomer.mcp.arguments import Maker
from argusic.runs.agents.newcomer.mcp.values import Order, values, words


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        tool: The tool's name.
        arguments: What it is called with.
    """

    tool: str
    arguments: Mapping[str, Any]


def calls(
    tools: tuple[Tool, ...], documented: Mapping[str, Mapping[str, Any]], places: Mapping[str, str]
) -> tuple[Call, ...]:
    """Return the calls to make, each tool once, first those that make something and last those that remove it.

    Args:
        tools: The tools that can be called as they are.
        documented: The arguments that the documentation shows, by tool.
        places: What {{folder}} and {{repository}} are.
    """
    known = values()
    once = {tool.name: tool for tool in tools}
    ordered = sorted(once.values(), key=lambda tool: _place(tool.name, known.order))
    return tuple(
        Call(tool.name, documented.get(tool.name) or Maker(tool, known, places).arguments()) for tool in ordered
    )


def _place(name: str, order: Order) -> int:
    lists = [*order.before, (), *order.after]
    for word in words(name):
        for place, of in enumerate(lists):
            if word in of:
                return place
    return len(order.before)
