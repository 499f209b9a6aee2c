"""Tells a base model from one tuned from it by their names, so that the two are not counted as one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

_TUNED: Final = frozenset({"instruct", "chat", "it"})
_BASE: Final = "base"
#: Parts of a name that say nothing of what the model is.
_SILENT: Final = frozenset({"hf"})

Stage = Literal["base", "plain", "tuned"]


def pooled(model: str, aliases: Iterable[str]) -> tuple[str, str] | None:
    """Return two of a model's aliases of which one is a base model and the other is tuned from it, or None.

    A name without either mark stands for the base model beside one that is marked as tuned, and for the tuned one
    beside one that is marked as base. Where the model's own name is marked as tuned, it stands for that.
    """
    own = staged(model)[1]
    first: dict[tuple[str, Stage], str] = {}
    for alias in sorted(aliases):
        stem, stage = staged(alias)
        first.setdefault((stem, "tuned" if stage == "plain" and own == "tuned" else stage), alias)
    for (stem, stage), alias in first.items():
        for other in ("base", "plain", "tuned"):
            if stage < other and (stem, other) in first:
                return alias, first[stem, other]
    return None


def staged(name: str) -> tuple[str, Stage]:
    """Return a name without its marks, and which it had."""
    parts = re.split(r"[-_ ]+", name.lower())
    rest = [part for part in parts if part not in _TUNED and part not in _SILENT and part != _BASE]
    stage: Stage = "base" if _BASE in parts else "tuned" if _TUNED.intersection(parts) else "plain"
    return "-".join(rest), stage
