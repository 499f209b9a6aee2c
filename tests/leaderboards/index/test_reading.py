"""Tables and files of results: what they say is read, and each fault gets one sentence with file, row and field."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from argusic.errors import InputError
from argusic.leaderboards.index.reading import results as reading_results
from argusic.leaderboards.index.reading import rows as reading_rows
from argusic.leaderboards.index.reading.facts import read_facts
from argusic.leaderboards.index.reading.pooling import pooled
from tests.leaderboards.index.made_tables import (
    BENCHMARK_HEADER,
    BENCHMARKS,
    MODEL_HEADER,
    MODELS,
    NO_DIGEST,
    RESULT_HEADER,
    RESULTS,
    SOURCES,
    write_tables,
)


def test_everything_is_read_under_the_models_names(tmp_path: Path) -> None:
    facts = read_facts(write_tables(tmp_path, results={"hub-1": RESULTS}))
    assert (len(facts.sources), len(facts.benchmarks), len(facts.models)) == (2, 4, 4)
    assert [(one.benchmark, one.model, one.version) for one in facts.results] == [
        ("code", "Alpha", "alpha-1_high"),
        ("mmlu", "Alpha", "alpha-1"),
        ("mmlu", "Beta 7B", "beta-7b"),
    ]
    one = facts.results[1]
    assert (one.score, one.as_of, one.variant, one.source, one.row) == (0.5, date(2026, 1, 2), "5", "hub-1", 2)
    assert facts.benchmarks["mmlu"].baseline == 0.25 and facts.benchmarks["arena"].ceiling is None
    assert facts.models["Gamma"].open_weights is None and facts.models["Beta 7B"].released == date(2025, 10, 22)


def test_the_users_own_files_count_where_they_are_asked_for(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "site-1.csv").write_text(f"{RESULT_HEADER}\ncode-2,gamma,0.5,,,,\narena,gamma,1200,,,1190,1210\n")
    data = write_tables(tmp_path, results={"hub-1": RESULTS})
    assert len(read_facts(data).results) == 3
    facts = read_facts(data, own)
    assert len(facts.results) == 5
    rated = next(one for one in facts.results if one.benchmark == "arena")
    assert (rated.score, rated.low, rated.high) == (1200, 1190, 1210)


def test_what_no_licence_lets_a_repository_hold_is_refused_there(tmp_path: Path) -> None:
    data = write_tables(tmp_path, results={"site-1": ("code-2,gamma,0.5,,,,",)})
    with pytest.raises(InputError, match=r"site-1.csv: holds results whose licence \(none stated\).*\.argusic/index"):
        read_facts(data)


@pytest.mark.parametrize("linked", ["results", "results/hub-1.csv"])
def test_what_a_repository_holds_is_not_read_through_a_link(tmp_path: Path, linked: str) -> None:
    data = write_tables(tmp_path, results={"hub-1": RESULTS})
    path = (data / linked).rename(tmp_path / "elsewhere")
    (data / linked).symlink_to(path)
    with pytest.raises(InputError, match=f"{linked}: is a symbolic link"):
        read_facts(data)
    # The user's own files may lie anywhere.
    (data / linked).unlink()
    own = tmp_path / "own"
    if linked == "results":
        own.symlink_to(path)
    else:
        own.mkdir()
        (own / "hub-1.csv").symlink_to(path)
    assert len(read_facts(data, own).results) == len(RESULTS)


def test_a_source_has_one_file(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "hub-1.csv").write_text(f"{RESULT_HEADER}\ncode,gamma,0.5,,,,\n")
    with pytest.raises(InputError, match="holds results of 'hub-1', as"):
        read_facts(write_tables(tmp_path, results={"hub-1": RESULTS}), own)


#: What is wrong: in which file, its rows, the line, and what is said.
Case = tuple[str, tuple[str, ...], int | None, str]
MALFORMED: dict[str, Case] = {
    "unknown model": (
        "results",
        ("mmlu,alpha-2,0.5,,,,",),
        2,
        "version: 'alpha-2' is no model .* nearest known is 'alpha-1'",
    ),
    "unknown benchmark": (
        "results",
        ("mmlx,alpha-1,0.5,,,,",),
        2,
        "benchmark: 'mmlx' is no .* nearest known is 'mmlu'",
    ),
    "percent for a fraction": (
        "results",
        ("mmlu,alpha-1,85.2,,,,",),
        2,
        "score: 85.2 is not between 0 and 1, the unit",
    ),
    "below the unit": ("results", ("mmlu,alpha-1,-0.1,,,,",), 2, "score: -0.1 is not between"),
    "a rating out of this world": ("results", ("arena,alpha-1,9e9,,,,",), 2, "score: 9e\\+09 is not between -5000"),
    "no score": ("results", ("mmlu,alpha-1,,,,,",), 2, "score: is missing"),
    "no number": ("results", ("mmlu,alpha-1,nan,,,,",), 2, "score: 'nan' is no number"),
    "infinite": ("results", ("mmlu,alpha-1,inf,,,,",), 2, "score: 'inf' is no number"),
    "infinite in the end": ("results", ("mmlu,alpha-1,1e999,,,,",), 2, "score: '1e999' is no number"),
    "a hexadecimal": ("results", ("mmlu,alpha-1,0x1,,,,",), 2, "score: '0x1' is no number"),
    "twice": ("results", (*RESULTS, RESULTS[0]), 5, "alpha-1 on mmlu stands in line 2 already\\."),
    "against itself": (
        "results",
        (*RESULTS, "mmlu,alpha-1,0.6,2026-01-02,5,,"),
        5,
        "line 2 already, with another score",
    ),
    "after the copy": (
        "results",
        ("mmlu,alpha-1,0.5,2026-04-28,,,",),
        2,
        "as_of: 2026-04-28 is after the copy was taken",
    ),
    "no day": ("results", ("mmlu,alpha-1,0.5,2026-02-30,,,",), 2, "as_of: '2026-02-30' is no day"),
    "a day as others write it": ("results", ("mmlu,alpha-1,0.5,1/2/2026,,,",), 2, "as_of: '1/2/2026' is no day"),
    "half a range": ("results", ("arena,alpha-1,1200,,,1100,",), 2, "score: has one end of a range"),
    "a range beside": ("results", ("arena,alpha-1,1200,,,1201,1300",), 2, "1200 is not in its range"),
    "too few cells": ("results", ("mmlu,alpha-1,0.5",), 2, "has 3 cells, the first line 7"),
    "too many cells": ("results", ("mmlu,alpha-1,0.5,,,,,",), 2, "has 8 cells"),
    "a name that steers a terminal": ("results", ("mmlu,\x1b[2J,0.5,,,,",), 2, "version: .* cannot be shown"),
    "a cell without end": ("results", (f"mmlu,alpha-1,0.5,,{'x' * 4001},,",), 2, "variant: has 4001 characters"),
    "a quote that never ends": ("results", ('"mmlu,alpha-1',), 2, "is no CSV"),
    "a null byte": ("results", ("mmlu,al\0pha,0.5,,,,",), 2, "null byte"),
    "an unknown category": (
        "benchmarks",
        ("x,X,cooking,accuracy,fraction,0,1,hub-1,source,as,",),
        2,
        "category: 'cooking'",
    ),
    "an unknown kind": ("benchmarks", ("x,X,math,elo,fraction,0,1,hub-1,source,as,",), 2, "kind: 'elo' is none of"),
    "an unknown unit": (
        "benchmarks",
        ("x,X,math,accuracy,percent,0,1,hub-1,source,as,",),
        2,
        "unit: 'percent' is none",
    ),
    "a rating with a ceiling": (
        "benchmarks",
        ("x,X,math,relative,rating,,9,hub-1,source,as,",),
        2,
        "ceiling: a relative",
    ),
    "a relative fraction": (
        "benchmarks",
        ("x,X,math,relative,fraction,,,hub-1,source,as,",),
        2,
        "unit: a benchmark of",
    ),
    "no baseline": ("benchmarks", ("x,X,math,accuracy,fraction,,1,hub-1,source,as,",), 2, "baseline: is missing"),
    "baseline at the ceiling": (
        "benchmarks",
        ("x,X,math,accuracy,fraction,1,1,hub-1,source,as,",),
        2,
        "baseline: 1 is not below",
    ),
    "ceiling outside": ("benchmarks", ("x,X,math,accuracy,fraction,0,100,hub-1,source,as,",), 2, "ceiling: 100 is not"),
    "no such source": (
        "benchmarks",
        ("x,X,math,accuracy,fraction,0,1,hub-2,source,as,",),
        2,
        "source: 'hub-2' .* 'hub-1'",
    ),
    "superseded by nothing": (
        "benchmarks",
        (*BENCHMARKS, "x,X,math,accuracy,fraction,0,1,hub-1,source,as,cod"),
        6,
        "superseded_by: 'cod' is no .* 'code'",
    ),
    "superseded in a circle": (
        "benchmarks",
        tuple(f"{one},X,math,accuracy,fraction,0,1,hub-1,source,as,{after}" for one, after in ("wx", "xy", "yz", "zx")),
        3,
        "superseded_by: leads back to x, which took its place too",
    ),
    "superseded by itself": (
        "benchmarks",
        ("x,X,math,accuracy,fraction,0,1,hub-1,source,as,x",),
        2,
        "superseded_by: names the row itself",
    ),
    "run by nobody": ("benchmarks", ("x,X,math,accuracy,fraction,0,1,hub-1,them,as,",), 2, "run_by: 'them' is none of"),
    "a benchmark twice": ("benchmarks", (*BENCHMARKS, BENCHMARKS[0]), 6, "benchmark: 'mmlu' stands in line 2 already"),
    "an id with spaces": (
        "benchmarks",
        ("x y,X,math,accuracy,fraction,0,1,hub-1,source,as,",),
        2,
        "benchmark: 'x y' is no id",
    ),
    "an alias of two": ("models", (*MODELS, "Delta,gamma,,,,"), 6, "aliases: 'gamma' is claimed by 'Gamma' in line 5"),
    "a name that is an alias": ("models", (*MODELS, "alpha-1,,,,,"), 6, "model: 'alpha-1' is claimed by 'Alpha'"),
    "a model twice": ("models", (*MODELS, "Gamma,,,,,"), 6, "model: 'Gamma' is claimed by 'Gamma' in line 5"),
    "base and tuned as one": (
        "models",
        ("D 7B,d-7b|d-7b-Instruct,,true,said,",),
        2,
        "aliases: 'd-7b' and 'd-7b-Instruct' are a base model",
    ),
    "a base that says so": (
        "models",
        ("D 7B,d-7b|d-7b-base,,true,said,",),
        2,
        "aliases: 'd-7b-base' and 'd-7b' are a base",
    ),
    "open, and nobody says so": ("models", ("D,,,true,,",), 2, "open_weights_by: is missing"),
    "open to a degree": ("models", ("D,,,partly,said,",), 2, "open_weights: 'partly' is none of true, false"),
    "no name": ("models", (",d,,,,",), 2, "model: is missing"),
    "no digest": ("sources", (SOURCES[0].replace(NO_DIGEST, "abc"),), 2, "sha256: 'abc' is no SHA-256"),
    "no snapshot": ("sources", (SOURCES[0].replace("2026-04-27", ""),), 2, "snapshot: is missing"),
    "perhaps redistributable": (
        "sources",
        (SOURCES[0].replace("true", "maybe"),),
        2,
        "redistributable: 'maybe' is none",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_fault_gets_one_sentence_with_file_row_and_field(tmp_path: Path, name: str) -> None:
    table, rows, line, says = MALFORMED[name]
    tables = {} if table == "results" else {table: rows}
    data = write_tables(tmp_path, results={"hub-1": rows if table == "results" else RESULTS}, **tables)
    file = data / ("results/hub-1.csv" if table == "results" else f"{table}.csv")
    with pytest.raises(InputError, match=says) as caught:
        read_facts(data)
    said = str(caught.value)
    assert said.startswith(f"{file}:{line}: ") and "\n" not in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", ":1: is empty"),
        (b"\xff\xfe", ":1: is no text in UTF-8"),
        (MODEL_HEADER.encode() + b",more\n", ":1: has a column 'more'"),
        (MODEL_HEADER.replace(",released", "").encode() + b"\n", ":1: lacks the column 'released'"),
        (
            ",".join(reversed(MODEL_HEADER.split(","))).encode() + b"\n",
            ":1: must name the columns in this order: model,",
        ),
        (BENCHMARK_HEADER.encode() + b"\n", ":1: lacks the column 'model'"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    data = write_tables(tmp_path)
    (data / "models.csv").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_facts(data)
    assert str(caught.value).startswith(f"{data / 'models.csv'}{says}")


def test_a_file_that_is_missing_too_large_or_of_no_source_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_tables(tmp_path, results={"hub-2": RESULTS})
    with pytest.raises(InputError, match=r"hub-2.csv: 'hub-2' is no source .* 'hub-1'"):
        read_facts(data)
    (data / "models.csv").unlink()
    with pytest.raises(InputError, match=r"models.csv: is no file"):
        read_facts(data)
    (data / "models.csv").mkdir()
    with pytest.raises(InputError, match=r"models.csv: is no file"):
        read_facts(data)
    assert reading_rows.MAX_BYTES >= 1_000_000
    with pytest.raises(InputError, match="has more than 10 bytes"):
        reading_rows.read_bytes(data / "benchmarks.csv", 10)


@pytest.mark.parametrize(
    ("model", "aliases", "apart"),
    [
        ("L", ["l-7b", "l-7b-chat"], True),
        ("L", ["Meta-L-7B", "meta_l_7b_instruct"], True),
        ("L", ["l-7b-base", "l-7b-it"], True),
        ("L", ["l-7b-hf", "L-7b"], False),
        ("L", ["l-7b-chat", "l-7b-instruct"], False),
        ("L", ["l-7b", "l-8b-chat"], False),
        ("L Instruct", ["l-7b", "l-7b-instruct"], False),
        ("L Instruct", ["l-7b-base", "l-7b-instruct"], True),
        ("L", ["chatty", "chatty-7b"], False),
        ("L", [], False),
    ],
)
def test_base_and_tuned_are_told_apart_by_their_names(model: str, aliases: list[str], apart: bool) -> None:
    found = pooled(model, aliases)
    assert (found is not None) == apart
    assert found is None or set(found) <= set(aliases)
    assert (pooled(model, reversed(aliases)) is not None) == apart


def test_the_columns_of_a_file_of_results_are_what_the_importer_writes() -> None:
    assert ",".join(reading_results.COLUMNS) == RESULT_HEADER
