"""A published package: a name in an ecosystem, pinned by version and the digest of one file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from argusic.records.base import Part, Sha256

KIND = "package"

#: The name of a package.
PackageName = Annotated[
    str, StringConstraints(pattern=r"^(@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=214)
]
#: A version as its ecosystem writes it.
Version = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_-]*$", max_length=100)]
#: The name of a published file, safe as a name on disk.
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_-]*$", max_length=255)]


class Source(Part):
    """Which package."""

    kind: Literal["package"] = "package"
    """Which source model this is."""
    ecosystem: Literal["pypi"]
    """Where it is published: the Python Package Index."""
    name: PackageName
    """The name that its client installs it by."""


class Pin(Part):
    """Which published file of it."""

    kind: Literal["package"] = "package"
    """Which pin model this is."""
    version: Version
    """The published version."""
    file: FileName
    """The published file that was pinned: a wheel or a source distribution."""
    sha256: Sha256
    """The digest of that file."""
