"""Reads Aider's leaderboards: YAML lists of runs, each with its day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Final

import yaml

from argusic.errors import InputError, Place
from argusic.leaderboards.index.facts import Benchmark
from argusic.leaderboards.index.importing.raw import Gathered, Raw, digest
from argusic.leaderboards.index.importing.tabled import Line
from argusic.leaderboards.index.reading.rows import as_text, read_bytes

#: The ids of the benchmarks and the column of the score, by the name of the file. Two attempts are given where a
#: second is made after the tests' errors were shown.
_FILES: Final = {
    "edit_leaderboard.yml": ("aider-edit", "pass_rate_2"),
    "polyglot_leaderboard.yml": ("aider-polyglot", "pass_rate_2"),
    "refactor_leaderboard.yml": ("aider-refactor", "pass_rate_1"),
}
#: The largest list that is read, in bytes: YAML takes its time.
_MAX_BYTES: Final = 2_000_000


def read_aider(folder: Path, benchmarks: dict[str, Benchmark]) -> Gathered:
    """Return what the lists of a folder hold that are known.

    Raises:
        InputError: The folder holds none of them, or one of them cannot be read.
    """
    contents = {name: read_bytes(folder / name, _MAX_BYTES) for name in sorted(_FILES) if (folder / name).exists()}
    if not contents:
        raise InputError(f"holds none of {', '.join(sorted(_FILES))}.", place=Place(folder))
    found = Gathered(sha256=digest(contents))
    for name, content in contents.items():
        benchmark, column = _FILES[name]
        for line in _lines(folder / name, content):
            version, percent = line.cells.get("model", ""), line.cells.get(column, "")
            if not version:
                raise InputError("is missing.", place=line.place("model"))
            if not percent:
                raise InputError("is missing.", place=line.place(column))
            score = line.number(column)
            if " + " in version:
                found.left_out["two models worked together"] += 1
            elif score is not None:
                found.raws.append(_raw(line, benchmark, version, score / 100))
    return found


def _raw(line: Line, benchmark: str, version: str, score: float) -> Raw:
    as_of: date | None = line.day("date") if "date" in line.cells else None
    variant = line.cells.get("edit_format", "")
    return Raw(version, benchmark, score, as_of, variant, line.place("model"), (line.cells.get("dirname", ""),))


def _lines(path: Path, content: bytes) -> Iterator[Line]:
    """Yield the entries of a list of mappings, each with what stands in it as text."""
    try:
        node = yaml.compose(as_text(path, content), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError(f"is no YAML: {error.problem}.", place=Place(path, line)) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError("is no YAML that can be read.", place=Place(path)) from error
    if not isinstance(node, yaml.SequenceNode):
        raise InputError("is no list of runs.", place=Place(path, 1))
    for item in node.value:
        line = item.start_mark.line + 1
        if not isinstance(item, yaml.MappingNode):
            raise InputError("is no run: an entry must name its fields.", place=Place(path, line))
        cells: dict[str, str] = {}
        for key, value in item.value:
            if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode):
                if key.value in cells:
                    raise InputError("stands twice in one run.", place=Place(path, line, key.value[:80]))
                cells[key.value] = " ".join(value.value.split())
        yield Line(path, line, cells)
