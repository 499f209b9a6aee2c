"""Python environments beside the tests' own, for packages that they must not share one with: made once, then kept."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / ".argusic" / "environments"


@dataclass(frozen=True)
class OwnEnvironment:
    """An environment.

    Attributes:
        name: Its name.
        packages: What is in it; what these would bring along only where it is named too.
        options: What pip is told beside.
    """

    name: str
    packages: Sequence[str]
    options: Sequence[str] = ()

    @property
    def python(self) -> Path:
        return FOLDER / self.name / "bin/python"

    @property
    def is_made(self) -> bool:
        made = FOLDER / self.name / "made"
        return made.is_file() and made.read_text().split() == list(self.packages) and self.python.exists()

    def make(self) -> None:
        """Make it, where it is not there; it needs the package index."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        with (FOLDER / f"{self.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.is_made:
                return
            folder = FOLDER / self.name
            shutil.rmtree(folder, ignore_errors=True)
            venv.create(folder, with_pip=True)
            words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *self.options]
            subprocess.run([self.python, *words, *self.packages], check=True, timeout=900)
            (folder / "made").write_text("\n".join(self.packages))
