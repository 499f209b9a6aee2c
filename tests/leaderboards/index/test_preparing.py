"""The panel at a date and what is fitted: best variants, normalising, the three dates, the gate."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.errors import InputError
from argusic.leaderboards.index.facts import Benchmark, Category, Facts, Model, Result, Source
from argusic.leaderboards.index.gate import refused
from argusic.leaderboards.index.panel_report import report
from argusic.leaderboards.index.preparing import PanelRule, normalised, prepare
from tests.leaderboards.index.made_tables import RESULTS, write_tables

DAY = date(2026, 10, 22)


def source(name: str, snapshot: date = date(2026, 4, 27)) -> Source:
    return Source(name, name, "https://a.example", snapshot, "CC BY 4.0", True, "A.", "0" * 64)


def benchmark(name: str, baseline: float | None = 0.0, ceiling: float | None = 1.0, **more: object) -> Benchmark:
    made = Benchmark(name, name, "coding", "accuracy", "fraction", baseline, ceiling, "hub", "others", "as", None)
    return replace(made, **more)  # type: ignore[arg-type]


def model(name: str, *, is_open: bool | None = True, released: date | None = None) -> Model:
    return Model(name, (), None, is_open, "said", released)


def result(of: str, on: str, score: float, as_of: date | None = None, **more: object) -> Result:
    return replace(Result(of, on, score, as_of, "hub", of, "", 2), **more)  # type: ignore[arg-type]


def facts(results: list[Result], models: list[Model], benchmarks: list[Benchmark], *more: Source) -> Facts:
    ordered = sorted(results, key=lambda one: (one.benchmark, one.model, one.version, one.variant, one.source))
    return Facts(
        {one.source: one for one in (source("hub"), source("later", date(2026, 8, 11)), *more)},
        {one.benchmark: one for one in benchmarks},
        {one.model: one for one in models},
        tuple(ordered),
    )


def test_a_score_is_normalised_clipped_and_its_clip_counted() -> None:
    scores = {"a": 0.1, "b": 0.25, "c": 0.7, "d": 0.9, "e": 1.0}
    made = facts(
        [result(name, "x", score) for name, score in scores.items()],
        [model(name) for name in scores],
        [benchmark("x", 0.25, 0.85)],
    )
    prepared = prepare(made, PanelRule.everything(DAY))
    assert [one.normalised for one in prepared.chosen] == pytest.approx([0, 0, 0.75, 1, 1])
    assert (prepared.clipped_low["x"], prepared.clipped_high["x"], prepared.at_edge["x"]) == (1, 2, 0.8)


@pytest.mark.parametrize(("edges", "active"), [(1, True), (2, False)])
def test_a_benchmark_with_over_a_quarter_of_its_results_at_an_edge_is_dropped(edges: int, active: bool) -> None:
    scores = [0.0, 1.0][:edges] + [0.5] * (4 - edges)
    made = facts(
        [result(str(n), "x", score) for n, score in enumerate(scores)],
        [model(str(n)) for n in range(4)],
        [benchmark("x")],
    )
    prepared = prepare(made, PanelRule.everything(DAY))
    live = prepared.liveness["x"]
    assert (live.active, len(prepared.responses), prepared.at_edge["x"]) == (active, 4 * active, edges / 4)
    assert active or "50.0% are exactly 0 or 1, and 25% is the most" in str(live.left_out)
    assert {one.counts for one in prepared.chosen} == {active}


def test_the_best_published_variant_stands_for_a_model_and_says_which_it_was() -> None:
    rows = [
        result("a", "x", 0.4, version="a-low", variant="low"),
        result("a", "x", 0.6, version="a-high", variant="high"),
        result("a", "x", 0.7, source="later", version="a-max"),
    ]
    made = facts(rows, [model("a", is_open=False)], [benchmark("x")])
    chosen = prepare(made, PanelRule.everything(DAY)).chosen[0].result
    assert (chosen.score, chosen.version, chosen.source) == (0.7, "a-max", "later")
    chosen = prepare(made, PanelRule.everything(DAY), ["hub"]).chosen[0].result
    assert (chosen.score, chosen.version, chosen.variant) == (0.6, "a-high", "high")


def test_of_equal_results_the_benchmarks_own_source_is_taken_also_where_the_other_rounds_or_clips() -> None:
    models = [model("a")]
    rounded = facts([result("a", "x", 0.1234567), result("a", "x", 0.123457, source="later")], models, [benchmark("x")])
    assert prepare(rounded, PanelRule.everything(DAY)).chosen[0].result.score == 0.1234567
    clipped = facts([result("a", "x", 0.2), result("a", "x", 0.25, source="later")], models, [benchmark("x", 0.25)])
    prepared = prepare(clipped, PanelRule.everything(DAY))
    assert prepared.chosen[0].result.score == 0.2 and prepared.clipped_low["x"] == 1


def test_relative_benchmarks_are_chosen_apart_and_never_fitted() -> None:
    rated = benchmark("r", kind="relative", unit="rating", baseline=None, ceiling=None)
    made = facts(
        [result("a", "r", 1200.0), result("a", "r", 1300.0, variant="b"), result("a", "x", 0.5)],
        [model("a")],
        [rated, benchmark("x")],
    )
    prepared = prepare(made, PanelRule.everything(DAY))
    assert [one.score for one in prepared.relative] == [1300.0]
    assert prepared.responses.benchmarks == ("x",) and "r" not in prepared.liveness
    with pytest.raises(ValueError, match="is relative"):
        normalised(1200, rated)


@pytest.mark.parametrize(("age", "active"), [(364, True), (365, True), (366, False)])
@pytest.mark.parametrize("kind", ["open result", "external result", "open release"])
def test_exactly_365_days_is_active_by_each_of_the_three_dates(age: int, active: bool, kind: str) -> None:
    day = DAY - timedelta(days=age)
    old = date(2020, 1, 1)
    made = facts(
        [result("a", "x", 0.5, day if kind != "open release" else None)],
        [model("a", is_open=kind != "external result", released=day if kind == "open release" else old)],
        [benchmark("x")],
    )
    live = prepare(made, PanelRule(DAY)).liveness["x"]
    assert live.active == active and live.kept_by == ((kind,) if active else ())
    assert (live.open_result, live.external_result, live.open_release) == (
        day if kind == "open result" else None,
        day if kind == "external result" else None,
        day if kind == "open release" else old if kind == "open result" else None,
    )
    assert active or f"Its newest date, {day}, is 366 days before the panel's; 365 is the most." == live.left_out
    strict = prepare(made, PanelRule(DAY, run_dates_only=True)).liveness["x"]
    assert strict.active == (active and kind != "open release")
    few = prepare(made, PanelRule(DAY, least_recent=1)).liveness["x"]
    assert few.active == (active and kind != "open release")


def test_recent_results_are_counted_once_for_a_model() -> None:
    rows = [result("a", "x", 0.1 * n, DAY - timedelta(days=n), version=f"a{n}") for n in range(3)]
    rows += [result("b", "x", 0.5, DAY - timedelta(days=365)), result("c", "x", 0.5, DAY - timedelta(days=366))]
    made = facts([*rows, result("d", "x", 0.5)], [model(name) for name in "abcd"], [benchmark("x")])
    made = replace_snapshot(made, DAY)
    assert prepare(made, PanelRule(DAY)).liveness["x"].recent == 2
    left = prepare(made, PanelRule(DAY, least_recent=3)).liveness["x"]
    assert left.left_out == "It has results of 2 models since 2025-10-22; 3 are needed."


def replace_snapshot(made: Facts, day: date) -> Facts:
    return replace(made, sources={name: replace(one, snapshot=day) for name, one in made.sources.items()})


def test_at_a_date_only_what_was_published_then_is_known() -> None:
    rows = [
        result("a", "x", 0.5, date(2026, 1, 1)),
        result("b", "x", 0.6, date(2026, 3, 1)),
        result("c", "x", 0.7),
        result("d", "x", 0.8, source="later"),
    ]
    made = facts(rows, [model(name, released=date(2026, 9, 1)) for name in "abcd"], [benchmark("x")])
    assert prepare(made, PanelRule(date(2026, 2, 1))).responses.models == ("a",)
    assert prepare(made, PanelRule(date(2026, 4, 27))).responses.models == ("a", "b", "c")
    prepared = prepare(made, PanelRule(date(2026, 8, 11)))
    assert prepared.responses.models == ("a", "b", "c", "d") and prepared.sources == ("hub", "later")
    assert prepared.liveness["x"].open_release is None, "a release to come keeps nothing alive"


def test_a_source_without_results_is_no_source() -> None:
    made = facts([result("a", "x", 0.5)], [model("a")], [benchmark("x")])
    with pytest.raises(InputError, match=r"'hubs' is no source with results .* nearest known is 'hub'"):
        prepare(made, PanelRule(DAY), ["hubs"])


@pytest.mark.parametrize("wrong", [{"days": -1}, {"least_recent": -1}])
def test_a_rule_of_less_than_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="not below 0"):
        PanelRule(DAY, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("categories", "lacks"),
    [
        (["coding", "coding", "math", "math"], []),
        (["reasoning", "data", "data", "data"], []),
        (["coding", "math", "math"], ["results on 3 benchmarks that count, and 4 are needed"]),
        (["coding"] * 5, ["results of coding alone, and 2 categories are needed"]),
        (["math", "science", "math", "data"], ["no result in reasoning or coding, and one is needed"]),
        (["math"], ["on 1 benchmark that", "of math alone", "no result in reasoning or coding"]),
        ([], ["on no benchmarks", "of no category", "no result in reasoning or coding"]),
    ],
)
def test_the_gate_says_what_evidence_is_missing(categories: list[Category], lacks: list[str]) -> None:
    said = refused([benchmark(str(n), category=category) for n, category in enumerate(categories)])
    assert (said is None) == (not lacks)
    assert all(part in str(said) for part in lacks)
    assert said is None or (said.startswith("There is not enough current evidence") and said.count(".") == 1)


DAYS = st.none() | st.dates(date(2024, 1, 1), date(2026, 12, 31))


@st.composite
def published(draw: st.DrawFn) -> Facts:
    count = draw(st.integers(1, 4))
    benchmarks = [
        benchmark(
            f"b{n}",
            draw(st.sampled_from([0.0, 0.25])),
            draw(st.sampled_from([0.6, 1.0])),
        )
        for n in range(count)
    ]
    models = [model(f"m{n}", is_open=draw(st.sampled_from([True, False, None])), released=draw(DAYS)) for n in range(4)]
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 3), st.integers(0, count - 1), st.floats(0, 1), DAYS, st.sampled_from(["hub", "later"])
            ),
            max_size=20,
        )
    )
    results = [
        result(f"m{m}", f"b{b}", score, day, source=source, variant=str(n))
        for n, (m, b, score, day, source) in enumerate(rows)
    ]
    return facts(results, models, benchmarks)


@settings(max_examples=60, deadline=None)
@given(published(), st.dates(date(2025, 6, 1), date(2026, 12, 31)), st.integers(0, 3))
def test_whatever_was_published(made: Facts, day: date, least: int) -> None:
    rule = PanelRule(day)
    prepared = prepare(made, rule)
    every = prepare(made, PanelRule.everything(day))
    strict = [prepare(made, replace(rule, run_dates_only=True)), prepare(made, replace(rule, least_recent=least))]
    # One result to a model and benchmark, the same whatever counts, from 0 to 1.
    pairs = [(one.result.benchmark, one.result.model) for one in prepared.chosen]
    assert pairs == sorted(set(pairs)) == [(one.result.benchmark, one.result.model) for one in every.chosen]
    assert all(0 <= one.normalised <= 1 for one in prepared.chosen)
    # A stricter rule takes benchmarks out and brings none in.
    active = [{name for name, live in one.liveness.items() if live.active} for one in (every, prepared, *strict)]
    assert active[0] >= active[1] >= active[2] | active[3]
    for name, live in prepared.liveness.items():
        dates = (live.open_result, live.external_result, live.open_release)
        recent = [seen for seen in dates if seen is not None and 0 <= (day - seen).days <= 365]
        assert len(recent) == len(live.kept_by) and all(seen is None or seen <= day for seen in dates)
        assert live.active == (live.left_out is None)
        assert not live.active or (recent and prepared.at_edge[name] <= 0.25)
        scores = [one.result.score for one in prepared.chosen if one.result.benchmark == name]
        policy = made.benchmarks[name]
        assert prepared.clipped_low[name] == sum(normalised(score, policy) < 0 for score in scores)
        assert prepared.clipped_high[name] == sum(normalised(score, policy) > 1 for score in scores)
    assert set(prepared.responses.benchmarks) == active[1]
    assert len(prepared.responses) == sum(one.counts for one in prepared.chosen)
    # The best that was published by then, and no later result.
    for one in prepared.chosen:
        rivals = [r for r in made.results if (r.benchmark, r.model) == (one.result.benchmark, one.result.model)]
        known = [r for r in rivals if (r.as_of or made.sources[r.source].snapshot) <= day]
        best = max(min(max(normalised(r.score, made.benchmarks[r.benchmark]), 0), 1) for r in known)
        assert one.result in known and one.normalised == pytest.approx(best, abs=2e-6)
    # The files' order is nothing.
    backwards = replace(made, results=tuple(reversed(made.results)))
    backwards = replace(made, results=tuple(sorted(backwards.results, key=lambda r: (r.benchmark, r.model))))
    assert prepare(backwards, rule).responses.digest == prepared.responses.digest


def test_the_command_says_what_each_stricter_rule_would_change(tmp_path: Path) -> None:
    write_tables(tmp_path, results={"hub-1": RESULTS})
    (tmp_path / "pool").mkdir()
    (tmp_path / "rules").mkdir()
    words = ["--repo", str(tmp_path), "index", "panel", "--date", "2026-10-22"]
    said = json.loads(CliRunner().invoke(build("index"), [*words, "--json"]).stdout)
    assert said["benchmarks_that_count"] == 1 and said["models_passing"] == 0
    of = {one["benchmark"]: one for one in said["benchmarks"]}
    assert of["mmlu"]["kept_by"] == ["external result", "open release"] and of["mmlu"]["recent"] == 1
    assert of["code"]["left_out"] == "No date of a run or a release is known."
    assert [change["leave"] for change in said["changes"]] == [[], ["mmlu"], ["mmlu"]]
    assert said["refusals"]["Alpha"].startswith("There is not enough current evidence")
    shown = CliRunner().invoke(build("index"), words).stdout
    assert "Out: code. No date of a run or a release is known." in shown
    assert any(line.startswith("mmlu ") and line.count(" *") == 2 for line in shown.splitlines())
    assert "1 of 2 benchmarks count" in shown and "By days of runs alone: 1 benchmarks" in shown
    every = json.loads(CliRunner().invoke(build("index"), [*words, "--everything", "--json"]).stdout)
    assert every["benchmarks_that_count"] == 2 and every["changes"] == []
    for more, says in (
        (["--everything", "--days", "3"], "--everything goes with none"),
        (["--source", "x"], "'x' is no source"),
    ):
        assert says in str(CliRunner().invoke(build("index"), [*words, *more]).exception)
    wrong = CliRunner().invoke(build("index"), ["--repo", str(tmp_path), "index", "panel", "--date", "today"])
    assert "'today' is no day" in str(wrong.exception)


def test_a_report_names_who_passes() -> None:
    on = [benchmark(f"b{n}", category="math" if n else "coding") for n in range(4)]
    rows = [result("a", one.benchmark, 0.5, DAY - timedelta(days=9 + n)) for n, one in enumerate(on)]
    made = replace_snapshot(facts([*rows, result("b", "b0", 0.4)], [model("a"), model("b")], on), DAY)
    found = report(made, PanelRule(DAY))
    assert found.passing == ("a",) and found.refusals["a"] is None
    by = {change.rule: change for change in found.changes}
    assert by["days of runs alone"].lose == () and by["at least 5 models with a recent result"].lose == ("a",)
