"""The guide to the index: what it shows of Python is what Python says, and its table fits."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

from typer.testing import CliRunner

from argusic.cli.main import build

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "composite-index.md"


def test_the_examples_print_what_the_guide_says() -> None:
    found = doctest.testfile(str(GUIDE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 10 and found.failed == 0


def test_the_table_of_the_guide_is_fitted(tmp_path: Path) -> None:
    (table,) = re.findall(r"(?s)```csv\n(.*?)```", GUIDE.read_text(encoding="utf-8"))
    file = tmp_path / "results.csv"
    file.write_text(table)
    done = CliRunner().invoke(build("index"), ["index", "fit", "--input", str(file), "--json"])
    said = json.loads(done.stdout)
    assert list(said) == ["models", "benchmarks"]
    assert {model["model"] for model in said["models"]} == {"Ada", "Brook"}
    assert [list(one) for one in said["benchmarks"]] == [["benchmark", "difficulty", "discrimination"]] * 2
