"""What a reader of one source's files finds in them, before it is held against the tables."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from argusic.errors import Place


@dataclass(frozen=True)
class Raw:
    """One published result as its source writes it.

    Attributes:
        version: The model, as the source names it.
        benchmark: The id of the benchmark.
        score: In the benchmark's unit.
        as_of: The day of the run, or None.
        variant: Effort, shots, scaffold or tools, as the source says.
        place: Where it stands.
        otherwise: What tells it from another with the same version and variant, where that is needed.
        low: The lower end of the source's own range of 95 %, where it gives one.
        high: The upper end.
    """

    version: str
    benchmark: str
    score: float
    as_of: date | None
    variant: str
    place: Place
    otherwise: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Gathered:
    """All that was found in a copy.

    Attributes:
        raws: The results, in the order of the files.
        left_out: How many rows were not taken, by why.
        sha256: Of the file, or of the list of files with theirs.
    """

    raws: list[Raw] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    sha256: str = ""


def digest(contents: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of one file, or that of the list of several, each with its own and its name."""
    each = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    if len(each) == 1:
        return next(iter(each.values()))
    return hashlib.sha256("".join(f"{each[name]}  {name}\n" for name in sorted(each)).encode()).hexdigest()


def short(path: Path) -> str:
    """Return a file's name, by which a list of files knows it."""
    return path.name
