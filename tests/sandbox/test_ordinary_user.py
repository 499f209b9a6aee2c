"""The conformance suite passes for an ordinary user as well, where these tests themselves run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from argusic.sandbox.bubblewrap.account import Account

pytestmark = [pytest.mark.sandbox, pytest.mark.endurance, pytest.mark.network, pytest.mark.timeout(600)]

TOP = Path(__file__).parents[2]
#: What is run: the conformance suite, and the tests of displays.
PARTS = sorted(f"conformance/{path.name}" for path in (TOP / "tests/conformance").glob("test_*.py"))
PARTS += ["sandbox/test_display.py"]
WITHOUT = "not docker and not published"
#: A user id that nothing uses, without an entry in the list of users: another for each part that runs at the same time,
#: because what is left of one must not be taken for the other's.
_ID = 61185 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
ORDINARY = Account(_ID, _ID, switched=True)


def interpreter() -> Path | None:
    """Return a Python of this version that the ordinary user can run."""
    places = (Path(sys.executable).resolve(), Path(f"/usr/bin/python3.{sys.version_info.minor}"))
    return next((place for place in places if place.exists() and ORDINARY.reaches(place.parent)), None)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Return a folder with a copy of what the suite needs, which belongs to the ordinary user."""
    with tempfile.TemporaryDirectory(prefix="argusic-ordinary-") as name:
        home = Path(name)
        home.chmod(0o755)
        packages = Path(sysconfig.get_path("purelib"))
        if ORDINARY.reaches(packages):
            (home / "packages").symlink_to(packages)
        else:
            shutil.copytree(packages, home / "packages")
        for part in ("argusic", "rules", "pool", "tests"):
            shutil.copytree(TOP / part, home / "copy" / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(TOP / "pyproject.toml", home / "copy")
        for folder in ("home", "scratch"):
            (home / folder).mkdir()
        for mine in (home / "home", home / "scratch", home / "copy", *(home / "copy").rglob("*")):
            ORDINARY.take(mine)
        yield home


@pytest.mark.skipif(os.geteuid() != 0, reason="these tests run as an ordinary user already")
@pytest.mark.parametrize("part", PARTS)
def test_the_conformance_suite_passes_for_an_ordinary_user(part: str, place: Path) -> None:
    python = interpreter()
    if python is None:
        pytest.fail(f"An ordinary user can run no Python 3.{sys.version_info.minor} on this machine.")
    environment = {
        **{name: value for name, value in os.environ.items() if name.endswith(("_BUNDLE", "_FILE", "_CERT"))},
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "scratch"),
        "PYTHONPATH": f"{place / 'copy'}:{place / 'packages'}",
        "ARGUSIC_REQUIRE": "sandbox",
    }
    suite = subprocess.run(
        [python, "-m", "pytest", f"tests/{part}", "-m", WITHOUT, "-q", "-x", "-p", "no:cacheprovider"],
        cwd=place / "copy",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **ORDINARY.popen_options(),
    )
    assert suite.returncode == 0, suite.stdout
    assert " passed" in suite.stdout and "error" not in suite.stdout
