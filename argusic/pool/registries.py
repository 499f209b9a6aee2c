"""The registries that packages come from: what each is called, how a user writes a package of it, and its client."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from argusic.pool import npm, pip
from argusic.pool.fetching import Published
from argusic.records.sources.package import Ecosystem
from argusic.sandbox.protocol import Sandbox

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_NODE_NAME = r"(?:@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*"
_VERSION = r"[A-Za-z0-9][A-Za-z0-9.!+_-]*"


class Client(Protocol):
    """What fetches published files, inside a sandbox."""

    def newest(self, sandbox: Sandbox, name: str, version: str | None) -> Published:
        """Fetch the file that the client picks for a package, at a version where one is given.

        Raises:
            InputError: There is no such package or version.
            SubjectUnavailable: The registry could not be reached.
        """

    def exact(self, sandbox: Sandbox, name: str, version: str, file: str, sha256: str) -> bytes:
        """Fetch one published file.

        Raises:
            PinMismatch: What is published is another file.
            SubjectUnavailable: It is not there, or the registry could not be reached.
        """

    def same_name(self, one: str, other: str) -> bool:
        """Return whether two names are of the same package."""


@dataclass(frozen=True)
class Registry:
    """One registry.

    Attributes:
        ecosystem: Its id in records.
        called: What sentences call it.
        written: How a user writes a package of it, the shortest first.
        target: What matches that: the name, and the version where there is one.
        client: Its client.
        readme: Where the README of one of its packages is.
    """

    ecosystem: Ecosystem
    called: str
    written: tuple[str, ...]
    target: re.Pattern[str]
    client: Client
    readme: str


class Wanted(NamedTuple):
    """A package as a user named it."""

    registry: Registry
    name: str
    version: str | None


#: Every registry, by its id.
REGISTRIES: dict[Ecosystem, Registry] = {
    "pypi": Registry(
        "pypi",
        "the Python Package Index",
        ("NAME", "NAME==VERSION"),
        re.compile(rf"(?:pypi:)?(?P<name>{_NAME})(?:==(?P<version>{_VERSION}))?"),
        pip,
        "The README is in the metadata of the file.",
    ),
    "npm": Registry(
        "npm",
        "the registry of npm",
        ("npm:NAME", "npm:NAME@VERSION"),
        re.compile(rf"npm:(?P<name>{_NODE_NAME})(?:@(?P<version>{_VERSION}))?"),
        npm,
        "The README is in the file.",
    ),
}


def wanted(target: str) -> Wanted | None:
    """Return which package a user means; None where `target` names none."""
    for registry in REGISTRIES.values():
        match = registry.target.fullmatch(target)
        if match:
            return Wanted(registry, match["name"], match["version"])
    return None
