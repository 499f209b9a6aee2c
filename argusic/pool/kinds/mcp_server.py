"""The kind `mcp-server`: a published server that a client connects to, pinned as the package that it is.

How a package is looked up, proved and laid out is `argusic.pool.packages`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast, get_args

from argusic.errors import InputError
from argusic.pool.files import PAUSES
from argusic.pool.kinds.protocol import Resolved, Workshop
from argusic.pool.packages import lay_file, look_up, pinned_package
from argusic.pool.registries import REGISTRIES, Wanted, wanted
from argusic.records.base import Part
from argusic.records.sources.mcp_server import Pin, Source, Transport
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER

#: The official client that every server is tried with, as pip installs it.
CLIENT = "mcp==2.3.0"
#: What each transport is called in sentences.
CALLED: Mapping[Transport, str] = {
    "stdio": "stdio, as a process that the client starts",
    "sse": "HTTP with server-sent events (sse)",
    "streamable-http": "streamable HTTP (streamable-http)",
}
_TARGET = re.compile(rf"mcp(?:\+(?P<transport>{'|'.join(get_args(Transport))}))?:(?P<package>.+)")


class _Asked(NamedTuple):
    """A server as a user named it."""

    package: Wanted
    transport: Transport


class McpServerKind:
    """MCP servers. The registry is reached by its own client, inside a sandbox, and by nothing else.

    Args:
        pauses: How long to wait before each further try when the registry cannot be reached, in seconds.
    """

    kind = "mcp-server"
    written = (
        *(f"mcp:{form}" for registry in REGISTRIES.values() for form in registry.written),
        "mcp+streamable-http:NAME",
    )

    def __init__(self, pauses: tuple[float, ...] = PAUSES) -> None:
        self._pauses = pauses

    def recognises(self, target: str) -> bool:
        """Return whether `target` reads as a package of one of the registries that is named as a server."""
        return _asked(target) is not None

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look a server up and pin the file that its client picks here. That file is in the cache afterwards.

        Raises:
            InputError: There is no such package or version, or its file cannot be read.
            SubjectUnavailable: The registry could not be reached.
        """
        asked = _asked(target)
        if asked is None:
            raise InputError(f"{target!r} is no server's name.", advice=f"Write {', '.join(self.written)}.")
        found = look_up(asked.package, workshop, self._pauses)
        pin = Pin(version=found.version, file=found.file, sha256=found.sha256, integrity=found.integrity)
        return found.resolved(Source(ecosystem=found.ecosystem, name=found.name, transport=asked.transport), pin)

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the pinned file in the cache, fetching it first where it is not there. Its digest is proved.

        Raises:
            PinMismatch: What is published has another digest. Nothing is kept.
            SubjectUnavailable: The registry could not be reached.
        """
        source = cast(Source, subject.source)
        return pinned_package(source.ecosystem, source.name, cast(Pin, pin), workshop, self._pauses)

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the pinned file into `folder`.

        Raises:
            PinMismatch: The copy is not what was pinned.
        """
        lay_file(cast(Pin, pin), cached, folder)

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return none: its documentation is followed on a plain machine."""
        return {}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of a server."""
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        registry = REGISTRIES[source.ecosystem]
        return (
            f"The subject is {source.name} {pinned.version}, an MCP server published on {registry.called}.\n"
            f"Its pinned file is {SUBJECT_FOLDER}/{pinned.file}. Install exactly this file or this version; what it\n"
            f"depends on comes from the registry, through the ordinary client. {registry.readme}\n"
            f"Start it as its README says, and reach it over {CALLED[source.transport]}.\n"
            f"Connect to it with the official client, {CLIENT} of the Python Package Index, from an environment of\n"
            "the client's own.\n"
            "It runs when that client is shown the tools that it advertises and gets answers from them. Call what its\n"
            "documentation advertises, and compare each answer with the schema that the tool declares and with what\n"
            "went in. A tool that needs what this machine lacks, such as an account, may stay unanswered: say which.\n"
            "Print the names and versions of what was installed beside it, without addresses, by a command of its own\n"
            "(`pip list --format=freeze`, `npm ls --all`): what a server depends on decides what comes of it.\n"
        )


def _asked(target: str) -> _Asked | None:
    """Return which server a user means; None where `target` names none."""
    match = _TARGET.fullmatch(target)
    package = wanted(match["package"]) if match else None
    if match is None or package is None:
        return None
    return _Asked(package, cast(Transport, match["transport"] or "stdio"))


KIND = McpServerKind()
