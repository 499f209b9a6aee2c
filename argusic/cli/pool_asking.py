"""What `argusic pool add` asks a person for: what a new subject's own metadata does not say."""

from __future__ import annotations

from typing import Any, cast, get_args

from rich.console import Console

from argusic.cli.asking import ask, choose
from argusic.cli.output import printable
from argusic.pool.kinds.protocol import Resolved
from argusic.pool.licences import read_licence
from argusic.records.base import Tier


def ask_for_missing(said: Console, found: Resolved, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a new subject, with what is missing as a person says it.

    Args:
        said: Where to write.
        found: What was looked up.
        facts: What is known: `summary`, `licence`, `licence_by`, `languages`.
    """
    said.print("What its metadata does not say. Press Enter to leave it empty.")
    summary = facts["summary"] or ask("One sentence that says what it does")
    licence, licence_by = _licence(said, found.name, facts["licence"], facts["licence_by"])
    languages = facts["languages"] or ask("The languages it is written in, with commas").split(",")
    return {
        "summary": summary or None,
        "licence": licence,
        "licence_by": licence_by,
        "languages": [one.strip() for one in languages if one.strip()],
    }


def ask_for_tier(
    said: Console, found: Resolved, tier: Tier | None, heavy: str | None
) -> tuple[Tier | None, str | None]:
    """Return the tier, and who marks the subject heavy, as a person says it."""
    if tier is None and heavy is None:
        if found.heavy_by is not None:
            said.print(printable(f"It is heavy: {found.heavy_by}"))
        usual = "heavy" if found.heavy_by is not None else "standard"
        tier = cast(Tier, choose("Its time budget", get_args(Tier), usual))
    if tier == "heavy" and heavy is None and found.heavy_by is None:
        heavy = ask("Who marks it heavy, and when (WHO, YYYY-MM-DD)") or None
    return tier, heavy


def _licence(said: Console, name: str, licence: str | None, by: str | None) -> tuple[str | None, str | None]:
    read = read_licence(licence) if licence is not None else None
    while read is None:
        if licence is not None:
            said.print(printable(f"{licence!r} is no SPDX expression of licences that are known."))
        licence = ask("Its licence, as an SPDX expression such as MIT") or None
        if licence is None:
            break
        read = read_licence(licence)
    if read is not None and read.permissive:
        return read.expression, by
    if by is None:
        known = f"{read.expression} is not permissive" if read is not None else "Its licence is not known"
        said.print(printable(f"{known}, and a pool takes permissive licences."))
        by = ask(f"Who lets {name} in all the same, and why (WHO: WHY)") or None
    return read.expression if read is not None else None, by
