"""Which files may lie where: none unknown, none through a link, none that another system would confuse, and
each run's folder whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from argusic.database.paths import MANIFEST_FILE, MOST_RUN_FILES, RUN_FILE, what_is
from argusic.errors import Finding
from argusic.referee.checks.survey import Survey

_NEEDED = (RUN_FILE, MANIFEST_FILE)
#: The rows of the table of paths whose files lie in a run's folder.
_RUN_ROWS = ("run", "manifest", "evidence")


def check_files(made: Survey) -> Iterator[Finding]:
    """Yield what lies where it may not, and what a run's folder lacks."""
    yield from _strange(made)
    yield from _confusable(made)
    yield from _run_folders(made)
    yield from _twice(made)


def _strange(made: Survey) -> Iterator[Finding]:
    for path, what in made.listing.strange.items():
        yield made.found(path, f"is {what}; the database holds regular files alone.")
    for path in made.listing.blobs:
        if what_is(path) is None:
            yield made.found(path, "is no file that the database knows: see the table of paths in the documentation.")


def _confusable(made: Survey) -> Iterator[Finding]:
    """Two names that differ in case alone are one file on many systems."""
    seen: dict[str, str] = {}
    for path in made.listing.blobs:
        first = seen.setdefault(path.casefold(), path)
        if first != path:
            yield made.found(path, f"differs from {first} in upper and lower case alone.")


def _run_folders(made: Survey) -> Iterator[Finding]:
    folders: dict[str, set[str]] = {}
    for path in made.listing.blobs:
        holding = what_is(path)
        if holding is not None and holding.row.name in _RUN_ROWS:
            folder, _, name = path.rpartition("/")
            folders.setdefault(folder, set()).add(name)
    for folder, names in folders.items():
        for name in _NEEDED:
            if name not in names:
                yield made.found(folder, f"is the folder of a run and has no {name}.")
        if len(names) > MOST_RUN_FILES:
            yield made.found(folder, f"holds {len(names)} files; a run keeps at most {MOST_RUN_FILES} in git.")
        manifest = made.manifests.get(folder)
        if manifest is not None:
            for name in sorted(names - {*_NEEDED, *manifest.files}):
                yield made.found(f"{folder}/{name}", "is not in the run's manifest.")
            gone = made.withdrawn.get(manifest.run)
            excused = {file.name for file in gone.files} if gone is not None else set()
            for name in sorted({*manifest.files} - names - excused):
                yield made.found(manifest.path, f"names {name}, which is not in the run's folder.", at="files")


def _twice(made: Survey) -> Iterator[Finding]:
    seen: dict[str, PurePosixPath] = {}
    for run in made.runs:
        first = seen.setdefault(run.run, run.path)
        if first != run.path:
            yield made.found(run.path, f"has the same id as {first}.", at="run")
