"""What a step of a workflow tells the runner beside its output: its summary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: Where the runner reads a step's summary.
SUMMARY: Final = "GITHUB_STEP_SUMMARY"


def summarise(environment: Mapping[str, str], markdown: str) -> None:
    """Add to the summary of the step, where this is one."""
    named = environment.get(SUMMARY)
    if named:
        with Path(named).open("a", encoding="utf-8") as summary:
            summary.write(f"{markdown.rstrip()}\n\n")
