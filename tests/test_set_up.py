"""The set-up says in one sentence what this machine lacks, and otherwise makes the environment once."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent


def set_up(folder: Path, path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of the set-up with nothing but `path` on PATH."""
    shutil.copytree(TOP / "tools", folder / "tools")
    for name in ("requirements.lock", "pyproject.toml"):
        shutil.copy(TOP / name, folder)
    return subprocess.run(
        ["/bin/sh", folder / "tools/set-up"],
        env={"PATH": str(path), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a folder that is all of PATH, with what a shell script needs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("dirname", "sh"):
        (folder / tool).symlink_to(shutil.which(tool) or tool)
    return folder


def python(path: Path, script: str) -> None:
    """Put a Python of our making on PATH."""
    file = path / "python3"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


@pytest.mark.parametrize("there", ["", "exit 1"], ids=["none", "too old"])
def test_without_a_new_enough_python_one_sentence_says_what_mends_it(tmp_path: Path, path: Path, there: str) -> None:
    if there:
        python(path, there)
    done = set_up(tmp_path, path)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "no Python 3.11 or newer" in done.stderr
    assert "apt-get install -y python3 python3-venv" in done.stderr


def test_a_python_without_venv_is_told_apart_from_none(tmp_path: Path, path: Path) -> None:
    python(path, 'case "$2" in *venv*) exit 1 ;; esac')
    done = set_up(tmp_path, path)
    assert done.returncode == 3
    assert done.stderr == "argusic: python3 has no venv module; mend it with: sudo apt-get install -y python3-venv\n"


def test_a_name_that_starts_nothing_is_passed_over_for_the_next(tmp_path: Path, path: Path) -> None:
    python(path, "exit 127")
    (path / "python3.13").symlink_to(sys.executable)
    (tmp_path / ".venv").write_text("in the way")
    done = set_up(tmp_path, path)
    assert done.returncode == 3
    assert ".venv cannot be made here" in done.stderr


def test_what_is_lent_is_not_installed_again_and_the_program_is_the_checkouts_own(tmp_path: Path, path: Path) -> None:
    (path / "python3").symlink_to(sys.executable)
    package = tmp_path / "argusic"
    (package / "cli").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "cli/__init__.py").touch()
    (package / "cli/start.py").write_text("import pydantic\ndef run(): print(__file__, pydantic.__file__)\n")
    lent = tmp_path / "elsewhere/.venv"
    lent.mkdir(parents=True)
    for name in ("bin", "lib"):
        (lent / name).symlink_to(Path(sys.prefix, name))
    wanted_state = runpy.run_path(str(TOP / "tools/set_up.py"))["wanted_state"]
    (lent / "argusic-ready").write_text(wanted_state(lent.parent))
    done = set_up(tmp_path, path, ARGUSIC_VENV=str(lent))
    assert (done.returncode, done.stderr) == (0, "")
    said = subprocess.run([tmp_path / ".venv/bin/argusic"], capture_output=True, text=True, check=True).stdout.split()
    assert Path(said[0]) == package / "cli/start.py"
    assert Path(said[1]).is_relative_to(lent)


def test_what_was_made_from_another_lock_is_not_used(tmp_path: Path, path: Path) -> None:
    (path / "python3").symlink_to(sys.executable)
    (tmp_path / ".venv").write_text("in the way")
    other = tmp_path / "other"
    other.mkdir()
    (other / "argusic-ready").write_text("python 3.11\n")
    done = set_up(tmp_path, path, ARGUSIC_VENV=str(other))
    assert done.returncode == 3
    assert f"{other}, which ARGUSIC_VENV names, was not made from this requirements.lock" in done.stderr
