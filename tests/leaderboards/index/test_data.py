"""The committed tables and files of results: what they hold, and that nothing stands in them that may not."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.panel_report import report
from argusic.leaderboards.index.preparing import PanelRule, Prepared, prepare
from argusic.leaderboards.index.reading.facts import read_facts
from argusic.leaderboards.index.reading.results import RESULTS

DATA = Path(__file__).resolve().parents[3] / "leaderboards/index/data"
#: After every copy was taken.
LATER = date(2026, 11, 30)


@cache
def facts() -> Facts:
    return read_facts(DATA)


@cache
def everything() -> Prepared:
    return prepare(facts(), PanelRule.everything(LATER))


def test_the_redistributable_part_is_as_large_as_its_documents_say() -> None:
    published = Counter(result.source for result in facts().results)
    assert published == {"aider-2026": 129, "epoch-eci-2026-08": 2249, "epoch-hub-2026-04": 3230, "evalplus-2024": 97}
    made = everything().responses
    assert (len(made), len(made.models), len(made.benchmarks)) == (3011, 452, 67)
    found = report(facts(), PanelRule.everything(LATER))
    assert len(found.passing) == 216
    assert sum(facts().models[model].open_weights is True for model in found.passing) == 110
    assert len(everything().relative) == 26


def test_at_the_seeds_date_most_benchmarks_live_by_the_release_of_an_open_model_alone() -> None:
    found = report(facts(), PanelRule(date(2026, 10, 22)))
    alive = [live for live in found.prepared.liveness.values() if live.active]
    assert (len(alive), len(found.passing)) == (38, 132)
    assert sum(live.kept_by == ("open release",) for live in alive) == 25
    # The classics that the panel was made to leave behind.
    for classic in ("gsm8k", "hellaswag", "piqa", "boolq", "mmlu"):
        assert found.prepared.liveness[classic].left_out is not None
    assert [change.benchmarks for change in found.changes] == [13, 11, 11]


def test_no_benchmark_is_dropped_for_results_at_its_edges() -> None:
    shares = {name: share for name, share in everything().at_edge.items() if share > 0.15}
    assert set(shares) == {"critpt", "csqa2", "frontiermath-t4-v1"} and max(shares.values()) < 0.25


@pytest.mark.parametrize("path", sorted((DATA / RESULTS).glob("*.csv")), ids=lambda path: path.stem)
def test_a_file_of_results_is_sorted_and_its_source_says_how_it_may_be_passed_on(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert rows == sorted(rows)
    source = facts().sources[path.stem]
    assert (
        source.redistributable
        and source.licence in ("Apache-2.0", "CC BY 4.0")
        and source.licence in source.attribution
    )


def test_results_that_one_source_passes_on_for_others_say_so() -> None:
    passed_on = [
        one for one in facts().benchmarks.values() if one.run_by == "others" and one.source.startswith("epoch")
    ]
    assert len(passed_on) > 40
    assert all("Epoch AI under CC BY 4.0" in one.licence for one in passed_on)


def test_how_it_is_known_that_weights_are_open_is_said_for_every_model() -> None:
    by = Counter(model.open_weights_by.partition(":")[0].partition(" (")[0] for model in facts().models.values())
    assert set(by) == {"Epoch AI", "guess from the name", "not known"}
    assert {m.open_weights for m in facts().models.values() if m.open_weights_by == "not known"} == {None}
    guessed = [model for model in facts().models.values() if model.open_weights_by.startswith("guess")]
    counted = {one.result.model for one in everything().chosen}
    assert len([model for model in guessed if model.model in counted]) < 100


def test_what_supersedes_a_benchmark_is_not_superseded_by_it() -> None:
    known = facts().benchmarks
    for one in known.values():
        seen = {one.benchmark}
        after = one.superseded_by
        while after is not None:
            assert after not in seen and known[after].category == one.category
            seen.add(after)
            after = known[after].superseded_by


def test_snapshots_of_livebench_are_benchmarks_of_their_own() -> None:
    named = [name for name in facts().benchmarks if name.startswith("livebench-") and "epoch" not in name]
    assert Counter(name[len("livebench-") :][:10] for name in named) == {
        "2024-11-25": 6,
        "2025-05-30": 7,
        "2026-01-08": 7,
    }
