"""Reads what a test runner counted, by the table of runners."""

from __future__ import annotations

import re
from dataclasses import dataclass

from argusic.runs.agents.newcomer.knowledge import Runners


@dataclass(frozen=True)
class Counted:
    """What a runner said of a whole test run."""

    runner: str
    passed: int
    failed: int
    summary: str


def counted(output: str, table: Runners) -> Counted | None:
    """Return what the runner counted; None where no runner's summary is in the output."""
    for runner in table.runners:
        matches = list(re.finditer(runner.summary, output, re.MULTILINE))
        if matches:
            chosen = matches if runner.each else matches[-1:]
            counts = [_count(match) for match in chosen]
            summary = " ".join(chosen[-1][0].split()).strip("= ")
            return Counted(runner.name, sum(p for p, _ in counts), sum(f for _, f in counts), summary)
    return None


def found_none(output: str, table: Runners) -> bool:
    """Return whether the output is that of a test runner that found no test."""
    return any(runner.none and re.search(runner.none, output) for runner in table.runners)


def _count(match: re.Match[str]) -> tuple[int, int]:
    groups = match.groupdict()

    def number(name: str) -> int:
        return int(groups.get(name) or 0)

    failed = number("failed") + number("errors")
    if "ran" in groups:
        failed = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", groups.get("how") or ""))
        failed = max(failed, 1) if groups.get("bad") else failed
        return number("ran") - failed, failed
    if "ok" in groups:
        return (0, 1) if groups.get("bad") else (1, 0)
    return number("passed"), failed
