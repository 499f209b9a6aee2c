"""Reads the tables of LiveBench's site: one to a snapshot of its questions, each snapshot a set of benchmarks."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.git import Git
from argusic.errors import ArgusicError, InputError, Place
from argusic.leaderboards.index.facts import Benchmark
from argusic.leaderboards.index.importing.documents import read_json
from argusic.leaderboards.index.importing.raw import Gathered, Raw, digest
from argusic.leaderboards.index.importing.tabled import Line, read_lines
from argusic.leaderboards.index.reading.rows import read_bytes

_TABLE: Final = re.compile(r"table_(\d{4})_(\d\d)_(\d\d)\.csv", re.ASCII)
_PERCENT: Final = 0.01


def read_livebench(folder: Path, benchmarks: dict[str, Benchmark]) -> Gathered:
    """Return the means of each category of the snapshots that the tables know, never of two snapshots together.

    The day of a run is that on which the model's row was first there, where the folder lies in a clone with its
    history. Elsewhere it is that of the snapshot, before which no run of its questions was published.

    Raises:
        InputError: The folder holds no such table, or one of them cannot be read.
    """
    contents: dict[str, bytes] = {}
    snapshots: list[tuple[str, Path, Path]] = []
    found = Gathered()
    for path in sorted(folder.glob("table_*.csv")):
        match = _TABLE.fullmatch(path.name)
        if match is None:
            raise InputError(
                "is no table of a snapshot: its name must be table_<year>_<month>_<day>.csv.", place=Place(path)
            )
        snapshot = "-".join(match.groups())
        if not any(name.startswith(f"livebench-{snapshot}-") for name in benchmarks):
            found.left_out[f"the snapshot {snapshot} is no benchmark of the tables"] += 1
            continue
        categories = folder / f"categories_{snapshot.replace('-', '_')}.json"
        snapshots.append((snapshot, path, categories))
        contents |= {one.name: read_bytes(one) for one in (path, categories)}
    if not snapshots:
        raise InputError("holds no table of a snapshot of LiveBench that the tables know.", place=Place(folder))
    for snapshot, path, categories in snapshots:
        tasks = _categories(categories, contents[categories.name])
        first = _first_seen(path, snapshot)
        needed = ["model", *(task for each in tasks.values() for task in each)]
        for line in read_lines(path, contents[path.name], needed, found.left_out):
            for category, names in tasks.items():
                mean = _mean(line, names)
                if mean is None:
                    found.left_out[f"a task of {category} has no score"] += 1
                    continue
                version = line.cells["model"]
                benchmark = f"livebench-{snapshot}-{category.lower().replace(' ', '-')}"
                as_of = first.get(version, date.fromisoformat(snapshot))
                found.raws.append(Raw(version, benchmark, mean * _PERCENT, as_of, "", line.place(category)))
    return Gathered(found.raws, found.left_out, digest(contents))


def _categories(path: Path, content: bytes) -> dict[str, list[str]]:
    said = read_json(path, content)
    for category, tasks in said.items():
        if not isinstance(tasks, list) or not tasks or not all(isinstance(task, str) for task in tasks):
            raise InputError("is no list of tasks.", place=Place(path, field=category))
    return said


def _mean(line: Line, tasks: list[str]) -> float | None:
    scores = [line.number(task) for task in tasks]
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if len(known) == len(scores) else None


def _first_seen(path: Path, snapshot: str) -> dict[str, date]:
    """Return the day on which each model was first in the table, by the history that the folder is in."""
    git = Git.around(path.parent)
    # In another repository, a copy's history is that of the copying.
    if git is None or "livebench" not in (git.origin() or "").lower():
        return {}
    named = PurePosixPath(path.name)
    first: dict[str, date] = {}
    for revision in reversed(git.history(named)):
        try:
            lines = read_lines(path, git.show(revision.commit, named) or b"", ["model"])
        except ArgusicError:
            continue  # An old state that is no table tells nothing.
        for line in lines:
            first.setdefault(
                line.cells["model"], max(date.fromisoformat(revision.at[:10]), date.fromisoformat(snapshot))
            )
    return first
