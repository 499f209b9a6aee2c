"""The small tables that a user may give: categories, open weights, weights, ratings; each row checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, cast, get_args

from argusic.errors import InputError, Place
from argusic.leaderboards.index.comparing.named_rows import named_rows
from argusic.leaderboards.index.comparing.weighted_average import WeightedAverage
from argusic.leaderboards.index.facts import Benchmark, Category
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.rows import Row

_CATEGORIES: Final[tuple[str, ...]] = get_args(Category)
_TRUTHS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "": None}
_MOST_POINTS: Final = 1e6


def read_benchmarks(path: Path, known: Iterable[str]) -> tuple[dict[str, Benchmark], frozenset[str]]:
    """Return what a table says of benchmarks whose results are on the scale from 0 to 1, and which are in the panel.

    Columns `benchmark`, `category`, and, where it has one, `active` (true or false): without it all are in the panel.
    Rows of benchmarks that are not known are passed over.

    Raises:
        InputError: It cannot be read, or a row of it cannot be used.
    """
    there = frozenset(known)
    found: dict[str, Benchmark] = {}
    active = set()
    lines: dict[str, int] = {}
    for row in named_rows(path, ("benchmark", "category"), ("active",)):
        name = _once(row, "benchmark", lines)
        category = cast("Category", cells.choice(row, "category", _CATEGORIES))
        if _truth(row, "active", True):
            active.add(name)
        if name in there:
            found[name] = Benchmark(name, name, category, "accuracy", "share", 0.0, 1.0, "", "", "", None)
    lacking = sorted(there - found.keys())
    if lacking:
        raise InputError(f"says nothing of the benchmark {lacking[0]!r}, which has results.", place=Place(path))
    return found, frozenset(active & there)


def read_open_weights(path: Path) -> dict[str, bool]:
    """Return which models' weights can be had: columns `model`, `open_weights` (true, false, or empty: not known).

    Raises:
        InputError: It cannot be read, or a row of it cannot be used.
    """
    lines: dict[str, int] = {}
    said = {
        _once(row, "model", lines): _truth(row, "open_weights", None)
        for row in named_rows(path, ("model", "open_weights"))
    }
    return {model: known for model, known in said.items() if known is not None}


def read_ratings(path: Path) -> dict[str, float]:
    """Return ratings by model: columns `model`, `rating`.

    Raises:
        InputError: It cannot be read, or a row of it cannot be used.
    """
    lines: dict[str, int] = {}
    found = {}
    for row in named_rows(path, ("model", "rating")):
        model, rating = _once(row, "model", lines), cells.number(row, "rating")
        if abs(rating) > _MOST_POINTS:
            raise InputError(f"{rating:g} is further from 0 than {_MOST_POINTS:g}.", place=row.place("rating"))
        found[model] = rating
    return found


def read_weights(path: Path, benchmarks: Iterable[str]) -> WeightedAverage:
    """Return a weighted average: columns `category` or `benchmark`, and `weight`.

    Raises:
        InputError: It cannot be read, or a row of it cannot be used.
    """
    there = sorted(benchmarks)
    first = named_rows(path, ("weight",), ("category", "benchmark"))
    of: Literal["category", "benchmark"] = "benchmark" if "benchmark" in first[0].cells else "category"
    if ("category" in first[0].cells) == ("benchmark" in first[0].cells):
        raise InputError("needs one of the columns 'category' and 'benchmark', and not both.", place=Place(path, 1))
    lines: dict[str, int] = {}
    weights = {}
    for row in first:
        name = _once(row, of, lines)
        if of == "category":
            cells.choice(row, of, _CATEGORIES)
        elif name not in there:
            raise InputError(f"{name!r} has no result.", place=row.place(of))
        weight = cells.number(row, "weight")
        if not 0 < weight <= _MOST_POINTS:
            raise InputError(f"{weight:g} is no weight above 0 and up to {_MOST_POINTS:g}.", place=row.place("weight"))
        weights[name] = weight
    return WeightedAverage(weights, of)


def _once(row: Row, column: str, lines: dict[str, int]) -> str:
    name = cells.name(row, column)
    first = lines.setdefault(name, row.line)
    if first != row.line:
        raise InputError(f"{name!r} stands in line {first} already.", place=row.place(column))
    return name


def _truth(row: Row, column: str, otherwise: bool | None) -> bool | None:
    if column not in row.cells:
        return otherwise
    said = row.cells[column].lower()
    if said not in _TRUTHS:
        raise InputError(f"{row.cells[column][:80]!r} is neither true nor false.", place=row.place(column))
    return _TRUTHS[said]
