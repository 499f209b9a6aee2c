"""The tables that people edit: where results come from, how each benchmark is read, what each model is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast, get_args

from argusic.errors import InputError
from argusic.leaderboards.index.facts import Benchmark, Category, Model, Source
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.pooling import pooled
from argusic.leaderboards.index.reading.rows import Row, read_rows

SOURCES: Final = "sources.csv"
BENCHMARKS: Final = "benchmarks.csv"
MODELS: Final = "models.csv"

SOURCE_COLUMNS: Final = (
    "source", "title", "address", "snapshot", "licence", "redistributable", "attribution", "sha256",
)  # fmt: skip
BENCHMARK_COLUMNS: Final = (
    "benchmark", "name", "category", "kind", "unit", "baseline", "ceiling", "source", "run_by", "licence",
    "superseded_by",
)  # fmt: skip
MODEL_COLUMNS: Final = ("model", "aliases", "organization", "open_weights", "open_weights_by", "released")

#: What a score can be, with the least and the most that it can be.
UNITS: Final[dict[str, tuple[float, float]]] = {
    "fraction": (0.0, 1.0),
    "normalised fraction": (0.0, 1.0),
    "rating": (-5000.0, 5000.0),
}
_CATEGORIES: Final[tuple[str, ...]] = get_args(Category)
_SHA256: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_TRUTHS: Final = {"true": True, "false": False}


def read_sources(path: Path) -> dict[str, Source]:
    """Return the sources by id.

    Raises:
        InputError: The table cannot be read, or a row of it cannot be used.
    """
    found: dict[str, Source] = {}
    lines: dict[str, int] = {}
    for row in read_rows(path, SOURCE_COLUMNS):
        source = cells.identifier(row, "source")
        _once(row, "source", source, lines)
        digest = cells.text(row, "sha256")
        if not _SHA256.fullmatch(digest):
            raise InputError(f"{digest!r} is no SHA-256 in small hexadecimal digits.", place=row.place("sha256"))
        found[source] = Source(
            source=source,
            title=cells.text(row, "title"),
            address=cells.text(row, "address"),
            snapshot=cells.day(row, "snapshot"),
            licence=cells.text(row, "licence"),
            redistributable=_TRUTHS[cells.choice(row, "redistributable", tuple(_TRUTHS))],
            attribution=cells.text(row, "attribution"),
            sha256=digest,
        )
    return found


def read_benchmarks(path: Path, sources: dict[str, Source]) -> dict[str, Benchmark]:
    """Return the benchmarks by id.

    Raises:
        InputError: The table cannot be read, or a row of it cannot be used.
    """
    rows = read_rows(path, BENCHMARK_COLUMNS)
    lines: dict[str, int] = {}
    found: dict[str, Benchmark] = {}
    for row in rows:
        _once(row, "benchmark", cells.identifier(row, "benchmark"), lines)
    for row in rows:
        one = _benchmark(row)
        if one.source not in sources:
            raise InputError(cells.unknown("source", one.source, sorted(sources)), place=row.place("source"))
        after = one.superseded_by
        if after is not None and (after not in lines or after == one.benchmark):
            what = cells.unknown("benchmark", after, sorted(lines)) if after not in lines else "names the row itself."
            raise InputError(what, place=row.place("superseded_by"))
        found[one.benchmark] = one
    for row in rows:
        _check_succession(row, found)
    return found


def _check_succession(row: Row, benchmarks: Mapping[str, Benchmark]) -> None:
    """Say so where those that took a benchmark's place lead back to it."""
    first, seen = row.cells["benchmark"], set[str]()
    after = benchmarks[first].superseded_by
    while after is not None and after not in seen:
        if after == first:
            raise InputError(f"leads back to {first}, which took its place too.", place=row.place("superseded_by"))
        seen.add(after)
        after = benchmarks[after].superseded_by


def _benchmark(row: Row) -> Benchmark:
    kind = cells.choice(row, "kind", ("accuracy", "relative"))
    unit = cells.choice(row, "unit", tuple(UNITS))
    baseline, ceiling = cells.number_or_none(row, "baseline"), cells.number_or_none(row, "ceiling")
    if (unit == "rating") != (kind == "relative"):
        raise InputError(f"a benchmark of the kind {kind!r} has not the unit {unit!r}.", place=row.place("unit"))
    if kind == "relative":
        for column, bound in (("baseline", baseline), ("ceiling", ceiling)):
            if bound is not None:
                raise InputError("a relative benchmark has none.", place=row.place(column))
    else:
        least, most = UNITS[unit]
        for column, bound in (("baseline", baseline), ("ceiling", ceiling)):
            if bound is None:
                raise InputError("is missing.", place=row.place(column))
            if not least <= bound <= most:
                raise InputError(f"{bound:g} is not between {least:g} and {most:g}.", place=row.place(column))
        assert baseline is not None and ceiling is not None
        if baseline >= ceiling:
            what = f"{baseline:g} is not below the ceiling, {ceiling:g}."
            raise InputError(what, place=row.place("baseline"))
    return Benchmark(
        benchmark=row.cells["benchmark"],
        name=cells.name(row, "name"),
        category=cast(Category, cells.choice(row, "category", _CATEGORIES)),
        kind="accuracy" if kind == "accuracy" else "relative",
        unit=unit,
        baseline=baseline,
        ceiling=ceiling,
        source=cells.text(row, "source"),
        run_by=cells.choice(row, "run_by", ("source", "others")),
        licence=cells.text(row, "licence"),
        superseded_by=row.cells["superseded_by"] or None,
    )


def read_models(path: Path) -> dict[str, Model]:
    """Return the models by name.

    Raises:
        InputError: The table cannot be read, a row of it cannot be used, or two models claim one name.
    """
    found: dict[str, Model] = {}
    claimed: dict[str, Row] = {}
    for row in read_rows(path, MODEL_COLUMNS):
        model = cells.name(row, "model")
        aliases = tuple(filter(None, (alias.strip() for alias in row.cells["aliases"].split("|"))))
        for column, alias in [("model", model), *(("aliases", alias) for alias in aliases)]:
            other = claimed.setdefault(alias, row)
            if other is not row:
                what = f"{alias!r} is claimed by {other.cells['model']!r} in line {other.line} already."
                raise InputError(what, place=row.place(column))
        weights = row.cells["open_weights"] and cells.choice(row, "open_weights", tuple(_TRUTHS))
        # Base models are published where the weights are; elsewhere such words are a mode of one model.
        apart = pooled(model, aliases) if weights == "true" else None
        if apart is not None:
            what = f"{apart[0]!r} and {apart[1]!r} are a base model and one tuned from it, under one name."
            raise InputError(what, place=row.place("aliases"), advice="Give each a row of its own.")
        found[model] = Model(
            model=model,
            aliases=aliases,
            organization=row.cells["organization"] or None,
            open_weights=_TRUTHS[weights] if weights else None,
            open_weights_by=cells.text(row, "open_weights_by") if weights else row.cells["open_weights_by"],
            released=cells.day_or_none(row, "released"),
        )
    return found


def names_of(models: Mapping[str, Model]) -> dict[str, str]:
    """Return the models' names by every name that the table knows, their own among them."""
    return {alias: name for name, model in models.items() for alias in (*model.aliases, name)}


def _once(row: Row, column: str, said: str, lines: dict[str, int]) -> None:
    first = lines.setdefault(said, row.line)
    if first != row.line:
        raise InputError(f"{said!r} stands in line {first} already.", place=row.place(column))
