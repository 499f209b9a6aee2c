"""Scratch databases: a referee repository of one's own under `.argusic/`, for trying things without touching the pool.

A scratch database follows the same rules and agents as the checkout it was made from, and shares its cache of
fetched subjects.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from argusic.database.database import Database

#: What a scratch database takes over from its origin, besides the pool: `docs` are the guides of its site.
_TAKEN = ("rules", "pool/agents", "docs")


def make_scratch(origin: Database, folder: Path, *, pool: bool) -> Database:
    """Make an empty database at `folder`, which must not exist yet, or be empty.

    Args:
        origin: The database whose rules and agents it follows.
        folder: Where to make it.
        pool: Whether to take the subjects and cycles too.
    """
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for name in (*_TAKEN, *(("pool/subjects", "pool/cycles") if pool else ())):
        source = origin.root / name
        if source.is_dir():
            shutil.copytree(source, unfinished / name, symlinks=True)
    for name in ("pool/subjects", "pool/cycles", "runs", "leaderboards"):
        (unfinished / name).mkdir(parents=True, exist_ok=True)
    unfinished.rename(folder)
    return Database(folder, cache_folder=origin.cache_folder)
