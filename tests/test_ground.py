"""The ground rules of the code: layers, sizes, docstrings, and that what the documents name is there."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from argusic.cli.main import build
from argusic.database.paths import TABLE

TOP = Path(__file__).resolve().parent.parent
MODULES = sorted((TOP / "argusic").rglob("*.py"))
LONGEST = 350
VAGUE = {"common", "helpers", "misc", "util", "utils"}
DOCUMENTS = sorted([*TOP.glob("*.md"), *(TOP / "docs").rglob("*.md")])


def name(path: Path) -> str:
    """Return a path as a reader of the test's name wants it."""
    return str(path.relative_to(TOP))


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_a_module_says_what_it_owns_and_stays_short(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{name(module)} opens without a docstring"
    assert text.count("\n") <= LONGEST, f"{name(module)} holds more than one idea"


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [name(module) for module in MODULES if VAGUE & {module.stem, module.parent.name}] == []


def test_every_package_of_tests_mirrors_a_package_of_the_code() -> None:
    packages = {folder.name for folder in (TOP / "argusic").iterdir() if folder.is_dir()}
    folders = {folder.name for folder in (TOP / "tests").iterdir() if folder.is_dir() and any(folder.glob("test_*.py"))}
    assert folders - packages - {"conformance", "performance", "workflows"} == set()


def make_targets() -> set[str]:
    """Return the targets that `make help` lists."""
    listed = subprocess.run(["make", "--silent", "help"], cwd=TOP, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"make ([a-z-]+)", listed))


def test_make_has_the_targets_that_people_are_told_of() -> None:
    assert {"cycle", "test", "lint", "site", "performance", "lock", "help"} <= make_targets()


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_every_command_that_a_document_names_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```.*?```|`[^`\n]+`|^    [^\n]+", text, re.DOTALL | re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z][a-z-]*)", blocks)) <= make_targets()
    program = typer.main.get_command(build())
    assert isinstance(program, TyperGroup)
    assert set(re.findall(r"\bargusic (?:--repo \S+ )?([a-z][a-z-]*)", blocks)) <= program.commands.keys()


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_every_link_of_a_document_leads_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    paths = [link.partition("#")[0] for link in re.findall(r"\]\((?!https?:|mailto:)([^)]+)\)", text)]
    assert [path for path in paths if path and not (document.parent / path).exists()] == []


def test_every_decision_record_has_its_four_parts() -> None:
    records = sorted((TOP / "docs/contributing/decisions").glob("[0-9]*.md"))
    assert records, "there are no decision records"
    for number, record in enumerate(records, 1):
        text = record.read_text(encoding="utf-8")
        assert record.name.startswith(f"{number:04}-"), f"{record.name} is out of order"
        assert re.findall(r"(?m)^## (.+)$", text) == ["Context", "Weighed", "Decided", "Consequence"], record.name


def test_the_page_of_paths_is_what_the_program_goes_by() -> None:
    done = subprocess.run([sys.executable, TOP / "tools/paths_page.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_code_that_writes_a_path_is_there() -> None:
    for row in TABLE:
        for word in row.writer.split(", "):
            if word.startswith("argusic."):
                assert importlib.util.find_spec(word), f"{row.pattern} is written by {word}"
