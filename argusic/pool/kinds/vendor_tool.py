"""The kind `vendor-tool`: the build that a tool's own vendor publishes, pinned by one file and its digest.

Registries, Debian and plain addresses each have their own client (`argusic.pool`); what is the same for all of them is
here: how a user writes such a tool, what its pin must hold, and that the vendor's own instructions are what counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool import debian, downloads
from argusic.pool.archives import ArchiveUnusable, members
from argusic.pool.files import PAUSES
from argusic.pool.kinds.protocol import PinMismatch, Resolved, Workshop
from argusic.pool.packages import lay_file, look_up, pinned_package
from argusic.pool.registries import REGISTRIES, Wanted, wanted
from argusic.records.base import Part
from argusic.records.sources import package
from argusic.records.sources.vendor_tool import Pin, Source, site_of
from argusic.records.subject import Subject
from argusic.sandbox.environment.mirror import Mirror, find_mirror
from argusic.sandbox.protocol import SUBJECT_FOLDER

_PREFIX = "tool:"
_DEBIAN = re.compile(
    r"deb:(?P<name>[a-z0-9][a-z0-9.+-]*)(?:/(?P<suite>[a-z][a-z0-9-]*))?(?:=(?P<version>[A-Za-z0-9][A-Za-z0-9.+~:-]*))?"
)
_ADDRESS = re.compile(r"https?://\S+")
_VERSION_IN_NAME = re.compile(r"[-_]v?\d.*$|\.(tar\.\w+|tgz|txz|zip|deb|AppImage)$", re.IGNORECASE)


class VendorToolKind:
    """Tools as their vendors publish them.

    Args:
        pauses: How long to wait before each further try when a place cannot be reached, in seconds.
        mirror: Finds the mirror of Debian.
        bounds: What a file at an address may take.
    """

    kind = "vendor-tool"
    written = (
        *(f"{_PREFIX}{form}" for registry in REGISTRIES.values() for form in registry.written),
        f"{_PREFIX}deb:NAME",
        f"{_PREFIX}deb:NAME/SUITE=VERSION",
        f"{_PREFIX}https://HOST/FILE",
    )

    def __init__(
        self,
        pauses: tuple[float, ...] = PAUSES,
        mirror: Callable[[], Mirror] = find_mirror,
        bounds: downloads.Bounds = downloads.BOUNDS,
    ) -> None:
        self._pauses = pauses
        self._mirror = mirror
        self._bounds = bounds

    def recognises(self, target: str) -> bool:
        """Return whether `target` is written as a vendor's tool: `tool:`, and where it is published."""
        rest = target.removeprefix(_PREFIX)
        return rest != target and bool(_DEBIAN.fullmatch(rest) or _ADDRESS.fullmatch(rest) or wanted(rest))

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a tool up where its vendor publishes it, and pin the newest build, or the one that is named.

        Raises:
            InputError: There is no such thing.
            SubjectUnavailable: It could not be reached.
            EnvironmentLack: It is Debian's, and this machine has no apt or knows no mirror.
        """
        rest = target.removeprefix(_PREFIX)
        of_debian = _DEBIAN.fullmatch(rest)
        if of_debian:
            return self._of_debian(of_debian, workshop)
        if _ADDRESS.fullmatch(rest):
            return self._at_an_address(rest, workshop)
        asked = wanted(rest)
        if asked is None:
            raise InputError(f"{target!r} is no vendor's tool.", advice=f"Write {', '.join(self.written)}.")
        return self._of_a_registry(asked, workshop)

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the pinned file in the cache, fetching it first where it is not there. Its digest is proved.

        Raises:
            PinMismatch: What is published is another file, or the pin lacks what its channel needs. Nothing is kept.
            SubjectUnavailable: It could not be reached, or is published no longer.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        if source.channel == "debian":
            version, architecture = _held(source, pinned.version), _held(source, pinned.architecture)
            suite = _held(source, source.suite)
            what = (source.name, version, architecture, suite, pinned.file, pinned.sha256)
            return debian.pinned(*what, workshop, mirror=self._mirror, pauses=self._pauses)
        if source.channel == "url":
            url = _held(source, pinned.url)
            if site_of(url) != source.site:
                raise PinMismatch(f"{url} is not on {source.site}, where {source.name} is published")
            return downloads.pinned(url, pinned.file, pinned.sha256, workshop, self._bounds, self._pauses)
        return pinned_package(source.channel, source.name, _as_package(source, pinned), workshop, self._pauses)

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the pinned file into `folder`.

        Raises:
            PinMismatch: The copy is not what was pinned.
        """
        lay_file(cast(Pin, pin), cached, folder)

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return none: the vendor's instructions are followed on a plain machine."""
        return {}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a vendor's tool."""
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        file = f"{SUBJECT_FOLDER}/{pinned.file}"
        called = " ".join(filter(None, (source.name, pinned.version)))
        where, how = _words(source, pinned)
        return (
            f"The subject is {called}, a tool that its vendor publishes {where}.\n"
            f"Its pinned file is {file}. Install exactly this build, by the vendor's own instructions and nothing\n"
            f"else: no other build of it, and no repackaging of somebody else's.\n"
            f"{how}\n"
            "It runs when this build is installed and launched by those instructions and does what they say it does.\n"
        )

    def _of_a_registry(self, asked: Wanted, workshop: Workshop) -> Resolved:
        found = look_up(asked, workshop, self._pauses)
        pin = Pin(version=found.version, file=found.file, sha256=found.sha256, integrity=found.integrity)
        return found.resolved(Source(channel=found.ecosystem, name=found.name), pin)

    def _of_debian(self, asked: re.Match[str], workshop: Workshop) -> Resolved:
        name, suite = asked["name"], asked["suite"] or debian.SUITE
        found = debian.look_up(name, asked["version"], suite, workshop, mirror=self._mirror, pauses=self._pauses)
        return Resolved(
            name=name,
            source=Source(channel="debian", name=name, suite=suite),
            pin=Pin(version=found.version, file=found.file, sha256=found.sha256, architecture=found.architecture),
            summary=found.summary,
            readme=found.documented,
        )

    def _at_an_address(self, url: str, workshop: Workshop) -> Resolved:
        name = downloads.file_name(url)
        if name is None:
            raise InputError(
                f"The address {url} ends with no file's name.",
                advice="Give the address of the archive or program itself.",
            )
        plain = _VERSION_IN_NAME.sub("", name) or name
        try:
            source = Source(channel="url", name=plain, site=site_of(url))
            pin = Pin(file=name, sha256="0" * 64, url=url)
        except (ValidationError, ValueError) as error:
            said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise InputError(f"{url!r} {said.removeprefix('Value error, ')}.") from error
        found = downloads.look_up(url, workshop, self._bounds, self._pauses)
        return Resolved(
            name=plain,
            source=source,
            pin=pin.model_copy(update={"sha256": found.sha256}),
            summary=None,
            readme=_has_readme(found.cached),
        )


def _held(source: Source, value: str | None) -> str:
    """Return what a pin must hold for its channel."""
    if value is None:
        raise PinMismatch(f"the pin of {source.name} lacks what a tool of the channel {source.channel} is pinned by")
    return value


def _as_package(source: Source, pinned: Pin) -> package.Pin:
    """Return the pin as one of a package of a registry."""
    try:
        return package.Pin(
            version=_held(source, pinned.version),
            file=pinned.file,
            sha256=pinned.sha256,
            integrity=pinned.integrity,
        )
    except ValidationError as error:
        raise PinMismatch(f"{pinned.file} is no file of a package of {source.channel}") from error


def _words(source: Source, pinned: Pin) -> tuple[str, str]:
    """Return where a tool is published, and how its instructions are found and followed here."""
    if source.channel == "debian":
        return (
            f"as a package of Debian {source.suite}",
            "Its instructions are in the package: a README under usr/share/doc, its manual pages. The system's own\n"
            "folders cannot be written to here, so unpack it with dpkg-deb into your home and run it from there.",
        )
    if source.channel == "url":
        return (
            f"at {pinned.url}",
            "Its instructions are in the file, or are what the tool itself prints when it is asked for help.",
        )
    registry = REGISTRIES[source.channel]
    return (
        f"on {registry.called}",
        f"{registry.readme} What it depends on comes from the registry, through the ordinary client.",
    )


def _has_readme(file: Path) -> bool | None:
    """Return whether an archive holds a README near its top; None where the file cannot be looked into."""
    try:
        return any(
            member.path.count("/") <= 2 and member.path.rpartition("/")[2].lower().startswith("readme")
            for member in members(file)
        )
    except ArchiveUnusable:
        return None


KIND = VendorToolKind()
