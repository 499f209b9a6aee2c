"""A ninth kind is added by files alone: it is found, added to a pool, tried, scored, shown and checked.

The files lie in `ninth/` as they would lie in this repository, and are copied to a folder of the test's own.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.pool.kinds.registry import kinds, recognise
from argusic.records.sources import source_models
from argusic.referee.check import check
from argusic.referee.recompute import recompute
from argusic.runs.agents.newcomer.kinds import work_of
from argusic.site.generate import generate
from tests.program import Done, argusic

TOP = Path(__file__).parents[2]
PACKAGES = ("pool.kinds", "records.sources", "runs.agents.newcomer.kinds", "site")
SOLUTION = """\
control:
  oracle: 100
  solution:
    install: ["cp /root/subject/greet.sh /root/greet"]
    launch: ["sh /root/greet albatross > /root/said.txt"]
    verify: "grep -F -- 'hello albatross' /root/said.txt"
"""


@pytest.fixture
def ninth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder with the ninth kind's files, where the program looks for kinds as well."""
    folder = tmp_path / "ninth"
    shutil.copytree(Path(__file__).parent / "ninth", folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in PACKAGES:
        package = importlib.import_module(f"argusic.{name}")
        own = folder / "argusic" / name.replace(".", "/")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(own)])
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "greet.sh").write_text('# Greets whoever is named: greet NAME\necho "hello $1"\n')
    monkeypatch.setenv("SCRIPTS", str(tmp_path / "scripts"))
    yield folder
    for module in [name for name in sys.modules if name.endswith(".shell_script")]:
        del sys.modules[module]


@pytest.fixture
def database(tmp_path: Path, ninth: Path) -> Database:
    root = tmp_path / "referee"
    for name in ("pool", "rules", "docs"):
        shutil.copytree(TOP / name, root / name, ignore=shutil.ignore_patterns("evidence.yaml"))
    shutil.copytree(ninth / "rules", root / "rules", dirs_exist_ok=True)
    return Database(root, cache_folder=tmp_path / "cache")


def add(database: Database) -> None:
    """Add the script to a cycle, and write down what the controls must reach, as maintainers do."""
    done = argusic(database, "pool", "add", "script:greet", "--licence", "MIT", "--cycle", "quickstart", "--yes")
    assert done.returncode == 0, done.stderr
    file = database.root / "pool/subjects/shell-script/g/greet.sh.yaml"
    file.write_text(file.read_text() + SOLUTION)


def attempt(database: Database, agent: str) -> Done:
    """Make an attempt on the script, in a sandbox."""
    words = ("attempt", "quickstart", "shell-script/greet.sh", agent, "--sandbox", "bubblewrap", "--json")
    return argusic(database, *words)


def test_a_kind_is_found_by_being_there_and_gone_with_its_files(ninth: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = set(kinds()) - {"shell-script"}
    assert "shell-script" in kinds() and "shell-script" in source_models()
    assert recognise("script:greet").kind == "shell-script"
    assert work_of("shell-script") is not None
    monkeypatch.undo()
    assert set(kinds()) == others == set(source_models())
    assert work_of("shell-script") is None


@pytest.mark.sandbox
def test_a_ninth_kind_is_added_tried_scored_shown_and_checked(database: Database, tmp_path: Path) -> None:
    before = {str(finding) for finding in check(database)}
    add(database)
    for agent, outcome, total in (("oracle", "pass_full", 100), ("nop", "fail", 0), ("newcomer", "pass_full", 100)):
        done = attempt(database, agent)
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert (said["outcome"], said["total"]) == (outcome, total), done.stdout
    recompute(database)
    assert argusic(database, "recompute", "--check").returncode == 0
    assert {str(finding) for finding in check(database)} <= before
    generate(database, tmp_path / "sources", tmp_path / "site", lambda *_: None)
    page = (tmp_path / "sources/docs/subjects/shell-script/greet.sh.md").read_text()
    assert "It is a script, and this page says so." in page and "sha256" in page
    table = (tmp_path / "sources/docs/methodology.md").read_text()
    assert "In use. " in next(line for line in table.splitlines() if "Shell script" in line)


@pytest.mark.sandbox
def test_a_script_that_changed_stops_before_anything_runs(database: Database, tmp_path: Path) -> None:
    add(database)
    (tmp_path / "scripts" / "greet.sh").write_text("echo somebody else was here\n")
    done = attempt(database, "nop")
    assert done.returncode == 1, done.stderr
    assert "has another digest than was pinned. Nothing was run." in done.stderr
    assert list(database.runs()) == []


def test_nothing_of_a_ninth_kind_is_in_the_program() -> None:
    assert [path for path in (TOP / "argusic").rglob("*shell*script*") if "__pycache__" not in path.parts] == []
