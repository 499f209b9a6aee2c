"""How pinned files of a model are laid out for whoever runs its card's snippet: as the cache of the hub's own client.

That client, and every library on top of it, finds a model there by its name, offline, without a line of the snippet
being changed. What it finds are copies without links: nothing leads out of the folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from argusic.pool.hub.snapshots import lay_files
from argusic.records.hub import HubFile

#: The folder of the cache, in what is handed in.
CACHE = "hub"
#: The name of the snapshot where no revision of a hub is known. It must not look like one.
AS_PUBLISHED = "as-published"


def lay_cache(cached: Path, files: Sequence[HubFile], name: str, revision: str | None, folder: Path) -> Path:
    """Lay a model out in `folder` as a cache that knows one revision of it, its newest. Return where its files are.

    Raises:
        PinMismatch: A file is not what was pinned.
    """
    model = folder / CACHE / f"models--{name.replace('/', '--')}"
    called = revision or AS_PUBLISHED
    snapshot = model / "snapshots" / called
    snapshot.mkdir(parents=True)
    lay_files(cached, files, snapshot)
    (model / "refs").mkdir()
    # Libraries ask once what `main` is, and for each file at that from then on. Where that is no full id of a revision,
    # the client takes it for a branch: without one of that name, files that are there count as missing, in silence.
    for branch in {"main", called} if revision is None else {"main"}:
        (model / "refs" / branch).write_text(called, encoding="ascii")
    return snapshot
