"""A published package: a name in an ecosystem, pinned by version and the digest of one file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from argusic.records.base import Part, Sha256

KIND = "package"

_Name = Annotated[str, StringConstraints(pattern=r"^(@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=214)]
_Version = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_-]*$", max_length=100)]
_File = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_-]*$", max_length=255)]


class Source(Part):
    """Which package."""

    kind: Literal["package"] = "package"
    """Which source model this is."""
    ecosystem: Literal["pypi"]
    """Where it is published: the Python Package Index."""
    name: _Name
    """The name that its client installs it by."""


class Pin(Part):
    """Which published file of it."""

    kind: Literal["package"] = "package"
    """Which pin model this is."""
    version: _Version
    """The published version."""
    file: _File
    """The published file that was pinned: a wheel or a source distribution."""
    sha256: Sha256
    """The digest of that file."""
