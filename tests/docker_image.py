"""A small image for tests of the container engine, built once by content: `python -m tests.docker_image` builds it."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from argusic.sandbox.docker.engine import Engine

#: What it holds, beside a minimal Debian.
PACKAGES = ("ca-certificates", "curl", "file", "procps", "python3", "python3-venv")
SUITE = "bookworm"
#: Nothing of what a home brings along, and no more than tests read.
HOOK = """
rm -rf "$1"/root/.[a-z]* "$1"/home/*
rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/* "$1"/var/log/* "$1"/usr/share/doc/* "$1"/usr/share/locale/*
"""
_SECONDS = 900


def tag() -> str:
    """Return the image's name, which says what it is made from."""
    made_from = hashlib.sha256("\0".join((SUITE, *PACKAGES, HOOK)).encode()).hexdigest()
    return f"argusic-test:{made_from[:24]}"


def is_there() -> bool:
    """Return whether the engine has the image."""
    with Engine() as engine:
        return engine.image(tag()) is not None


@cache
def a_small_image() -> str:
    """Return the id of the image, built first where the engine does not have it."""
    with (Path(tempfile.gettempdir()) / "argusic-test-image.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with Engine() as engine:
            image = engine.image(tag())
            if image is None:
                _build()
                image = engine.image(tag())
    assert image is not None, "the image was built and is not there"
    return image.id


def _build() -> None:
    maker = shutil.which("mmdebstrap")
    assert maker is not None, "mmdebstrap is not here: run `apt-get install -y mmdebstrap`"
    with tempfile.TemporaryDirectory(prefix="argusic-test-image-") as folder:
        archive = Path(folder, "root.tar")
        what = ("--variant=minbase", "--quiet", f"--include={','.join(PACKAGES)}", f"--customize-hook={HOOK}")
        subprocess.run([maker, *what, SUITE, str(archive)], check=True, timeout=_SECONDS)
        subprocess.run(["docker", "import", str(archive), tag()], check=True, timeout=_SECONDS, capture_output=True)


if __name__ == "__main__":
    sys.stdout.write(f"{a_small_image()}\n")
