"""How `argusic verify` says whether what agents revealed of themselves is what they committed to."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from argusic.cli.output import printable
from argusic.evidence.identity import Identities


def plain_identities(identities: Identities) -> dict[str, Any]:
    """Return it as plain data."""
    return {
        "open": list(identities.open),
        "revealed": list(identities.revealed),
        "sealed": [{"agent": agent, "reveal_on": day} for agent, day in identities.sealed],
        "sealed_not_here": list(identities.absent),
    }


def show_identities(out: Console, identities: Identities) -> None:
    """Print it, where any agent uses a model."""
    if identities.open:
        out.print(printable(f"Open: the configuration of {_named(identities.open)} stands in its file."))
    if identities.revealed:
        out.print(
            printable(f"Revealed, and what was committed to: the configuration of {_named(identities.revealed)}.")
        )
    if identities.sealed:
        said = [f"{agent} (by {day})" if day else f"{agent} (on request)" for agent, day in identities.sealed]
        out.print(printable(f"Sealed, and not revealed yet: the configuration of {_named(said)}."))
    if identities.absent:
        out.print(printable(f"Not on this machine: what was sealed of {_named(identities.absent)}."))


def _named(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(names)
