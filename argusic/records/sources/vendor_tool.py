"""A vendor tool: the build that its own vendor publishes, pinned by version and the digest of one file."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, StringConstraints, model_validator

from argusic.records.base import Part, Sha256
from argusic.records.sources.package import Integrity

KIND = "vendor-tool"

#: Where the vendor publishes it: a package registry, a release of Debian, or an address of the vendor's own.
Channel = Literal["pypi", "npm", "debian", "url"]
#: The name of a tool, as its channel has it.
ToolName = Annotated[
    str, StringConstraints(pattern=r"^(@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9.+_-]*$", max_length=214)
]
#: A version as its channel writes it; Debian's may have an epoch and tildes.
ToolVersion = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_~:-]*$", max_length=100)]
#: The name of a published file, safe as a name on disk.
ToolFile = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_~-]*$", max_length=255)]
#: A release of Debian, by its code name or by what it is now: `trixie`, `stable`.
Suite = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
#: A processor architecture as Debian calls it.
Architecture = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$", max_length=30)]

_LOOPBACK: Final = frozenset(["127.0.0.1", "localhost", "::1"])


def _check_address(value: str) -> str:
    if not re.fullmatch(r"https?://[!-~]+", value) or "#" in value:
        raise ValueError("must be an address that begins with https://, without spaces and without #")
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"is no address: {error}") from None
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not carry a name or a password")
    if not parts.hostname or (parts.scheme == "http" and parts.hostname not in _LOOPBACK):
        raise ValueError("must begin with https://; plain http is for this machine's own loopback alone")
    return value


def site_of(url: str) -> str:
    """Return the site that an address is of, as a source states it: `https://HOST`, with the port where it has one."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _check_site(value: str) -> str:
    if _check_address(value) != site_of(value):
        raise ValueError("must be a site alone, such as https://example.org")
    return value


#: The address of a file.
Address = Annotated[str, StringConstraints(max_length=2000), AfterValidator(_check_address)]
#: A site, without a path.
Site = Annotated[str, StringConstraints(max_length=300), AfterValidator(_check_site)]


class Source(Part):
    """Which tool, and where its vendor publishes it."""

    kind: Literal["vendor-tool"] = "vendor-tool"
    """Which source model this is."""
    channel: Channel
    """Where the vendor publishes it."""
    name: ToolName
    """Its name there."""
    suite: Suite | None = None
    """The release of Debian that has it; for the channel `debian` alone."""
    site: Site | None = None
    """The vendor's site, which every build comes from; for the channel `url` alone."""

    @model_validator(mode="after")
    def _of_its_channel(self) -> Self:
        for field, value, channel in (("suite", self.suite, "debian"), ("site", self.site, "url")):
            if (value is None) == (self.channel == channel):
                raise ValueError(f"{field} is given exactly for the channel {channel}")
        return self


class Pin(Part):
    """Which build of it: one published file."""

    kind: Literal["vendor-tool"] = "vendor-tool"
    """Which pin model this is."""
    version: ToolVersion | None = None
    """The published version; none for a file at an address, which its digest alone tells from others."""
    file: ToolFile
    """The published file."""
    sha256: Sha256
    """The digest of that file."""
    integrity: Integrity | None = None
    """The SHA-512 that npm's registry keeps of it; for the channel `npm` alone."""
    architecture: Architecture | None = None
    """The processor architecture that it is built for; for the channel `debian` alone."""
    url: Address | None = None
    """Where it lies on the vendor's site; for the channel `url` alone."""
