"""`argusic pool add`, run as a person runs it."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import subject_path
from argusic.pool.kinds.registry import kinds
from argusic.referee.check import check
from tests.program import Done, argusic

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).parents[2]


@pytest.fixture
def base(tmp_path: Path) -> Database:
    folder = tmp_path / "referee"
    for name in ("pool", "rules"):
        shutil.copytree(ROOT / name, folder / name)
    return Database(folder, cache_folder=tmp_path / "cache")


def add(base: Database, *arguments: object, typed: str | None = None) -> Done:
    """Run the command; what is `typed` is typed at a terminal, else nobody is there."""
    if typed is None:
        with Path(os.devnull).open() as nobody, pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", nobody)
            return argusic(base, "pool", "add", *map(str, arguments))
    ours, theirs = pty.openpty()
    without_echo = termios.tcgetattr(theirs)
    without_echo[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, without_echo)
    # Whoever asks beyond what is typed meets the end of input, and does not wait for ever.
    os.write(ours, typed.encode() + b"\x04")
    try:
        with os.fdopen(theirs) as terminal, pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", terminal)
            return argusic(base, "pool", "add", *map(str, arguments))
    finally:
        os.close(ours)


def pool(base: Database) -> set[str]:
    return {subject.ref for subject in base.subjects()}


def test_a_folder_is_added_with_its_pin(base: Database, project: Path, git: Callable[..., str]) -> None:
    (project / "README.md").write_text("changed\n")
    done = add(base, project, "--licence", "MIT", "--language", "Shell", "--cycle", "quickstart", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["subject"] == "repository/project"
    assert said["entry"]["pin"] == {"kind": "repository", "commit": git(project, "rev-parse", "HEAD")}
    assert "uncommitted changes" in done.stderr
    assert base.subject("repository/project").licence == "MIT"
    entry = base.cycle("quickstart").entry("repository/project")
    assert entry is not None and entry.pin.model_dump(exclude_none=True) == said["entry"]["pin"]


def test_an_application_with_windows_is_marked_as_one_and_nothing_else_is(base: Database, project: Path) -> None:
    for slug, words in (("windowed", ["--desktop"]), ("plain", [])):
        shutil.copytree(project, project.parent / slug)
        assert add(base, project.parent / slug, "--licence", "MIT", "--yes", *words).returncode == 0
    assert base.subject("repository/windowed").desktop is True
    assert b"desktop" not in (base.root / subject_path("repository", "plain")).read_bytes()


def test_what_was_added_obeys_the_rules_and_the_next_step_is_said(base: Database, project: Path) -> None:
    before = {str(finding) for finding in check(base)}
    done = add(base, project, "--licence", "MIT", "--heavy", "Ada, 2026-11-30", "--cycle", "quickstart", "--yes")
    assert done.returncode == 0, done.stderr
    assert {str(finding) for finding in check(base)} <= before
    assert f"--repo {base.root} attempt quickstart repository/project newcomer" in done.stdout
    entry = base.cycle("quickstart").entry("repository/project")
    assert entry is not None and (entry.tier, entry.heavy_by) == ("heavy", "Ada, 2026-11-30")


def test_what_is_printed_can_be_put_into_a_cycle_as_it_stands(base: Database, project: Path) -> None:
    done = add(base, project, "--licence", "MIT", "--yes")
    printed = "".join(
        line + "\n" for line in done.stdout.splitlines() if line.startswith("  ") and "attempt" not in line
    )
    path = base.root / "pool/cycles/quickstart.yaml"
    path.write_text(path.read_text().rstrip() + "\n" + printed)
    assert base.cycle("quickstart").entry("repository/project") is not None


def test_a_person_is_asked_for_what_is_missing(base: Database, project: Path) -> None:
    typed = ["Says hello", "as is", "gpl-3.0-only", "Ada: a program, no library", "Shell, C", "heavy", "Ada", ""]
    done = add(base, project, "--cycle", "quickstart", typed="\n".join(typed) + "\n")
    assert done.returncode == 0, done.stderr
    subject = base.subject("repository/project")
    assert (subject.summary, subject.languages) == ("Says hello", ("Shell", "C"))
    assert (subject.licence, subject.licence_by) == ("GPL-3.0-only", "Ada: a program, no library")
    entry = base.cycle("quickstart").entry("repository/project")
    assert entry is not None and entry.tier == "heavy" and str(entry.heavy_by).startswith("Ada, 20")
    assert "'as is' is no SPDX expression" in done.stderr and "GPL-3.0-only is not permissive" in done.stderr
    assert "Write it? [Y/n]" in done.stderr and "Ada: a program, no library" in done.stderr


def test_enter_takes_what_is_sensible(base: Database, project: Path) -> None:
    done = add(base, project, "--licence", "MIT", typed="\n" * 4)
    assert done.returncode == 0, done.stderr
    subject = base.subject("repository/project")
    assert (subject.summary, subject.licence, subject.languages) == (None, "MIT", ())
    assert "Its time budget (standard, heavy, gpu) [standard]" in done.stderr
    assert "tier: standard" in done.stdout


@pytest.mark.parametrize("typed", ["\n\n\n\n", "Says hello\nMIT\nShell\nstandard\nn\n", ""])
def test_a_person_who_lets_nothing_in_or_says_no_or_goes_away_writes_nothing(
    base: Database, project: Path, typed: str
) -> None:
    done = add(base, project, typed=typed)
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert pool(base) == pool(Database(ROOT))


def test_without_a_licence_that_is_known_nothing_is_written(base: Database, project: Path) -> None:
    done = add(base, project, "--yes")
    assert done.returncode == 2
    assert "The licence of project is not known" in done.stderr and "--licence-by" in done.stderr
    assert pool(base) == pool(Database(ROOT))


def test_a_person_may_let_it_in_by_name(base: Database, project: Path) -> None:
    done = add(base, project, "--licence", "GPL-2.0-only", "--licence-by", "Ada: a game", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["licence_by"] == "Ada: a game"
    assert base.subject("repository/project").licence_by == "Ada: a game"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--tier", "huge"), "There is no tier 'huge'"),
        (("--tier", "heavy"), "Nothing says that project is heavy"),
        (("--kind", "package"), "is not a package"),
        (("--cycle", "no-such"), "no-such"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(
    base: Database, project: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = add(base, project, "--licence", "MIT", "--yes", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr and "Traceback" not in done.stderr
    assert pool(base) == pool(Database(ROOT))


def test_a_cycle_that_cannot_be_changed_leaves_no_subject_behind(base: Database, project: Path) -> None:
    path = base.root / "pool/cycles/quickstart.yaml"
    before = path.read_text().replace("  - subject:", "     -    subject:").replace("    pin:", "          pin:")
    before = re.sub(r"(?m)^(      )(?=\w+: )", r"            ", before)
    before = re.sub(r"(?m)^    (?=tier: |heavy_by: )", "          ", before)
    path.write_text(before)
    assert base.cycle("quickstart").subjects
    done = add(base, project, "--licence", "MIT", "--cycle", "quickstart", "--yes")
    assert done.returncode == 2 and "Make the change by hand." in done.stderr, done.stderr
    assert path.read_text() == before and pool(base) == pool(Database(ROOT))


def test_a_target_of_several_kinds_is_asked_for_or_refused_with_them(
    base: Database, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parent)
    done = add(base, project.name, "--licence", "MIT", "--yes")
    assert done.returncode == 2 and "--kind package or --kind repository" in done.stderr
    asked = add(base, project.name, "--licence", "MIT", typed="repository\n\n\n\n\n")
    assert asked.returncode == 0, asked.stderr
    assert "Which one (package, repository)" in asked.stderr
    assert "repository/project" in pool(base)


def test_a_subject_of_the_pool_is_not_added_twice(base: Database, project: Path) -> None:
    assert add(base, project, "--licence", "MIT", "--yes").returncode == 0
    again = add(base, project, "--yes")
    assert again.returncode == 2
    assert "already" in again.stderr


def test_where_nobody_can_be_asked_nothing_is_written(base: Database, project: Path) -> None:
    done = add(base, project)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert pool(base) == pool(Database(ROOT))


def test_a_target_of_no_kind_is_told_what_there_is(base: Database) -> None:
    done = add(base, "ftp://somewhere/x", "--yes")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and "nothing that can be tested" in done.stderr
    for one in kinds().values():
        assert one.kind in done.stderr and one.written[0] in done.stderr


def test_the_help_names_every_kind_and_how_it_is_written() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "argusic", "pool", "add", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "COLUMNS": "4000", "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stderr
    for one in kinds().values():
        assert all(form in done.stdout for form in (f"{one.kind}:", *one.written)), one.kind
