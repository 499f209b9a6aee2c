"""Reads a plain table: a model, a benchmark and a score in the benchmark's unit, and more where it is known."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from argusic.errors import InputError
from argusic.leaderboards.index.facts import Benchmark
from argusic.leaderboards.index.importing.raw import Gathered, Raw, digest
from argusic.leaderboards.index.importing.tabled import Line, read_lines
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.rows import read_bytes

_NEEDED: Final = ("model", "benchmark", "score")


def read_plain(path: Path, benchmarks: dict[str, Benchmark]) -> Gathered:
    """Return what the file holds: the columns model, benchmark and score, and as_of, variant, low and high if any.

    Raises:
        InputError: It cannot be read, or a row of it cannot be used.
    """
    content = read_bytes(path)
    found = Gathered(sha256=digest({path.name: content}))
    found.raws.extend(_raw(line, benchmarks) for line in read_lines(path, content, _NEEDED))
    return found


def _raw(line: Line, benchmarks: dict[str, Benchmark]) -> Raw:
    benchmark, version, score = line.cells["benchmark"], line.cells["model"], line.number("score")
    if benchmark not in benchmarks:
        raise InputError(cells.unknown("benchmark", benchmark, sorted(benchmarks)), place=line.place("benchmark"))
    for column, value in (("model", version), ("score", score)):
        if value in ("", None):
            raise InputError("is missing.", place=line.place(column))
    assert score is not None
    has = line.cells
    return Raw(
        version=version,
        benchmark=benchmark,
        score=score,
        as_of=line.day("as_of") if "as_of" in has else None,
        variant=has.get("variant", ""),
        place=line.place("score"),
        low=line.number("low") if "low" in has else None,
        high=line.number("high") if "high" in has else None,
    )
