"""The files that the pages of the index load: their own style, and the scripts without which they read the same."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

#: Where they lie below the top of the site.
FOLDER: Final = "assets/argusic/index"
_FILES: Final = ("index.css", "plain.css", "scheme.js", "leaderboard.js", "curves.js", "refit.js", "drop.js")


def write_index_assets(docs: Path) -> None:
    """Lay them out under `docs`, the top of the site's sources."""
    folder = docs / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        with as_file(files("argusic.site") / "assets" / "index" / name) as path:
            shutil.copyfile(path, folder / name)
