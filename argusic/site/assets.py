"""The files that pages load: our own style and scripts, and the player that an installed package ships."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from jinja2 import Environment

_OWN = ("argusic.css", "argusic.js", "viewer.css", "player.js", "scheme.js", "trace.css", "trace.js")
_PLAYER = ("asciinema-player.min.js", "asciinema-player.css")


def write_assets(folder: Path, templates: Environment) -> None:
    """Lay the assets out under `folder`, the top of the site's sources. Nothing is fetched from anywhere."""
    own, player = folder / "assets" / "argusic", folder / "assets" / "player"
    own.mkdir(parents=True)
    player.mkdir(parents=True)
    for name in _OWN:
        with as_file(files("argusic.site") / "assets" / name) as path:
            shutil.copyfile(path, own / name)
    for name in _PLAYER:
        with as_file(files("mkdocs_asciinema_player") / "assets" / name) as path:
            shutil.copyfile(path, player / name)
    (own / "mark.svg").write_text(templates.get_template("mark.svg.j2").render(), encoding="utf-8")
