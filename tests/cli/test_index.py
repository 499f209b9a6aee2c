"""The index of a repository by its commands: freeze, rank, derive, fit, changes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.database import Database
from argusic.database.paths import ranking_path, reference_path
from argusic.errors import InputError
from argusic.leaderboards.index.reading.places import OWN
from tests.leaderboards.index.made_index import Made, made, write_index


def argusic(base: Database, *words: str) -> Result:
    return CliRunner().invoke(build(words[0]), ["--repo", str(base.root), *words])


def index(base: Database, *words: str) -> Any:
    done = argusic(base, "index", *words, "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


def refused(base: Database, *words: str) -> str:
    done = argusic(base, "index", *words)
    assert isinstance(done.exception, InputError), (done.output, done.exception)
    return str(done.exception)


def test_from_results_to_a_ranking_and_what_moved(tmp_path: Path) -> None:
    small = made()
    base = write_index(tmp_path, small)
    assert "no ranking of the index. Open one" in refused(base, "fit")
    assert "There is no reference 2026-Q4; there is none" in refused(
        base, "rank", "2026-10-22", "--reference", "2026-Q4"
    )
    frozen = index(base, "freeze", "2026-Q4", "--date", "2026-10-22")
    assert frozen["new"] and len(frozen["benchmarks"]) == 8
    written = base.read_bytes(reference_path("2026-Q4"))
    assert index(base, "freeze", "2026-Q4", "--date", "2026-10-22") == {**frozen, "new": False}
    assert "is frozen with another content" in refused(
        base, "freeze", "2026-Q4", "--date", "2026-10-22", "--sigma", "0.2"
    )
    assert base.read_bytes(reference_path("2026-Q4")) == written
    opened = index(base, "rank", "2026-10-22", "--reference", "2026-Q4", "--draws", "20")
    assert opened["entered"] == [] and opened["inputs"]["reference"]["sha256"] == frozen["sha256"]
    assert "A ranking of 2026-10-22 is open already" in refused(base, "rank", "2026-10-02")
    derived = argusic(base, "recompute", "--json")
    assert json.loads(derived.stdout)["written"] == [str(ranking_path("2026-10-22"))]
    fitted = index(base, "fit")
    ranking = base.rankings()["2026-10-22"]
    assert [(one["model"], one["score"], one["gated"]) for one in fitted["models"]] == [
        (one.model, one.score, one.refused is None) for one in ranking.models
    ]
    assert {"theta", "low", "high", "low_joint", "high_joint", "benchmarks"} <= set(fitted["models"][0])
    shown = argusic(base, "index", "fit", "--open", "--top", "3")
    assert "their parameters held by 2026-Q4" in shown.stdout and "Model 01" not in shown.stdout

    # A month later: another file of results, with a benchmark that is new.
    wider = replace(small, benchmarks=(*small.benchmarks, "late"))
    late = {(name, "late"): 0.2 + 0.05 * i for i, name in enumerate(small.models[:9])}
    write_index(tmp_path, replace(wider, scores=late), source="made-later")
    opened = index(base, "rank", "2026-11-22", "--reference", "2026-Q4", "--draws", "20")
    assert [item["benchmark"] for item in opened["entered"]] == ["late"]
    assert "There are no two rankings" in refused(base, "changes")
    argusic(base, "recompute")
    moved = index(base, "changes")
    assert moved["entered"] == ["late"] and (moved["before"], moved["after"]) == ("2026-10-22", "2026-11-22")
    assert {reason["cause"] for one in moved["moved"] for reason in one["why"]} == {"benchmark entered"}
    assert "Benchmark entered (late)." in argusic(base, "index", "changes", "2026-10-22", "2026-11-22").stdout
    assert index(base, "fit", "--date", "2026-10-22")["date"] == "2026-10-22"
    index(base, "freeze", "2026-Q4.2", "--date", "2026-11-22")
    table = index(base, "freeze", "--compare", "2026-Q4", "2026-Q4.2")
    assert table["only_new"] == [] and table["models"]  # The addendum holds what the old reference lacks.
    assert argusic(base, "check", "--json").exit_code == 0


def test_what_a_checkout_keeps_for_itself_counts_only_where_asked_for(tmp_path: Path) -> None:
    small = made()
    base = write_index(tmp_path, small)
    wider = replace(small, benchmarks=(*small.benchmarks, "secret"), scores={})
    secret = wider.having({(name, "secret"): 0.2 + 0.04 * i for i, name in enumerate(small.models)})
    write_index(tmp_path, secret, source="private", redistributable=False)
    (tmp_path / OWN).mkdir(parents=True)
    (tmp_path / "leaderboards/index/data/results/private.csv").rename(tmp_path / OWN / "private.csv")
    index(base, "freeze", "2026-Q4", "--date", "2026-10-22")
    opened = index(base, "rank", "2026-10-22", "--reference", "2026-Q4", "--draws", "20")
    assert [file["source"] for file in opened["inputs"]["results"]] == ["made"]
    public, own = index(base, "fit"), index(base, "fit", "--own")
    assert "secret" not in {one["benchmark"] for one in public["benchmarks"]}
    assert "secret" in {one["benchmark"] for one in own["benchmarks"]}
    assert any("secret has no parameters in 2026-Q4" in said for said in own["warnings"])


def test_the_next_ranking_waits_for_the_one_before(tmp_path: Path) -> None:
    base = write_index(tmp_path, made())
    index(base, "rank", "2026-10-22", "--draws", "20")
    said = refused(base, "rank", "2026-10-23")
    assert said.startswith("The ranking of 2026-10-22 is not derived yet, and cannot be once a later one is open.")
    assert argusic(base, "recompute").exit_code == 0
    index(base, "rank", "2026-10-23", "--draws", "20")


def test_a_table_of_two_scales_says_so(tmp_path: Path) -> None:
    rows = [f"m{i},b{j},0.{1 + (3 * i + 2 * j) % 8}\n" for i in range(8) for j in range(8) if (i < 4) is (j < 5)]
    (tmp_path / "two.csv").write_text("model,benchmark,score\n" + "".join(rows))
    done = CliRunner().invoke(build("index"), ["index", "fit", "--input", str(tmp_path / "two.csv")])
    assert "No result connects b5, b6 and b7 with the other benchmarks: priors alone place them" in done.stdout
    done = CliRunner().invoke(build("index"), ["index", "fit", "--input", str(tmp_path / "two.csv"), "--json"])
    assert "No result connects b5, b6 and b7" in done.stderr and len(json.loads(done.stdout)["models"]) == 8


def test_a_name_is_printed_as_it_stands(tmp_path: Path) -> None:
    names = (":warning:", "[red]x[/red]", "=cmd|'/C calc'!A0")
    (tmp_path / "names.csv").write_text("model,benchmark,score\n" + "".join(f"{name},:smile:,0.5\n" for name in names))
    done = CliRunner().invoke(build("index"), ["index", "fit", "--input", str(tmp_path / "names.csv")])
    assert done.exit_code == 0 and all(name in done.stdout for name in names)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("freeze", "autumn", "--date", "2026-10-22"), "'autumn' must be a quarter such as 2026-Q4"),
        (("freeze", "../x", "--date", "2026-10-22"), "'../x' must be a quarter"),
        (("freeze", "2026-Q4"), "Name the reference and its day"),
        (("freeze", "2026-Q4", "--date", "2020-01-01"), "No file of results may be used for 2020-01-01"),
        (("freeze", "2026-Q4", "--date", "2026-10-22", "--everything", "--days", "3"), "--everything goes without"),
        (("freeze", "2026-Q4", "--compare", "2026-Q3", "2026-Q4"), "--compare freezes nothing"),
        (("freeze", "--compare", "2026-Q3", "2026-Q4"), "There is no reference 2026-Q3; there is none."),
        (("rank", "2026-10-22", "--least-recent", "99"), "the panel is empty|No result counts"),
        (("rank", "2026-10-22", "--note", " "), "--note says nothing"),
        (("rank", "2026-10-22", "--note", "\udcff"), "characters that cannot be shown"),
        (("fit", "--date", "2026-10-22"), "does not exist"),
        (("fit", "--date", "2026-1-1"), "--date '2026-1-1' is no day, written as 2026-10-22"),
        (("fit", "--date", "２０２６-10-22"), "--date '２０２６-10-22' is no day"),
        (("compare", "--date", "2026-02-30"), "--date '2026-02-30' is no day"),
        (("freeze", "2026-Q4", "--date", "20261022"), "--date '20261022' is no day"),
        (("rank", "2026-02-30"), "DATE '2026-02-30' is no day"),
        (("panel", "--date", "today"), "--date 'today' is no day"),
        (("fit", "--sigma", "0.2"), "--likelihood and --sigma go with --input"),
        (("fit", "--input", "x.csv", "--own"), "go with the repository's results"),
        (("changes", "2026-10-22"), "There is no ranking of '2026-10-22'; there is none."),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_said_in_one_sentence(words: tuple[str, ...], what: str, shared: Database) -> None:
    import re

    said = refused(shared, *words)
    assert re.search(what, said) and "\n" not in said


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Database:
    small: Made = made()
    return write_index(tmp_path_factory.mktemp("index"), small)
