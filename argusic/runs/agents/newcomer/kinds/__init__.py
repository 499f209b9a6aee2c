"""The newcomer's ways with kinds of subject that are not simply a project to install. One module a kind, found by name.

A module called after a kind (`mcp_server` for `mcp-server`) defines `work`: it does the mission on a bench and notes
what was seen in its journal. A kind without a module is worked on as a project: read, installed, launched, verified.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import cast

from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.session import Mission

#: Does a mission of one kind on a bench. It may raise `OutOfTime`.
Work = Callable[[Bench, Mission], None]


def work_of(kind: str) -> Work | None:
    """Return the way with a kind; None where it is worked on as a project."""
    name = kind.replace("-", "_")
    if name not in {info.name for info in pkgutil.iter_modules(__path__)}:
        return None
    return cast(Work, importlib.import_module(f"{__name__}.{name}").work)
