"""Figures of the index are traced to the rows of their results, and a chain breaks where something was altered."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.referee.tracing.link import Broken
from argusic.referee.tracing.tracing import Tracer
from tests.leaderboards.index.made_index import DAY, made, write_index
from tests.site.index.made_site import rank, write_repository

NEWEST = "leaderboards/index/derived/2026-11-22.yaml"
OLDER = "leaderboards/index/derived/2026-10-22.yaml"
ROWS = "leaderboards/index/data/results/made.csv"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with two rankings."""
    return write_repository(tmp_path_factory.mktemp("ranked") / "referee").root


@pytest.fixture
def base(whole: Path, tmp_path: Path) -> Database:
    return Database(shutil.copytree(whole, tmp_path / "copy"))


def altered(base: Database, path: str, change: Callable[[str], str]) -> None:
    file = base.root / path
    before = file.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    file.write_text(after, encoding="utf-8")


def test_a_figure_is_named_and_its_rows_stand_with_their_lines(base: Database) -> None:
    chain = Tracer(base).trace(f"{NEWEST}#models/1/score")
    model = chain.what.removesuffix(": score")
    rows = [link for link in chain.below if link.what.startswith(f"published result of {model} on ")]
    assert rows and chain.checked[0].startswith("is what the results give")
    lines = (base.root / ROWS).read_text(encoding="utf-8").splitlines()
    for row in rows:
        if row.file == ROWS:
            assert row.line is not None and str(row.value) in lines[row.line - 1]
    inputs = chain.below[0]
    assert {file for file, _ in inputs.against} >= {ROWS, "leaderboards/index/references/2026-Q4.yaml"}


def test_a_benchmark_s_difficulty_follows_from_all_of_its_results(base: Database) -> None:
    chain = Tracer(base).trace(f"{NEWEST}#benchmarks/bench-00/difficulty")
    assert len(chain.below) == 1 + sum(line.startswith("bench-00,") for line in results(base))


def results(base: Database) -> list[str]:
    folder = base.root / "leaderboards/index/data/results"
    return [line for path in folder.glob("*.csv") for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_older_ranking_is_traced_as_it_was_published(base: Database) -> None:
    chain = Tracer(base).trace(f"{OLDER}#ranked")
    assert chain.checked == ("as it was published at its date; what followed later changed no published ranking",)


def test_a_score_that_was_altered_breaks_the_chain(base: Database) -> None:
    altered(base, NEWEST, lambda text: text.replace("score: 1", "score: 2", 1))
    with pytest.raises(Broken, match="the chain breaks here"):
        Tracer(base).trace(f"{NEWEST}#models/1/score")


@pytest.mark.parametrize("ranking", [NEWEST, OLDER])
def test_a_result_that_was_altered_breaks_the_chain_of_every_ranking_that_pins_its_file(
    base: Database, ranking: str
) -> None:
    altered(base, ROWS, lambda text: text.replace("2026-10-01", "2026-09-30", 1))
    with pytest.raises(Broken, match="sha256"):
        Tracer(base).trace(f"{ranking}#models/1/score")


def test_a_file_of_results_lists_its_rows(base: Database) -> None:
    tracer = Tracer(base)
    listed = tracer.addresses(ROWS)
    count = tracer.trace(f"{ROWS}#results")
    assert count.value == len(listed) - 1
    assert count.below[0].file == "leaderboards/index/data/sources.csv"
    with pytest.raises(InputError, match=r"has no figure '1/score'"):
        tracer.trace(f"{ROWS}#1/score")


def test_a_ranking_that_stands_on_a_fit_of_its_own_is_traced_too(tmp_path: Path) -> None:
    base = write_index(tmp_path / "referee", made())
    rank(base, DAY)
    assert len(Tracer(base).trace(f"{OLDER}#rmse").below) == 1
