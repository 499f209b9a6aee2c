"""A plain table of results: what `argusic index fit` prints of it, and one sentence for whatever is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.errors import InputError
from argusic.leaderboards.index import tables
from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.published import published
from argusic.leaderboards.index.tables import read_table
from tests.leaderboards.index.test_fit import made

GOOD = b"model,benchmark,score\na,x,0.5\na,y,0.25\nb,x,0.75\n"


def table(path: Path, content: bytes) -> Path:
    file = path / "results.csv"
    file.write_bytes(content)
    return file


def test_a_table_is_read_with_its_columns_in_any_order_and_others_passed_over(tmp_path: Path) -> None:
    found = read_table(table(tmp_path, b'\xef\xbb\xbfnote,score,benchmark,model\r\n"a, b",0.5,x,"m ""1"""\r\n\r\n'))
    assert (found.models, found.benchmarks, found.score.tolist()) == (('m "1"',), ("x",), [0.5])


MALFORMED = {
    "empty": (b"", 1, "is empty"),
    "no header": (b"a,x,0.5\n", 1, "lacks the column 'model'"),
    "semicolons": (b"model;benchmark;score\na;x;0,5\n", 1, "divided by semicolons, and not by commas"),
    "tabs": (b"model\tbenchmark\tscore\na\tx\t0.5\n", 1, "divided by tabs"),
    "a sheet of models by benchmarks": (b"model,x,y,z,u\na,1,1,1,1\n", 1, "has 'model', 'x', 'y', 'z', ..., and not"),
    "a decimal comma": (GOOD + b'c,x,"0,5"\n', 5, "'0,5' is no number. A score is written as 0.93."),
    "a column is missing": (b"model,benchmark\na,x\n", 1, "lacks the column 'score'"),
    "a column stands twice": (b"model,benchmark,score,score\na,x,1,1\n", 1, "'score' twice"),
    "no rows": (b"model,benchmark,score\n", None, "holds no result"),
    "too few cells": (GOOD + b"c,x\n", 5, "has 2 cells, the first line 3"),
    "too many cells": (GOOD + b"c,x,0.1,9\n", 5, "has 4 cells"),
    "no score": (GOOD + b"c,x,\n", 5, "score: is missing"),
    "a word for a score": (GOOD + b"c,x,high\n", 5, "'high' is no number"),
    "not a number": (GOOD + b"c,x,nan\n", 5, "'nan' is no number"),
    "infinite": (GOOD + b"c,x,inf\n", 5, "'inf' is no number"),
    "an underscore": (GOOD + b"c,x,0_1\n", 5, "is no number"),
    "other digits": (GOOD + "c,x,\u0660\n".encode(), 5, "is no number"),
    "percent": (GOOD + b"c,x,85.3\n", 5, "85.3 is not between 0 (the random guess) and 1 (the ceiling). Divide per"),
    "below the guess": (GOOD + b"c,x,-0.01\n", 5, "-0.01 is not between 0"),
    "a pair twice": (GOOD + b"a,x,0.5\n", 5, "a on x stands in line 2 already"),
    "a pair that contradicts itself": (GOOD + b"b,x,0.9\n", 5, "b on x stands in line 4 already"),
    "no model": (GOOD + b" ,x,0.5\n", 5, "model: is missing"),
    "no benchmark": (GOOD + b"c,,0.5\n", 5, "benchmark: is missing"),
    "a name of a page": (GOOD + b"c" * 201 + b",x,0.5\n", 5, "has 201 characters"),
    "a name that steers a terminal": (GOOD + b"c\x1b[2J,x,0.5\n", 5, "cannot be shown"),
    "no UTF-8": (GOOD + b"\xff\xfe,x,0.5\n", 5, "no text in UTF-8"),
    "a null byte": (GOOD + b"c\0,x,0.5\n", 5, "null byte"),
    "a quote that never ends": (GOOD + b'"c,x,0.5\n', 5, "is no CSV"),
    "a line break in a name": (GOOD + b'"c\nd",x,0.5\n', 5, "cannot be shown"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_table_gets_one_sentence_with_file_and_row(tmp_path: Path, name: str) -> None:
    content, line, says = MALFORMED[name]
    file = table(tmp_path, content)
    done = CliRunner().invoke(build("index"), ["index", "fit", "--input", str(file)])
    assert isinstance(done.exception, InputError)
    said = str(done.exception)
    assert says in said and said.startswith(f"{file}:{line}: " if line else f"{file}: ") and "\n" not in said


def test_what_is_no_file_and_what_is_too_large_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="is no file"):
        read_table(tmp_path)
    monkeypatch.setattr(tables, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="more than 10 bytes"):
        read_table(table(tmp_path, GOOD))


def test_the_document_has_every_model_and_benchmark(tmp_path: Path) -> None:
    responses = made()
    rows = [
        f"{responses.models[i]},{responses.benchmarks[j]},{float(y)!r}"
        for i, j, y in zip(responses.model, responses.benchmark, responses.score, strict=True)
    ]
    file = table(tmp_path, ("model,benchmark,score\n" + "\n".join(reversed(rows)) + "\n").encode())
    done = CliRunner().invoke(build("index"), ["index", "fit", "--input", str(file), "--json"])
    assert done.exit_code == 0, done.exception
    said = json.loads(done.stdout)
    assert said == published(fit(responses))
    assert set(said["models"][0]) == {
        "model", "theta", "score", "low", "high", "low_joint", "high_joint", "benchmarks", "gated",
    }  # fmt: skip
    thetas = [model["theta"] for model in said["models"]]
    assert thetas == sorted(thetas, reverse=True) and len(thetas) == 12
    for model in said["models"]:
        assert model["score"] == pytest.approx(100 + 25 * model["theta"], abs=1e-3)
        assert model["low_joint"] <= model["low"] < model["score"] < model["high"] <= model["high_joint"]
        assert model["gated"] == (model["benchmarks"] >= 4)
    assert [one["benchmark"] for one in said["benchmarks"]] == list(responses.benchmarks)


def test_a_person_gets_a_table_and_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(build("index"), ["index", "fit", "--input", str(table(tmp_path, GOOD)), "--top", "1"])
    assert done.exit_code == 0 and "b (too few)" in done.stdout and "a (too few)" not in done.stdout
    assert "3 results of 2 models on 2 benchmarks" in done.stdout


def test_a_sigma_that_is_none_is_refused(tmp_path: Path) -> None:
    arguments = ["index", "fit", "--input", str(table(tmp_path, GOOD)), "--sigma", "0"]
    done = CliRunner().invoke(build("index"), arguments)
    assert "--sigma 0 is not between" in str(done.exception)
