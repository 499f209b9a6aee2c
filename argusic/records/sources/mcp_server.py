"""An MCP server: a published package that serves tools to a client, pinned by version and the digest of one file."""

from __future__ import annotations

from typing import Literal

from argusic.records.base import Part, Sha256
from argusic.records.sources.package import Ecosystem, FileName, Integrity, PackageName, Version

KIND = "mcp-server"

#: How a client and a server speak: over the pipes of a process, or over HTTP in one of two ways.
Transport = Literal["stdio", "sse", "streamable-http"]


class Source(Part):
    """Which server, and over which of the transports that it documents it is to be reached."""

    kind: Literal["mcp-server"] = "mcp-server"
    """Which source model this is."""
    ecosystem: Ecosystem
    """Where it is published."""
    name: PackageName
    """The name that its client installs it by."""
    transport: Transport = "stdio"
    """How it is reached."""


class Pin(Part):
    """Which published file of it."""

    kind: Literal["mcp-server"] = "mcp-server"
    """Which pin model this is."""
    version: Version
    """The published version."""
    file: FileName
    """The published file: a wheel, a source distribution, or the archive that npm keeps."""
    sha256: Sha256
    """The digest of that file."""
    integrity: Integrity | None = None
    """The SHA-512 that npm's registry keeps of that file; none for files of other registries."""
