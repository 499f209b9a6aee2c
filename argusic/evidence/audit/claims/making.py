"""Making findings."""

from __future__ import annotations

from collections.abc import Iterable

from argusic.evidence.audit.session import Step
from argusic.records.audit import ClaimFinding, FindingClass, Severity

#: A finding names at most this many commands.
MOST_NAMED = 10


def finding(kind: FindingClass, severity: Severity, field: str, what: str, steps: Iterable[Step] = ()) -> ClaimFinding:
    """Return a finding that points at commands."""
    named = tuple(steps)[:MOST_NAMED]
    return ClaimFinding(
        finding=kind,
        severity=severity,
        field=field,
        what=what,
        commands=tuple(step.number for step in named),
        seconds=tuple(round(step.row.started, 3) for step in named),
    )


def numbered(steps: Iterable[Step]) -> str:
    """Return `command 3` or `commands 3, 4 and 7`."""
    numbers = [str(step.number) for step in steps]
    if len(numbers) == 1:
        return f"command {numbers[0]}"
    shown = numbers[:MOST_NAMED]
    more = " and others" if len(numbers) > len(shown) else f" and {shown.pop()}"
    return f"commands {', '.join(shown)}{more}"


def quoted(text: str, most: int = 80) -> str:
    """Return a text in quotes on one line, cut where it is long."""
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= most else flat[: most - 1] + '…'}”"
