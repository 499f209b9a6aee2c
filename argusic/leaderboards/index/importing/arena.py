"""Reads ratings of LMArena's text leaderboard, in either of the two forms in which copies are kept."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from argusic.errors import InputError, Place
from argusic.leaderboards.index.facts import Benchmark
from argusic.leaderboards.index.importing.documents import number_at, read_json
from argusic.leaderboards.index.importing.raw import Gathered, Raw, digest
from argusic.leaderboards.index.reading.rows import read_bytes


def read_arena(path: Path, benchmarks: dict[str, Benchmark], benchmark: str, as_of: date) -> Gathered:
    """Return the ratings with their ranges of 95 %.

    Args:
        path: The file: an object with `full`, each model's `rating`, `rating_q025` and `rating_q975`; or one with
            `models`, each with `model`, `score` and `ci`.
        benchmarks: The benchmarks that are known.
        benchmark: The id of the one that these ratings are of.
        as_of: The day that they were taken on.

    Raises:
        InputError: It cannot be read, or something in it cannot be used.
    """
    content = read_bytes(path)
    said = read_json(path, content)
    found = Gathered(sha256=digest({path.name: content}))
    if isinstance(said.get("full"), dict):
        rows = [_catalogued(path, model, each) for model, each in said["full"].items()]
    elif isinstance(said.get("models"), list):
        rows = [_listed(path, place, each) for place, each in enumerate(said["models"])]
    else:
        raise InputError("has neither `full` nor `models`.", place=Place(path))
    for version, rating, low, high, place in rows:
        found.raws.append(Raw(version, benchmark, rating, as_of, "", place, low=low, high=high))
    return found


def _catalogued(path: Path, model: str, said: Any) -> tuple[str, float, float, float, Place]:
    if not isinstance(said, dict):
        raise InputError("is no rating.", place=Place(path, field=model[:80]))
    rating, low, high = (
        number_at(path, said.get(key), f"{model[:80]}: {key}") for key in ("rating", "rating_q025", "rating_q975")
    )
    return model, rating, low, high, Place(path, field=model[:80])


def _listed(path: Path, place: int, said: Any) -> tuple[str, float, float, float, Place]:
    field = f"models[{place}]"
    if not isinstance(said, dict) or not isinstance(said.get("model"), str):
        raise InputError("names no model.", place=Place(path, field=field))
    rating, half = (number_at(path, said.get(key), f"{field}.{key}") for key in ("score", "ci"))
    return said["model"], rating, rating - half, rating + half, Place(path, field=field)
