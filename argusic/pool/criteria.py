"""What lets a subject into a pool, as far as a program can tell: section 6 of the methodology.

A licence that is permissive, documentation to follow, and a reason where it gets more time. Whoever departs from that
says so by name, and the word is kept.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from argusic.errors import InputError
from argusic.pool.kinds.protocol import Resolved
from argusic.pool.licences import read_licence
from argusic.records.base import Tier

_BY = re.compile(r"(?P<who>[^:]*\w[^:]*):(?P<why>.*\w.*)", re.DOTALL)
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


class LetIn(NamedTuple):
    """Under which licence a subject is let in."""

    licence: str | None
    """The licence as an SPDX expression; None where it is not known."""
    by: str | None
    """Who let it in and why, where its licence alone does not."""


def let_in(name: str, licence: str | None, by: str | None) -> LetIn:
    """Return under which licence a subject is let in.

    Args:
        name: What the subject is called.
        licence: Its licence, as its metadata or a person says it; None where it is not known.
        by: Who lets it in all the same and why, `WHO: WHY`.

    Raises:
        InputError: Its licence is not permissive or not known and nobody lets it in, or `by` does not say who and why.
    """
    read = read_licence(licence) if licence is not None else None
    if read is not None and read.permissive:
        return LetIn(read.expression, None)
    if by is not None:
        if not _BY.fullmatch(by):
            raise InputError(
                f"{by!r} does not say who lets {name} in, and why.", advice='Write "WHO: WHY" after --licence-by.'
            )
        return LetIn(read.expression if read is not None else None, " ".join(by.split()))
    if read is not None:
        problem = f"The licence of {name}, {read.expression}, is not permissive."
    elif licence is not None:
        problem = f"{licence!r}, the licence of {name}, is no SPDX expression of licences that are known."
    else:
        problem = f"The licence of {name} is not known."
    raise InputError(
        problem,
        advice="A pool takes permissive licences. Give its SPDX expression with --licence, or say with "
        '--licence-by "WHO: WHY" who lets it in all the same.',
    )


def documented(name: str, found: Resolved) -> None:
    """Refuse a subject that has nothing to follow.

    Raises:
        InputError: It has no README, card or description.
    """
    if found.readme is False:
        raise InputError(
            f"{name} has no README, card or description that says how it is run.",
            advice="An agent is asked to follow its documentation, so a pool takes no subject without any.",
        )


def tier_of(name: str, found: Resolved, tier: Tier | None, heavy: str | None, today: date) -> tuple[Tier, str | None]:
    """Return the time budget of a subject, and where it is heavy, who says so and when.

    Args:
        name: What the subject is called.
        found: What was looked up. What its host says makes it heavy, unless it needs a GPU.
        tier: The tier that a person named.
        heavy: Who marks it heavy and when. A day is added where there is none.
        today: The day that is added.

    Raises:
        InputError: It is heavy and said to be of another tier, or heavy by nobody.
    """
    if heavy is not None:
        if tier not in (None, "heavy"):
            raise InputError(f"{name} cannot be heavy and of the tier {tier}.", advice="Leave one of the two out.")
        if not re.search(r"\w", heavy):
            raise InputError("--heavy wants who marks it heavy, and when.", advice='Write "WHO, YYYY-MM-DD".')
        marked = " ".join(heavy.split())
        return "heavy", marked if _DAY.search(marked) else f"{marked}, {today.isoformat()}"
    if tier == "standard" and found.heavy_by is not None:
        raise InputError(f"{name} is heavy: {found.heavy_by}.", advice="Leave --tier standard out.")
    chosen: Tier = tier or ("heavy" if found.heavy_by is not None else "standard")
    if chosen == "heavy" and found.heavy_by is None:
        raise InputError(
            f"Nothing says that {name} is heavy.", advice='Say who marks it so, and when: --heavy "WHO, YYYY-MM-DD".'
        )
    return chosen, found.heavy_by if chosen == "heavy" else None
