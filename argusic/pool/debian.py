"""Packages of Debian as files: looked up and fetched by apt itself, over the mirror that this machine's apt knows.

Apt runs under a configuration of its own and checks Debian's signature of what it is told. It fetches files and runs
nothing of them, so it needs no sandbox. No mirror is named here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cmp_to_key
from pathlib import Path
from typing import NamedTuple

from argusic.errors import EnvironmentLack, InputError
from argusic.pool.cache import Shelf
from argusic.pool.fetching import MAX_FILE_BYTES
from argusic.pool.files import PAUSES, digest_of, keep, patiently
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable, Workshop
from argusic.sandbox.environment.apt import Apt, Offered
from argusic.sandbox.environment.mirror import Mirror, find_mirror
from argusic.sandbox.environment.programs import need, run

#: The release that is meant where none is named.
SUITE = "stable"
_QUESTION_SECONDS = 60.0


class FoundDeb(NamedTuple):
    """A package of Debian that was looked up."""

    version: str
    """Its version."""
    architecture: str
    """The architecture that it is built for."""
    file: str
    """Its file's name."""
    sha256: str
    """Its file's digest."""
    summary: str | None
    """The first line of its description."""
    documented: bool
    """Whether it brings documentation: a README or a manual page."""


def look_up(
    name: str,
    version: str | None,
    suite: str,
    workshop: Workshop,
    *,
    mirror: Callable[[], Mirror] = find_mirror,
    pauses: tuple[float, ...] = PAUSES,
) -> FoundDeb:
    """Look a package up in a release. The file of that version, or of the newest, is in the cache afterwards.

    Raises:
        InputError: The release has no such package or version.
        SubjectUnavailable: The mirror could not be reached.
        EnvironmentLack: This machine has no apt, or knows no mirror.
    """
    workshop.progress(f"looking up {name} in Debian {suite}")
    architecture = _own_architecture()

    def attempt() -> FoundDeb:
        with _updated(suite, architecture, mirror) as apt:
            offered = [one for one in apt.offered({name}).values() if version in (None, one.version)]
            if not offered:
                what = f"no package called {name}" if version is None else f"no {name} {version}"
                raise InputError(f"Debian {suite} has {what} for {architecture}.")
            newest = max(offered, key=cmp_to_key(_compare))
            file = _file_name(newest, architecture)
            try:
                cached = _kept(apt, newest, file, workshop)
            except PinMismatch as error:
                raise InputError(f"{name} {newest.version} cannot be tested: {error}.") from error
        said = run(["dpkg-deb", "--field", str(cached), "Description"], seconds=_QUESTION_SECONDS)
        listed = run(["dpkg-deb", "--contents", str(cached)], seconds=_QUESTION_SECONDS)
        documented = any("/share/man/" in line or "readme" in line.lower() for line in listed.splitlines())
        summary = said.partition("\n")[0].strip() or None
        return FoundDeb(newest.version, architecture, file, newest.sha256, summary, documented)

    return patiently(attempt, pauses)


def pinned(
    name: str,
    version: str,
    architecture: str,
    suite: str,
    file: str,
    sha256: str,
    workshop: Workshop,
    *,
    mirror: Callable[[], Mirror] = find_mirror,
    pauses: tuple[float, ...] = PAUSES,
) -> Path:
    """Return a pinned package's file from the cache, fetching it first where it is not there or is damaged.

    Raises:
        PinMismatch: The release has another file under that version. Nothing is kept.
        SubjectUnavailable: The release no longer has that version, or the mirror could not be reached.
        EnvironmentLack: This machine has no apt, or knows no mirror.
    """
    cached = Shelf(workshop.cache, "packages").entry(sha256) / file
    if digest_of(cached) == sha256:
        return cached

    def attempt() -> Path:
        with _updated(suite, architecture, mirror) as apt:
            offered = apt.offered({name}).get((name, version))
            if offered is None:
                raise SubjectUnavailable(f"Debian {suite} no longer has {name} {version} for {architecture}")
            if offered.sha256 != sha256:
                raise PinMismatch(f"{name} {version} has sha256 {offered.sha256}, but {sha256} was pinned")
            return _kept(apt, offered, file, workshop)

    workshop.progress(f"fetching {file}")
    return patiently(attempt, pauses)


@contextmanager
def _updated(suite: str, architecture: str, mirror: Callable[[], Mirror]) -> Iterator[Apt]:
    """Give an apt with the lists of a release."""
    need("apt-get")
    found = mirror()
    with tempfile.TemporaryDirectory(prefix="argusic-apt-") as folder:
        apt = Apt(Path(folder), found, suite, architecture)
        try:
            apt.update()
        except EnvironmentLack as error:
            raise SubjectUnavailable(f"the lists of Debian {suite} could not be fetched") from error
        yield apt


def _kept(apt: Apt, offered: Offered, file: str, workshop: Workshop) -> Path:
    """Return the cached file of an offered package, fetching it where it is not there."""
    shelf = Shelf(workshop.cache, "packages")
    cached = shelf.entry(offered.sha256) / file
    with shelf.locked(offered.sha256):
        if digest_of(cached) == offered.sha256:
            return cached
        with tempfile.TemporaryDirectory(prefix="argusic-deb-") as folder:
            try:
                apt.download([(offered.name, offered.version)], Path(folder))
            except EnvironmentLack as error:
                raise SubjectUnavailable(f"{file} could not be fetched from the mirror") from error
            arrived = [one for one in sorted(Path(folder).iterdir()) if digest_of(one) == offered.sha256]
            if not arrived:
                raise PinMismatch(f"the mirror sent another file than {file} with sha256 {offered.sha256}")
            if arrived[0].stat().st_size > MAX_FILE_BYTES:
                raise PinMismatch(f"{file} is larger than {MAX_FILE_BYTES} bytes, the most that is tested")
            keep(shelf, offered.sha256, file, arrived[0].read_bytes())
    return cached


def _own_architecture() -> str:
    return run(["dpkg", "--print-architecture"], seconds=_QUESTION_SECONDS).strip()


def _compare(one: Offered, other: Offered) -> int:
    """Say which of two versions is the newer, as dpkg does."""
    if one.version == other.version:
        return 0
    try:
        run(["dpkg", "--compare-versions", one.version, "gt", other.version], seconds=_QUESTION_SECONDS)
    except EnvironmentLack:
        return -1
    return 1


def _file_name(offered: Offered, architecture: str) -> str:
    """Return the name that a package's file has in the archive, where no epoch is in it."""
    return f"{offered.name}_{offered.version.rpartition(':')[2]}_{architecture}.deb"
