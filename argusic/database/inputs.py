"""Which files feed the derivations of which cycle and kind, so that what has not changed is not derived again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from argusic.database.paths import RUN_FILE

#: The folders whose files feed derivations.
INPUT_FOLDERS = ("pool", "rules", "runs")
#: Those whose files feed the composite index, and nothing else.
INDEX_INPUT_FOLDERS = ("leaderboards/index/data", "leaderboards/index/rankings", "leaderboards/index/references")

#: A cycle and a kind that a file feeds; None stands for every one.
Feeds = tuple[str | None, str | None]


def feeds(path: str) -> Feeds | None:
    """Return the cycle and kind whose derivations the file at `path` feeds; None where it feeds none.

    Of a run's folder only the run's record is read by derivations.
    """
    if path.count("/") == 7:  # Nearly every path is in a run's folder, and tens of thousands are asked about.
        _, cycle, kind, _ = path.split("/", 3)
        return (cycle, kind) if is_run(path) else None
    match path.split("/"):
        case ["pool", "cycles", name]:
            return (name.removesuffix(".yaml"), None)
        case ["pool", "subjects", kind, *_]:
            return (None, kind)
        case ["pool", "agents", _] | ["rules", "editions" | "kinds", _]:
            return (None, None)
        case ["runs", cycle, "close.yaml"] | ["runs", cycle, "invalidations" | "disputes", _]:
            return (cycle, None)
        case ["runs", cycle, "screenings", "claims", _]:
            return (cycle, None)
        case ["runs", cycle, "screenings", kind, _]:
            return (cycle, kind)
    return None


def is_run(path: str) -> bool:
    """Return whether `path` is that of a run's record."""
    return path.endswith(f"/{RUN_FILE}") and path.startswith("runs/") and path.count("/") == 7


def digests(blobs: Mapping[str, str], groups: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return one digest of all inputs for each cycle and kind of `groups`.

    Args:
        blobs: The blob id of every file below the input folders, sorted by path.
        groups: The cycles and kinds wanted.
    """
    parts: dict[Feeds, hashlib._Hash] = {}
    for path, blob in blobs.items():
        fed = feeds(path)
        if fed is not None:
            part = parts.get(fed)
            if part is None:
                part = parts[fed] = hashlib.sha256()
            part.update(f"{path}\0{blob}\n".encode("utf-8", "surrogateescape"))
    made = {}
    for cycle, kind in groups:
        whole = hashlib.sha256()
        for fed in ((None, None), (cycle, None), (None, kind), (cycle, kind)):
            whole.update(parts[fed].digest() if fed in parts else b"-")
        made[cycle, kind] = whole.hexdigest()
    return made
