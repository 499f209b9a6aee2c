"""Each way to one number by hand-made answers, slow twins and known truths; how rankings are correlated."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from argusic.leaderboards.index.comparing.active_panel import ActivePanel
from argusic.leaderboards.index.comparing.category_average import CategoryAverage
from argusic.leaderboards.index.comparing.correlations import agreement, kendall, spearman
from argusic.leaderboards.index.comparing.epoch_form import EpochForm, _Problem, capabilities
from argusic.leaderboards.index.comparing.given_ratings import GivenRatings
from argusic.leaderboards.index.comparing.minimum_count import MinimumCount
from argusic.leaderboards.index.comparing.own_index import OwnIndex
from argusic.leaderboards.index.comparing.way import Given, Outcome
from argusic.leaderboards.index.comparing.weighted_average import WeightedAverage
from argusic.leaderboards.index.comparing.z_scores import ZScores
from argusic.leaderboards.index.facts import Benchmark, Category
from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.responses import Floats, Responses
from tests.leaderboards.index.test_fit import made

Rows = list[tuple[str, str, float]]

ROWS: Rows = [
    ("a", "maths 1", 0.2), ("a", "maths 2", 0.4), ("a", "code", 0.6), ("a", "logic", 0.9),
    ("b", "maths 1", 0.8), ("b", "code", 0.4),
    ("c", "maths 2", 0.5), ("c", "science", 0.5), ("c", "language", 0.5), ("c", "maths 1", 0.5),
    ("d", "code", 1.0), ("d", "logic", 0.0), ("d", "science", 0.5),
]  # fmt: skip
CATEGORIES: dict[str, Category] = {
    "maths 1": "math", "maths 2": "math", "code": "coding", "logic": "reasoning",
    "science": "science", "language": "language",
}  # fmt: skip


def known(categories: Mapping[str, Category]) -> dict[str, Benchmark]:
    return {
        name: Benchmark(name, name, category, "accuracy", "share", 0.0, 1.0, "", "", "", None)
        for name, category in categories.items()
    }


GIVEN = Given(Responses.of_rows(ROWS), known(CATEGORIES), frozenset({"maths 1", "code", "logic", "science"}))


def scores(outcomes: Mapping[str, Outcome]) -> dict[str, float]:
    return {model: one.score for model, one in outcomes.items() if one.score is not None}


def test_the_category_average_is_the_mean_of_means_and_asks_for_three_categories_with_a_core_one() -> None:
    said = CategoryAverage().scores(GIVEN)
    assert scores(said) == pytest.approx({"a": (0.3 + 0.6 + 0.9) / 3, "d": 0.5})
    assert "2 of the 3 categories" in (said["b"].why_not or "")
    assert "no result in reasoning or coding" in (said["c"].why_not or "")
    assert set(scores(CategoryAverage(core=False).scores(GIVEN))) == {"a", "c", "d"}
    assert scores(CategoryAverage(least_categories=1).scores(GIVEN))["b"] == pytest.approx(0.6)


def test_without_categories_the_category_average_says_so_of_everyone() -> None:
    said = CategoryAverage().scores(Given(GIVEN.responses))
    assert scores(said) == {} and all("0 of the 3" in (one.why_not or "") for one in said.values())


def test_a_minimum_count_changes_who_is_ranked_and_no_score() -> None:
    said = MinimumCount(4).scores(GIVEN)
    assert scores(said) == pytest.approx({"a": 0.6})
    assert "3 of the 4 benchmarks" in (said["d"].why_not or "")
    assert scores(MinimumCount(1).scores(GIVEN)) == scores(CategoryAverage().scores(GIVEN))


def test_standard_scores_are_those_of_a_slow_twin_and_level_benchmarks_say_nothing() -> None:
    rows: Rows = [*ROWS, *(("a", "level", 0.3), ("b", "level", 0.3)), ("a", "alone", 0.7)]
    by_benchmark: dict[str, list[float]] = {}
    for _, benchmark, score in rows:
        by_benchmark.setdefault(benchmark, []).append(score)
    slow: dict[str, list[float]] = {}
    for model, benchmark, score in rows:
        among = by_benchmark[benchmark]
        sd = statistics.pstdev(among)
        slow.setdefault(model, []).append((score - statistics.fmean(among)) / sd if sd > 1e-12 else 0.0)
    said = ZScores(least=3).scores(Given(Responses.of_rows(rows)))
    assert scores(said) == pytest.approx({model: statistics.fmean(of) for model, of in slow.items() if len(of) >= 3})
    assert all("2 of the 3" in (said[model].why_not or "") for model, of in slow.items() if len(of) < 3)


def test_the_active_panel_leaves_out_what_is_no_longer_run() -> None:
    said = ActivePanel(MinimumCount(3)).scores(GIVEN)
    assert scores(said) == pytest.approx({"a": (0.2 + 0.6 + 0.9) / 3, "d": 0.5})
    none = ActivePanel().scores(Given(GIVEN.responses, GIVEN.benchmarks, frozenset({"language"})))
    assert "None of its benchmarks" in (none["a"].why_not or "") and scores(none) == {}


def test_the_weighted_average_takes_models_that_have_the_whole_set() -> None:
    by_category = WeightedAverage({"math": 3, "coding": 1})
    said = by_category.scores(GIVEN)
    assert scores(said) == pytest.approx({"a": 0.75 * 0.3 + 0.25 * 0.6, "b": 0.75 * 0.8 + 0.25 * 0.4})
    assert "no result in coding" in (said["c"].why_not or "")
    assert "math 75 %" in by_category.says and "coding 25 %" in by_category.says
    single = WeightedAverage({"code": 1, "logic": 1}, of="benchmark")
    assert scores(single.scores(GIVEN)) == pytest.approx({"a": 0.75, "d": 0.5})
    assert "agents and 2 more" in (WeightedAverage().scores(GIVEN)["b"].why_not or "")


@pytest.mark.parametrize("weights", [{}, {"math": 0.0}, {"math": -1.0}, {"math": float("nan")}])
def test_weights_are_above_nought(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        WeightedAverage(weights)


def test_the_index_is_the_one_that_stands_or_else_a_fit_of_the_panel_behind_the_gate() -> None:
    stands = {"a": Outcome(101.0), "b": Outcome(None, "too few")}
    assert OwnIndex().scores(Given(GIVEN.responses, index=stands)) == stands
    said = OwnIndex().scores(GIVEN)
    assert scores(said) == {} and "4 are needed" in (said["a"].why_not or "")
    whole = OwnIndex().scores(Given(GIVEN.responses, GIVEN.benchmarks))
    expected = fit(GIVEN.responses)
    assert scores(whole) == pytest.approx({"a": expected.scores[0]})
    assert "no result in reasoning or coding" in (whole["c"].why_not or "")
    assert set(scores(OwnIndex().scores(Given(GIVEN.responses)))) == {"a", "c"}


def test_ratings_are_told_of_models_that_have_results() -> None:
    said = GivenRatings({"a": 1200.0, "nobody": 1500.0}).scores(GIVEN)
    assert scores(said) == {"a": 1200.0} and set(said) == {"a"}


def epoch(responses: Responses, low: str, high: str, **options: object) -> dict[str, float]:
    form = EpochForm(anchors=((low, 130.0), (high, 150.0)), **options)  # type: ignore[arg-type]
    return scores(form.scores(Given(responses)))


def test_epochs_form_finds_a_planted_truth_and_puts_its_anchors_where_they_belong() -> None:
    random = np.random.default_rng(2)
    ability, b, a = random.normal(size=40), random.normal(size=12), np.exp(random.normal(0, 0.3, 12))
    expected = expit(a * (ability[:, None] - b))
    rows = [(f"m{i:02}", f"b{j:02}", float(expected[i, j])) for i in range(40) for j in range(12)]
    responses = Responses.of_rows([row for row in rows if random.random() < 0.7])
    low, high = f"m{np.argsort(ability)[10]:02}", f"m{np.argsort(ability)[35]:02}"
    found = epoch(responses, low, high)
    assert found[low] == pytest.approx(130) and found[high] == pytest.approx(150)
    at = [ability[int(low[1:])], ability[int(high[1:])]]
    truth = {f"m{i:02}": 130 + 20 * (value - at[0]) / (at[1] - at[0]) for i, value in enumerate(ability)}
    assert len(found) == 40 and max(abs(found[model] - truth[model]) for model in found) < 1.0
    shuffled = Responses.of_rows(reversed([row for row in rows if (row[0], row[1]) in set(pairs(responses))]))
    assert epoch(shuffled, low, high) == found


def pairs(responses: Responses) -> list[tuple[str, str]]:
    r = responses
    return [(r.models[i], r.benchmarks[j]) for i, j in zip(r.model, r.benchmark, strict=True)]


def test_epochs_form_has_the_slopes_of_its_residuals_and_ends_where_another_optimiser_ends() -> None:
    responses = made(10, 5)
    problem = _Problem.of(responses, "benchmark 02")
    assert problem.slope.tolist().count(-1) == 1 and problem.slope[2] == -1
    x = problem.start + np.random.default_rng(0).uniform(-0.3, 0.3, problem.size)
    step = 1e-6 * np.eye(problem.size)
    slow = np.array([(problem.residuals(x + e) - problem.residuals(x - e)) / 2e-6 for e in step]).T
    assert np.allclose(problem.jacobian(x).toarray(), slow, atol=1e-8)
    ridge = problem.residuals(x)[len(responses) :]
    assert np.sum(ridge**2) == pytest.approx(0.1 * np.mean(x**2))

    def value(x: Floats) -> float:
        return float(0.5 * np.sum(problem.residuals(x) ** 2))

    def slope(x: Floats) -> Floats:
        return np.asarray(problem.jacobian(x).T @ problem.residuals(x))

    within = list(zip(*problem.bounds, strict=True))
    options = {"maxiter": 20000, "maxfun": 20000, "ftol": 1e-16, "gtol": 1e-10}
    other = minimize(value, problem.start, jac=slope, method="L-BFGS-B", bounds=within, options=options)  # type: ignore[call-overload]
    assert np.allclose(capabilities(responses, "benchmark 02"), other.x[:10], atol=2e-3)


def test_epochs_form_draws_results_in_from_the_edge_and_stays_inside_its_bounds() -> None:
    responses = Responses.of_rows([(f"m{i}", f"b{j}", float(i > j)) for i in range(6) for j in range(5)])
    problem = _Problem.of(responses, "b0")
    assert set(problem.target.tolist()) == {1e-3, 1 - 1e-3}
    lowest, highest = problem.bounds
    assert lowest.tolist() == [-10.0] * 11 + [0.1] * 4 and highest.tolist() == [10.0] * 15
    assert np.max(np.abs(capabilities(responses, "b0"))) <= 10


def test_epochs_form_leaves_its_scale_unmapped_without_its_anchors_and_refuses_whom_no_chain_links() -> None:
    responses = made(10, 5, share=1.0)
    first, last = responses.models[0], responses.models[1]
    unmapped = epoch(responses, first, "nobody")
    assert unmapped == pytest.approx(dict(zip(responses.models, capabilities(responses, "winogrande"), strict=True)))
    rows = [(*pair, float(y)) for pair, y in zip(pairs(responses), responses.score, strict=True)]
    apart = Responses.of_rows([*rows, *(("z", f"other {k}", 0.5) for k in range(4)), ("few", "benchmark 00", 0.5)])
    said = EpochForm(anchors=((first, 130.0), (last, 150.0))).scores(Given(apart))
    assert "No chain" in (said["z"].why_not or "") and "1 of the 4" in (said["few"].why_not or "")
    assert EpochForm().scores(Given(Responses.of_rows([("a", "x", 0.5)])))["a"].score is None


def test_correlations_are_those_of_a_book() -> None:
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert kendall([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx((5 - 1) / 6)
    assert kendall([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / np.sqrt(2 * 3))
    assert spearman([1, 2], [1, 2]) is None and spearman([1, 1, 1], [1, 2, 3]) is None


def test_the_first_few_are_those_of_the_first_ranking_among_what_both_rank() -> None:
    one = {name: float(9 - place) for place, name in enumerate("abcdefghi")}
    other = {**{name: float(place) for place, name in enumerate("abc")}, **{name: -1.0 - ord(name) for name in "defgh"}}
    found = agreement("one", one, "other", other, top=3)
    assert (found.models, found.top, found.spearman_top, found.kendall_top) == (8, 3, -1.0, -1.0)
    assert found.spearman == spearman([one[name] for name in "abcdefgh"], [other[name] for name in "abcdefgh"])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_agreement_is_within_bounds_and_the_same_either_way(pairs_of: list[tuple[int, int]]) -> None:
    one = {f"m{k}": float(pair[0]) for k, pair in enumerate(pairs_of)}
    other = {f"m{k}": float(pair[1]) for k, pair in enumerate(pairs_of)}
    there, back = agreement("one", one, "other", other), agreement("other", other, "one", one)
    for first, second in ((there.spearman, back.spearman), (there.kendall, back.kendall)):
        assert (first is None) == (second is None)
        assert first is None or second is None or (first == pytest.approx(second) and abs(first) <= 1 + 1e-12)
