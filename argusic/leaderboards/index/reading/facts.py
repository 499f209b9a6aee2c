"""Reads everything the index is made from and holds it against itself."""

from __future__ import annotations

from pathlib import Path

from argusic.errors import InputError, Place
from argusic.leaderboards.index.facts import Facts, Result
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.places import OWN
from argusic.leaderboards.index.reading.results import RESULTS, read_results
from argusic.leaderboards.index.reading.tables import (
    BENCHMARKS,
    MODELS,
    SOURCES,
    names_of,
    read_benchmarks,
    read_models,
    read_sources,
)


def read_facts(root: Path, own: Path | None = None) -> Facts:
    """Return what lies in a folder of the index's data: its three tables and its files of results.

    Args:
        root: The folder, `leaderboards/index/data` of a repository.
        own: A folder with further files of results, which no licence lets the repository hold.

    Raises:
        InputError: A table or a file of results cannot be read or used.
    """
    sources = read_sources(root / SOURCES)
    benchmarks = read_benchmarks(root / BENCHMARKS, sources)
    models = read_models(root / MODELS)
    names = names_of(models)
    results: list[Result] = []
    seen: dict[str, Path] = {}
    for folder in (root / RESULTS, own):
        for path in _files(folder, followed=folder == own):
            source = path.stem
            if source not in sources:
                raise InputError(cells.unknown("source", source, sorted(sources)), place=Place(path))
            if folder != own and not sources[source].redistributable:
                what = f"holds results whose licence ({sources[source].licence}) lets no repository hold them."
                raise InputError(what, place=Place(path), advice=f"Keep the file in {OWN}.")
            if source in seen:
                raise InputError(f"holds results of {source!r}, as {seen[source]} does.", place=Place(path))
            seen[source] = path
            results.extend(read_results(path, sources[source], benchmarks, names))
    return Facts(sources, benchmarks, models, tuple(sorted(results, key=_order)))


def _files(folder: Path | None, *, followed: bool) -> list[Path]:
    """Return the files of a folder; the user's own may lie anywhere, those of the repository lie in it."""
    if folder is None or not folder.is_dir():
        return []
    found = sorted(folder.glob("*.csv"))
    for path in () if followed else (folder, *found):
        if path.is_symlink():
            raise InputError(
                "is a symbolic link; what a repository holds is never read through one.", place=Place(path)
            )
    return found


def _order(result: Result) -> tuple[object, ...]:
    as_of = result.as_of.isoformat() if result.as_of else ""
    return (result.benchmark, result.model, result.version, result.variant, result.source, as_of, result.row)
