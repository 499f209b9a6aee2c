"""The kind `shell-script`: a script of the folder that SCRIPTS names, pinned by its digest."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from argusic.errors import InputError
from argusic.pool.kinds.protocol import PinMismatch, Resolved, Workshop
from argusic.records.base import Part
from argusic.records.sources import source_models
from argusic.records.subject import Subject


class ShellScriptKind:
    """Scripts of a folder."""

    kind = "shell-script"
    written = ("script:NAME",)

    def recognises(self, target: str) -> bool:
        """Return whether `target` is written as a script."""
        return target.startswith("script:") and target[7:].isalpha()

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a script up."""
        models = source_models()[self.kind]
        source = models.source.model_validate({"name": target.removeprefix("script:")})
        file = _file(source, workshop)
        if not file.is_file():
            raise InputError(f"There is no script {file.name}.")
        text = file.read_text()
        return Resolved(
            name=file.name,
            source=source,
            pin=models.pin.model_validate({"sha256": hashlib.sha256(text.encode()).hexdigest()}),
            summary="Greets whoever is named",
            languages=("Shell",),
            readme="# " in text,
        )

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the script, if it is what was pinned."""
        file = _file(subject.source, workshop)
        found = hashlib.sha256(file.read_bytes()).hexdigest()
        if found != cast(str, getattr(pin, "sha256", None)):
            raise PinMismatch(f"{file.name} has another digest than was pinned")
        return file

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the script into `folder`."""
        shutil.copyfile(cached, folder / cached.name)

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return whom it greets."""
        return {"GREETED": "albatross"}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a script."""
        return f"The subject is the script {subject.name}. It runs when it greets whom it is told to greet.\n"


def _file(source: Part, workshop: Workshop) -> Path:
    return Path(workshop.environment["SCRIPTS"]) / f"{cast(str, getattr(source, 'name', None))}.sh"


KIND = ShellScriptKind()
