"""What was collected as a folder that the next jobs read: laid out as a hand-over, and there whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path
from typing import Final

from argusic.database.atomic import publish_folder
from argusic.errors import InputError, Place
from argusic.github.ladder.overlay import Overlay
from argusic.records.handing_over import Collected, Digests
from argusic.runs.jobs.files import as_json

#: The names of the two lists in it: of what was collected, and of what a signer signs.
COLLECTED_NAME: Final = "collected.json"
DIGESTS_NAME: Final = "digests.json"


def must_be_new(target: Path) -> None:
    """Refuse to collect into a folder that is there.

    Raises:
        InputError: Something is.
    """
    if target.is_symlink() or target.exists():
        raise InputError("is there already; what is collected goes into a new folder.", place=Place(target))


def write_collected(target: Path, overlay: Overlay, collected: Collected, digests: Digests) -> None:
    """Write what was collected.

    Args:
        target: The folder, which is not there yet.
        overlay: Where the files lie.
        collected: What they are.
        digests: What a signer signs.

    Raises:
        InputError: It is there.
    """
    must_be_new(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    made = target.parent / f".argusic-collecting-{secrets.token_hex(8)}"
    made.mkdir()
    try:
        for file in collected.files:
            path = made / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(overlay.at(file.path), path)
        (made / COLLECTED_NAME).write_bytes(as_json(collected))
        (made / DIGESTS_NAME).write_bytes(as_json(digests))
        publish_folder(made, target)
    finally:
        shutil.rmtree(made, ignore_errors=True)
