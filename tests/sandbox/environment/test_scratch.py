"""Folders of builds: each gone with its build, and what a killed build left is gone with the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from argusic.sandbox.environment.scratch import scratch

KEEPS = """
import os, sys
from argusic.sandbox.environment.scratch import scratch
with scratch() as folder:
    (folder / "large").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_folder_is_gone_with_its_build(here: Path) -> None:
    with scratch() as folder:
        (folder / "part").mkdir()
        assert folder.parent == here
    assert list(here.iterdir()) == []


def test_what_a_killed_build_left_is_gone_with_the_next_and_what_a_living_one_has_stays(here: Path) -> None:
    argv = [sys.executable, "-c", KEEPS]
    with (
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed,
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as living,
    ):
        assert killed.stdout is not None and living.stdout is not None
        left, kept = (Path(one.stdout.readline().strip()) for one in (killed, living) if one.stdout)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait(10)
        assert left.is_dir()
        with scratch():
            assert not left.exists()
            assert (kept / "large").is_file()
        living.communicate(timeout=10)
    assert list(here.iterdir()) == []


def test_a_link_that_looks_like_such_a_folder_is_not_followed(here: Path) -> None:
    other = here / "other"
    other.mkdir()
    (here / "argusic-building-link").symlink_to(other)
    with scratch():
        pass
    assert other.is_dir()
