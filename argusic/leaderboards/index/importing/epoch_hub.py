"""Reads a folder of Epoch's Benchmarking Hub: one CSV file to a benchmark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from argusic.errors import InputError, Place
from argusic.leaderboards.index.facts import Benchmark
from argusic.leaderboards.index.importing.epoch_hub_files import FILES, HubFile
from argusic.leaderboards.index.importing.raw import Gathered, Raw, digest
from argusic.leaderboards.index.importing.tabled import Line, read_lines
from argusic.leaderboards.index.reading.rows import read_bytes

_VERSION: Final = "Model version"
#: Versions that are tuned models, under which the hub has results of their base models too, as their name says.
_TUNED: Final = frozenset({"DeepSeek-V2", "DeepSeek-V3", "chatglm2-6b"})
_BASE: Final = re.compile(r"\bbase\b", re.IGNORECASE)


def read_epoch_hub(folder: Path, benchmarks: dict[str, Benchmark]) -> Gathered:
    """Return what the files of a folder hold that are known; a file that is not known is said to be left out.

    Raises:
        InputError: The folder has none of them, or one of them cannot be read.
    """
    paths = sorted(folder.glob("*.csv"))
    contents = {path.name: read_bytes(path) for path in paths if path.name in FILES}
    if not contents:
        raise InputError("holds none of the CSV files of Epoch's Benchmarking Hub.", place=Place(folder))
    found = Gathered(sha256=digest(contents))
    for path in paths:
        if path.name not in contents:
            found.left_out[f"{path.name} is no file that is known"] += 1
            continue
        as_known = FILES[path.name]
        for line in read_lines(path, contents[path.name], _needed(as_known)):
            raw = _raw(line, as_known)
            if isinstance(raw, str):
                found.left_out[raw] += 1
            else:
                found.raws.append(raw)
    return found


def _needed(known: HubFile) -> list[str]:
    more = [known.day] if known.day else []
    return [
        _VERSION,
        known.score,
        *known.variant,
        *more,
        *(known.bounds or ()),
        *([known.only[0]] if known.only else []),
    ]


def _raw(line: Line, known: HubFile) -> Raw | str:
    """Return the result of a row, or why it holds none."""
    version = line.cells[_VERSION]
    score = line.number(known.score)
    if not version:
        return "no version of a model is named"
    if score is None:
        return "there is no score"
    if known.only and line.cells[known.only[0]] != known.only[1]:
        return f"{known.only[0]} is not {known.only[1]}"
    name = line.cells.get("Name", "")
    if version in _TUNED and _BASE.search(name):
        version = f"{version}-Base"
    low, high = (_scaled(line.number(column), known) for column in known.bounds) if known.bounds else (None, None)
    return Raw(
        version=version,
        benchmark=known.benchmark,
        score=score * known.scale,
        as_of=line.day(known.day) if known.day else None,
        variant="; ".join(filter(None, (_tidy(line.cells[column]) for column in known.variant))),
        place=line.place(known.score),
        otherwise=(line.cells.get("Source", ""), name, line.cells.get("Edit format", "")),
        low=low,
        high=high,
    )


def _scaled(value: float | None, known: HubFile) -> float | None:
    return None if value is None else value * known.scale


def _tidy(cell: str) -> str:
    """Return a number of shots as the whole number that it is."""
    return re.sub(r"^(\d+)\.0$", r"\1", cell)
