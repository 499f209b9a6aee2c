"""A scratch copy of the database, in which what came from outside is tried; the checkout itself is never changed."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from argusic.database.database import Database
from argusic.database.paths import DATA_FOLDERS
from argusic.evidence.store import FolderStore
from argusic.runs.jobs.files import STORE


class Overlay:
    """A copy of the database with an evidence store and a cache of its own.

    Args:
        database: The database.
        scratch: A folder of ours, empty, for as long as the copy is needed.
    """

    def __init__(self, database: Database, scratch: Path) -> None:
        self.root = scratch / "referee"
        self.root.mkdir()
        for folder in DATA_FOLDERS:
            if (database.root / folder).is_dir():
                shutil.copytree(database.root / folder, self.root / folder, symlinks=True, copy_function=_same)
        self.database = Database(self.root, cache_folder=scratch / "cache")
        self.database.store_folder = scratch / "store"
        self.store = FolderStore(self.database.store_folder)

    def place(self, source: Path) -> list[str]:
        """Move proven files into the copy, those of `store/` into its evidence store. What is there stays.

        Args:
            source: A folder laid out as a hand-over.

        Returns:
            The paths of the files that were not there yet, as they are in a hand-over; sorted.
        """
        placed = []
        for path in sorted(source.rglob("*")):
            if path.is_dir():
                continue
            relative = path.relative_to(source)
            target = self.at(relative.as_posix())
            if target.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
            placed.append(relative.as_posix())
        return placed

    def at(self, path: str) -> Path:
        """Return where a file of a hand-over lies here."""
        return self.store.path(Path(path).name) if path.startswith(STORE) else self.root / path

    def take_back(self, placed: list[str]) -> None:
        """Remove files that were placed."""
        for path in placed:
            target = self.at(path)
            target.unlink()
            with suppress(OSError):
                for folder in target.parents:
                    folder.rmdir()


def _same(source: str, target: str) -> str:
    """Give a file a second name, where the two folders lie on one disk: nothing here changes a file in place."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
    return target
