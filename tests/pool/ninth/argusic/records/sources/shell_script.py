"""A shell script: a file of a folder of scripts, pinned by its digest."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from argusic.records.base import Part, Sha256

KIND = "shell-script"


class Source(Part):
    """Which script."""

    kind: Literal["shell-script"] = "shell-script"
    """Which source model this is."""
    name: Annotated[str, StringConstraints(pattern=r"^[a-z]+$", max_length=40)]
    """Its name, without the ending."""


class Pin(Part):
    """Which content of it."""

    kind: Literal["shell-script"] = "shell-script"
    """Which pin model this is."""
    sha256: Sha256
    """The digest of the file."""
