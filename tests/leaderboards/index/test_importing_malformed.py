"""What an importer says of copies that it cannot use: one sentence with file and row, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.errors import InputError
from tests.leaderboards.index.made_tables import (
    AIDER_POLICY,
    BENCHMARKS,
    EVALPLUS_POLICIES,
    HUB_MODELS,
    LIVEBENCH_POLICIES,
    digest_of,
    folder,
    source_row,
    write_tables,
)

Write = Callable[[Path], Path]


def csv_of(text: str) -> Write:
    def write(top: Path) -> Path:
        (top / "copy.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
        return top / "copy.csv"

    return write


def files_of(files: dict[str, str]) -> Write:
    return lambda top: folder(top / "copy", files)


def json_of(text: str) -> Write:
    def write(top: Path) -> Path:
        (top / "copy.json").write_text(text)
        return top / "copy.json"

    return write


#: The form, the copy, and what is said after its name.
MALFORMED: dict[str, tuple[str, Write, str]] = {
    "nothing there": ("plain", lambda top: top / "nowhere.csv", "nowhere.csv: is no file"),
    "a folder": ("plain", lambda top: top, "is no file"),
    "empty": ("plain", csv_of(""), "copy.csv:1: is empty"),
    "a column twice": ("plain", csv_of("model,benchmark,score,score\n"), "copy.csv:1: has the column 'score' twice"),
    "no rows": ("plain", csv_of("model,benchmark,score\n"), "copy.csv: holds no result"),
    "no such benchmark": ("plain", csv_of("model,benchmark,score\na,mmlx,1\n"), "copy.csv:2: benchmark: 'mmlx' is no"),
    "no such model": ("plain", csv_of("model,benchmark,score\nalpha,mmlu,1\n"), "copy.csv:2: model: 'alpha' is no"),
    "no model": ("plain", csv_of("model,benchmark,score\n,mmlu,1\n"), "copy.csv:2: model: is missing"),
    "no score": ("plain", csv_of("model,benchmark,score\na,mmlu,\n"), "copy.csv:2: score: is missing"),
    "a word": ("plain", csv_of("model,benchmark,score\na,mmlu,high\n"), "copy.csv:2: score: 'high' is no number"),
    "percent": (
        "plain",
        csv_of("model,benchmark,score\nalpha-1,mmlu,85\n"),
        "copy.csv:2: score: 85 is not between 0 and 1",
    ),
    "cells": ("plain", csv_of("model,benchmark,score\nalpha-1,mmlu\n"), "copy.csv:2: has 2 cells, the first line 3"),
    "no text": ("plain", csv_of("model,benchmark,score\n\udcff,mmlu,1\n"), "copy.csv:2: is no text in UTF-8"),
    "a quote": ("plain", csv_of('model,benchmark,score\n"a,mmlu,1\n'), "copy.csv:2: is no CSV"),
    "tomorrow": (
        "plain",
        csv_of("model,benchmark,score,as_of\nalpha-1,mmlu,1,2027-01-01\n"),
        "2027-01-01 is after the copy",
    ),
    "a day in another form": (
        "plain",
        csv_of("model,benchmark,score,as_of\nalpha-1,mmlu,1,20260101\n"),
        "copy.csv:2: as_of: '20260101' is no day, written as",
    ),
    "a day by its week": (
        "plain",
        csv_of("model,benchmark,score,as_of\nalpha-1,mmlu,1,2026-W01-1\n"),
        "copy.csv:2: as_of: '2026-W01-1' is no day, written as",
    ),
    "a day with a digit more": (
        "plain",
        csv_of("model,benchmark,score,as_of\nalpha-1,mmlu,1,2026-01-012\n"),
        "copy.csv:2: as_of: '2026-01-012' is no day, written as",
    ),
    "a variant that steers a terminal": (
        "plain",
        csv_of("model,benchmark,score,variant\nalpha-1,mmlu,1,\x1b[2J\n"),
        "copy.csv:2: score: its variant cannot be shown",
    ),
    "no hub": ("epoch-hub", files_of({"x.csv": "a\n"}), "copy: holds none of the CSV files of Epoch's"),
    "a hub's column": (
        "epoch-hub",
        files_of({"mmlu_external.csv": "Model version,Score\n"}),
        "mmlu_external.csv:1: lacks the column 'EM'",
    ),
    "a hub's score": (
        "epoch-hub",
        files_of({"mmlu_external.csv": "Model version,EM,Shots\na,x,1\n"}),
        "mmlu_external.csv:2: EM: 'x' is no number",
    ),
    "a fit input out of range": (
        "epoch-eci",
        csv_of("performance,benchmark,model_version,source\n1.5,MMLU,a,s\n"),
        "copy.csv:2: performance: 1.5 is not",
    ),
    "a fit input of what": (
        "epoch-eci",
        csv_of("performance,benchmark,model_version,source\n1,MMLY,a,s\n"),
        "copy.csv:2: benchmark: 'MMLY' is no .*'MMLU'",
    ),
    "no LiveBench": ("livebench", files_of({"a.csv": "a\n"}), "copy: holds no table of a snapshot"),
    "a table of no day": (
        "livebench",
        files_of({"table_now.csv": "model\n"}),
        "table_now.csv: is no table of a snapshot",
    ),
    "no Aider": ("aider", files_of({"a.yml": "[]"}), "copy: holds none of edit_leaderboard.yml"),
    "no YAML": ("aider", files_of({"edit_leaderboard.yml": "a: [\n"}), "edit_leaderboard.yml:2: is no YAML"),
    "YAML of what": (
        "aider",
        files_of({"edit_leaderboard.yml": "a: 1\n"}),
        "edit_leaderboard.yml:1: is no list of runs",
    ),
    "YAML without a model": (
        "aider",
        files_of({"edit_leaderboard.yml": "- {pass_rate_2: 3}\n"}),
        "edit_leaderboard.yml:1: model: is missing",
    ),
    "YAML without a score": (
        "aider",
        files_of({"edit_leaderboard.yml": "\n- {model: a}\n"}),
        "edit_leaderboard.yml:2: pass_rate_2: is missing",
    ),
    "YAML too deep": ("aider", files_of({"edit_leaderboard.yml": "[" * 500}), "edit_leaderboard.yml.*: is no YAML"),
    "no JSON": ("evalplus", json_of("{\n"), "copy.json:2: is no JSON"),
    "JSON of what": ("evalplus", json_of("[]"), "copy.json:1: holds no object"),
    "JSON without scores": ("evalplus", json_of('{"a": 1}'), "copy.json: a: has no scores under pass@1"),
    "JSON with a word": (
        "evalplus",
        json_of('{"a": {"pass@1": {"mbpp+": "x"}}}'),
        r"copy.json: a: pass@1: mbpp\+: 'x' is no number",
    ),
    "JSON with no number": ("evalplus", json_of('{"a": {"pass@1": {"mbpp+": NaN}}}'), "copy.json: NaN is no number"),
    "JSON that repeats itself": ("evalplus", json_of('{"a": 1, "a": 2}'), "copy.json: a: stands twice"),
    "JSON too deep": ("evalplus", json_of('{"a":' * 100_000), "copy.json: is no JSON that can be read"),
    "JSON beyond numbers": ("evalplus", json_of('{"a": {"pass@1": {"mbpp+": 1e999}}}'), "'inf' is no number"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_copy_that_cannot_be_used_gets_one_sentence_with_file_and_row(tmp_path: Path, name: str) -> None:
    form, write, says = MALFORMED[name]
    copy = write(tmp_path)
    sha = digest_of(copy) if copy.exists() and copy != tmp_path else "0" * 64
    policies = (*BENCHMARKS, AIDER_POLICY, *EVALPLUS_POLICIES, *LIVEBENCH_POLICIES)
    write_tables(
        tmp_path / "repository",
        sources=(source_row("hub-1", sha), source_row("site-1", "0" * 64)),
        benchmarks=policies,
        models=HUB_MODELS,
    )
    (tmp_path / "repository/pool").mkdir()
    (tmp_path / "repository/rules").mkdir()
    words = ["--repo", str(tmp_path / "repository"), "index", "import", form, str(copy), "--source", "hub-1"]
    done = CliRunner().invoke(build("index"), words)
    assert isinstance(done.exception, InputError), done.exception
    with pytest.raises(InputError, match=says):
        raise done.exception
    assert "\n" not in str(done.exception)
    assert list((tmp_path / "repository/leaderboards/index/data/results").iterdir()) == []
