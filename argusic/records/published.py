"""A published archive that a subject is made from, where the place that it usually comes from is not reachable."""

from __future__ import annotations

from argusic.records.base import Part, Sha256
from argusic.records.sources.package import Ecosystem, FileName, PackageName, Version


class PublishedSource(Part):
    """A published archive that files are made from, reproducibly: one commit, fixed names and dates."""

    ecosystem: Ecosystem
    """Where it is published."""
    name: PackageName
    """The package's name."""
    version: Version
    """Its version."""
    file: FileName
    """The archive's file name."""
    sha256: Sha256
    """Its digest."""
