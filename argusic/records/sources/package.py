"""A published package: a name in an ecosystem, pinned by version and the digest of one file."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints

from argusic.records.base import Part, Sha256

KIND = "package"

#: Where packages are published: the Python Package Index, and the registry of npm.
Ecosystem = Literal["pypi", "npm"]
#: The name of a package.
PackageName = Annotated[
    str, StringConstraints(pattern=r"^(@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=214)
]
#: A version as its ecosystem writes it.
Version = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_-]*$", max_length=100)]
#: The name of a published file, safe as a name on disk.
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_-]*$", max_length=255)]


def _check_integrity(value: str) -> str:
    try:
        digest = base64.b64decode(value.removeprefix("sha512-"), validate=True)
    except binascii.Error:
        digest = b""
    if not value.startswith("sha512-") or len(digest) != 64:
        raise ValueError("must be sha512- and the digest in base64, as npm writes it")
    return value


#: The SHA-512 of a file as npm writes it.
Integrity = Annotated[str, AfterValidator(_check_integrity)]


class Source(Part):
    """Which package."""

    kind: Literal["package"] = "package"
    """Which source model this is."""
    ecosystem: Ecosystem
    """Where it is published."""
    name: PackageName
    """The name that its client installs it by."""


class Pin(Part):
    """Which published file of it."""

    kind: Literal["package"] = "package"
    """Which pin model this is."""
    version: Version
    """The published version."""
    file: FileName
    """The published file that was pinned: a wheel, a source distribution, or the archive that npm keeps."""
    sha256: Sha256
    """The digest of that file."""
    integrity: Integrity | None = None
    """The SHA-512 that npm's registry keeps of that file; none for files of other registries."""
