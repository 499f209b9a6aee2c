"""Where the index's data lies in a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Final

#: The tables and the files of results that the repository holds.
DATA: Final = "leaderboards/index/data"
#: The user's own files of results, which git does not take.
OWN: Final = ".argusic/index/results"


def data_folder(top: Path) -> Path:
    """Return the folder of the index's data, from the repository's top folder."""
    return top / DATA


def own_folder(top: Path) -> Path:
    """Return the folder of the user's own files of results."""
    return top / OWN
