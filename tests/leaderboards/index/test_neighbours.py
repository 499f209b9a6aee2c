"""Ranks over benchmarks drawn anew: against a slow twin, with ties, with models that draw nothing, and their groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from argusic.leaderboards.index.abilities import Held, abilities
from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.neighbours import KNOWN, Resampled, drawn, rank, resampled
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Responses
from tests.leaderboards.index.test_fit import LIKELIHOODS, made

FINE = np.linspace(-8, 8, 3201)


def posterior(one: Held, weights: Floats, theta: Floats) -> Floats:
    """Return the negative logarithm of a model's posterior, written as in a book."""
    z = one.discrimination * (np.atleast_1d(theta)[:, None] - one.difficulty)
    if one.options.likelihood == "gaussian":
        parts = 0.5 * ((1 / (1 + np.exp(-z)) - one.score) / one.options.sigma) ** 2
    else:
        parts = one.score * np.log1p(np.exp(-z)) + (1 - one.score) * np.log1p(np.exp(z))
    return np.asarray(parts @ weights + 0.5 * (np.atleast_1d(theta) / one.options.theta_sd) ** 2)


def twin(theta: Floats) -> tuple[list[int], list[int], list[list[float]], list[int], list[bool]]:
    """Rank each draw by counting, with nothing but loops: low and high ends, shares ahead, groups, who has a place."""
    count = theta.shape[1]
    ranks: list[list[int]] = [[] for _ in range(count)]
    for draw in theta:
        for model in range(count):
            if not np.isnan(draw[model]):
                ranks[model].append(1 + sum(1 for other in draw if other > draw[model]))
    low, high = [], []
    for mine in ranks:
        mine.sort()
        # The smallest rank that at least 5 % of the draws do not exceed, and the same of 95 %.
        low.append(next((r for k, r in enumerate(mine, 1) if 20 * k >= len(mine)), 1))
        high.append(next((r for k, r in enumerate(mine, 1) if 20 * k >= 19 * len(mine)), count))
    ahead = [[0.5] * count for _ in range(count)]
    for i in range(count):
        for j in range(count):
            both = [(d[i], d[j]) for d in theta if not np.isnan(d[i]) and not np.isnan(d[j])]
            if both:
                ahead[i][j] = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in both) / len(both)
    groups: list[list[int]] = []
    for model in range(count):
        if not groups or ahead[groups[-1][0]][model] >= KNOWN:
            groups.append([])
        groups[-1].append(model)
    known = [all(ahead[min(k, j)][max(k, j)] >= KNOWN for j in range(count) if j != k) for k in range(count)]
    return low, high, ahead, [number for number, members in enumerate(groups, 1) for _ in members], known


# Few values make many ties; None is a model that drew nothing.
cell = st.one_of(st.none(), st.integers(-2, 2).map(float), st.floats(-3, 3))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6).flatmap(lambda m: st.lists(st.lists(cell, min_size=m, max_size=m), min_size=1, max_size=25)))
def test_ranks_are_those_of_a_slow_twin(draws: list[list[float | None]]) -> None:
    theta = np.array([[np.nan if one is None else one for one in draw] for draw in draws])
    names = tuple(f"m{place}" for place in range(theta.shape[1]))
    found = Resampled(names, theta).among(names)
    low, high, ahead, groups, known = twin(theta)
    assert found.low.tolist() == low and found.high.tolist() == high
    assert np.allclose(found.ahead, ahead) and found.group.tolist() == groups
    assert found.known.tolist() == known
    assert found.missing.tolist() == np.sum(np.isnan(theta), axis=0).tolist() and found.draws == len(draws)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(LIKELIHOODS), st.integers(1, 7))
@example(5092, LIKELIHOODS[2], 5)
@example(1168, LIKELIHOODS[2], 7)
def test_an_ability_is_the_highest_peak_of_its_posterior(seed: int, options: Options, count: int) -> None:
    random = np.random.default_rng(seed)
    a, b = np.exp(random.normal(0.5, 0.6, count)), random.normal(0, 1, count)
    # Results of no model in particular contradict each other, which makes several peaks.
    one = Held(a, b, random.choice([0.0, 1.0, 0.3, 0.8], count), options, np.linspace(-8, 8, 129))
    weights = random.integers(0, 3, size=(5, count)).astype(np.float64)
    found = one.modes(weights)
    for theta, times in zip(found.theta, weights, strict=True):
        around = FINE[np.argmin(posterior(one, times, FINE))]
        best = minimize_scalar(
            lambda x, times=times: posterior(one, times, x)[0], bounds=(around - 0.01, around + 0.01), method="bounded"
        )
        reached = posterior(one, times, theta)[0]
        assert reached <= best.fun + 1e-8


def test_with_every_benchmark_once_abilities_and_ranges_are_those_of_the_fit() -> None:
    fitted = fit(made(30, 8))
    found = abilities(fitted, np.arange(30), np.ones((2, 8)))
    assert np.allclose(found.theta, fitted.at.theta, atol=1e-7)
    assert np.allclose(found.spread, fitted.spread.conditional, atol=1e-7)


def test_a_result_counts_as_often_as_its_benchmark_was_drawn() -> None:
    fitted = fit(made(10, 4, share=1.0))
    weights = np.array([[2.0, 0.0, 1.0, 1.0]])
    found = abilities(fitted, np.arange(10), weights).theta[0]
    r = fitted.responses
    twice = {"benchmark 00": ("benchmark 00", "again"), "benchmark 01": ()}
    rows = [
        (r.models[i], name, float(y))
        for i, j, y in zip(r.model, r.benchmark, r.score, strict=True)
        for name in twice.get(r.benchmarks[j], (r.benchmarks[j],))
    ]
    anchors = {name: fitted.item(name) for name in r.benchmarks} | {"again": fitted.item("benchmark 00")}
    assert np.allclose(found, fit(Responses.of_rows(rows), anchors=anchors).at.theta, atol=1e-6)


def test_as_many_benchmarks_are_drawn_as_there_are() -> None:
    weights = drawn(7, 200, 3)
    assert weights.shape == (200, 7) and np.all(weights.sum(axis=1) == 7)
    assert abs(weights.mean() - 1) < 1e-12 and np.any(weights == 0) and np.any(weights > 1)
    assert np.array_equal(weights, drawn(7, 200, 3)) and not np.array_equal(weights, drawn(7, 200, 4))


def test_a_model_that_drew_none_of_its_benchmarks_has_no_rank_in_that_draw() -> None:
    rows = [(f"m{i}", f"b{j}", 0.2 + 0.1 * i) for i in range(5) for j in range(6)] + [("thin", "b0", 0.9)]
    fitted = fit(Responses.of_rows(rows))
    found = rank(fitted, fitted.responses.models, draws=300)
    thin = found.models.index("thin")
    # A given benchmark is in none of six draws from six with probability (5/6)^6, a third.
    assert 70 < found.missing[thin] < 130 and np.all(np.delete(found.missing, thin) == 0)
    drew = drawn(6, 300, 0)[:, 0] > 0
    assert found.missing[thin] == np.sum(~drew)
    assert np.allclose(found.ahead + found.ahead.T, 1)


def test_equals_share_a_rank_and_are_never_told_apart() -> None:
    rows = [(name, f"b{j}", y) for name, y in (("one", 0.6), ("two", 0.6), ("low", 0.1)) for j in range(8)]
    found = rank(fit(Responses.of_rows(rows)), ["low", "two", "one"], draws=50)
    assert found.models == ("one", "two", "low")
    assert found.low.tolist() == [1, 1, 3] and found.high.tolist() == [1, 1, 3]
    assert found.ahead[0, 1] == 0.5 and found.group.tolist() == [1, 1, 2]


def test_a_group_begins_with_whoever_is_behind_the_first_of_the_last_in_95_of_100_draws() -> None:
    def groups(behind: int) -> list[int]:
        theta = np.array([[3.0, 2.0, 1.0]] * 100)
        theta[behind:, 2] = 2.5
        found = Resampled(("a", "b", "c"), theta).among(("a", "b", "c"))
        assert found.known.tolist() == [True, behind >= 95, behind >= 95]
        return [int(group) for group in found.group]

    assert groups(95) == [1, 2, 3] and groups(94) == [1, 2, 2]
    # a and b cannot be told apart, and c is behind b alone in enough draws: only the first of a group counts.
    theta = np.array([[2.0, 2.0 + (-1) ** k, 0.5] for k in range(100)])
    theta[:10, 0] = 0.0
    found = Resampled(("a", "b", "c"), theta).among(("a", "b", "c"))
    assert found.ahead[1, 2] == 1.0 and found.ahead[0, 2] == 0.9 and found.group.tolist() == [1, 1, 1]


def test_one_set_of_draws_serves_several_fields() -> None:
    fitted = fit(made(15, 8))
    some = fitted.responses.models[2:9]
    shared = resampled(fitted, fitted.responses.models, draws=60).among(some)
    own = rank(fitted, some, draws=60)
    assert shared.models == own.models and np.array_equal(shared.ahead, own.ahead)
    assert np.array_equal(shared.low, own.low) and np.array_equal(shared.high, own.high)


@pytest.mark.parametrize(("models", "says"), [(["model 000", "model 000"], "twice"), (["nobody"], "'nobody' is not")])
def test_who_cannot_be_ranked_is_named(models: list[str], says: str) -> None:
    fitted = fit(made(5, 4))
    with pytest.raises(ValueError, match=says):
        rank(fitted, models)
    with pytest.raises(ValueError, match=says):
        resampled(fitted, fitted.responses.models, draws=2).among(models)
