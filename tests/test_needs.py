"""A test that needs what is not here is skipped with the reason, or is an error where the need is required."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent

A_TEST = """
import pytest


@pytest.mark.docker
def test_something_in_an_engine() -> None:
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of tests under our own rules, on a machine where Docker has no engine."""
    shutil.copy(TOP / "tests/conftest.py", tmp_path)
    (tmp_path / "test_engine.py").write_text(A_TEST)
    return tmp_path


def run_tests(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a folder in a process of their own, with an empty PATH."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-c", TOP / "pyproject.toml", "--rootdir", folder, "-p", "no:cacheprovider",
         "-p", "no:xdist", folder],
        env={**{name: value for name, value in os.environ.items() if not name.startswith(("ARGUSIC_", "PYTEST_"))},
             "PATH": "", "DOCKER_HOST": f"unix://{folder}/no-engine", **environment},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip


def test_an_absent_need_skips_with_the_reason(folder: Path) -> None:
    done = run_tests(folder)
    assert done.returncode == 0
    assert "docker engine: No engine answers at unix://" in done.stdout
    assert "1 skipped" in done.stdout


def test_an_absent_need_that_is_required_is_an_error(folder: Path) -> None:
    done = run_tests(folder, ARGUSIC_REQUIRE="network, docker")
    assert done.returncode == 1
    assert "ARGUSIC_REQUIRE names docker, and it is not here. docker engine: No engine answers" in done.stdout
    assert "1 error" in done.stdout


def test_a_need_that_does_not_exist_is_refused(folder: Path) -> None:
    done = run_tests(folder, ARGUSIC_REQUIRE="dokcer")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ARGUSIC_REQUIRE names dokcer; needs are sandbox, network, browser, " in done.stderr
