"""The fit of the index: its derivatives against differences, its end against scipy's, and what must not matter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from argusic.leaderboards.index.elimination import System
from argusic.leaderboards.index.fitting import Item, fit
from argusic.leaderboards.index.objective import Objective, Point
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.ranges import spread
from argusic.leaderboards.index.responses import Floats, Responses
from argusic.leaderboards.index.solving import NotConverged, solve

LIKELIHOODS = (Options(), Options(likelihood="bernoulli"), Options(sigma=0.05, difficulty_sd=1.5))


def made(models: int = 12, items: int = 6, *, seed: int = 1, share: float = 0.7) -> Responses:
    """Return results of a truth that is known, with noise, where a share of the pairs has one."""
    random = np.random.default_rng(seed)
    theta, b, a = random.normal(size=models), random.normal(size=items), np.exp(random.normal(0, 0.4, size=items))
    p = 1 / (1 + np.exp(-a * (theta[:, None] - b)))
    score = np.clip(p + random.normal(0, 0.05, size=p.shape), 0, 1)
    there = random.random(p.shape) < share
    there[:, 0] = True
    return Responses.of_rows(
        [(f"model {i:03}", f"benchmark {j:02}", float(score[i, j])) for i, j in zip(*np.nonzero(there), strict=True)]
    )


def flat(at: Point) -> Floats:
    return np.concatenate([at.theta, at.difficulty, at.alpha])


def point(values: Floats, responses: Responses) -> Point:
    models, items = len(responses.models), len(responses.benchmarks)
    return Point(values[:models], values[models : models + items], values[models + items :])


def dense(objective: Objective, at: Point, *, exact: bool) -> Floats:
    """Return the whole matrix of second derivatives, of its blocks."""
    r, c = objective.responses, objective.curvature(at, exact=exact)
    models, items = len(r.models), len(r.benchmarks)
    matrix = np.diag(np.concatenate([c.theta, c.difficulty, c.alpha]))
    for (i, j), b, a in zip(zip(r.model, r.benchmark, strict=True), c.mixed_difficulty, c.mixed_alpha, strict=True):
        matrix[i, models + j] = matrix[models + j, i] = b
        matrix[i, models + items + j] = matrix[models + items + j, i] = a
    for j in range(items):
        matrix[models + j, models + items + j] = matrix[models + items + j, models + j] = c.cross[j]
    return matrix


@pytest.mark.parametrize("options", LIKELIHOODS)
@pytest.mark.parametrize("seed", range(3))
def test_first_and_second_derivatives_are_those_of_the_value(options: Options, seed: int) -> None:
    responses = made(5, 4)
    objective = Objective(responses, options)
    x = np.random.default_rng(seed).normal(0, 0.7, size=5 + 2 * 4)
    step = 1e-5
    unit = np.eye(len(x)) * step

    def gradient(values: Floats) -> Floats:
        return flat(objective.gradient(point(values, responses)))

    def value(values: Floats) -> float:
        return objective.value(point(values, responses))

    differences = np.array([(value(x + e) - value(x - e)) / (2 * step) for e in unit])
    assert np.allclose(gradient(x), differences, rtol=1e-6, atol=1e-5)
    twice = np.array([(gradient(x + e) - gradient(x - e)) / (2 * step) for e in unit])
    assert np.allclose(dense(objective, point(x, responses), exact=True), twice, rtol=1e-6, atol=1e-4)
    assert np.all(np.linalg.eigvalsh(dense(objective, point(x, responses), exact=False)) > 0)


@pytest.mark.parametrize("options", LIKELIHOODS)
def test_it_ends_where_another_optimiser_ends(options: Options) -> None:
    responses = made()
    objective = Objective(responses, options)
    found = fit(responses, options)
    other = minimize(  # type: ignore[call-overload]
        lambda x: objective.value(point(x, responses)),
        np.zeros(len(flat(found.at))),
        jac=lambda x: flat(objective.gradient(point(x, responses))),
        method="BFGS",
        options={"gtol": 1e-9, "maxiter": 5000},
    )
    assert found.gradient <= options.tolerance
    assert found.objective <= other.fun + 1e-9
    assert np.allclose(flat(found.at), other.x, atol=1e-5)


def test_a_step_solves_the_whole_system() -> None:
    responses = made()
    objective = Objective(responses, Options())
    at = point(np.random.default_rng(3).normal(0, 0.3, size=12 + 2 * 6), responses)
    slope = objective.gradient(at)
    free = np.ones(6, dtype=bool)
    step = System.of(responses, objective.curvature(at, exact=False), free).step(slope, 0.0)
    assert step is not None
    assert np.allclose(flat(step), np.linalg.solve(dense(objective, at, exact=False), -flat(slope)), atol=1e-9)


def test_ranges_are_those_of_the_inverted_curvature() -> None:
    responses = made()
    found = fit(responses)
    matrix = dense(Objective(responses, found.options), found.at, exact=False)
    models = len(responses.models)
    assert np.allclose(found.spread.conditional, 1 / np.sqrt(np.diag(matrix)[:models]))
    assert np.allclose(found.spread.joint, np.sqrt(np.diag(np.linalg.inv(matrix))[:models]))
    assert np.all(found.spread.joint >= found.spread.conditional)


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_bit(random: object) -> None:
    responses = made(8, 4)
    rows = [
        (responses.models[i], responses.benchmarks[j], float(y))
        for i, j, y in zip(responses.model, responses.benchmark, responses.score, strict=True)
    ]
    random.shuffle(rows)  # type: ignore[attr-defined]
    again = Responses.of_rows(rows)
    assert again.digest == responses.digest
    assert flat(fit(again).at).tobytes() == flat(fit(responses).at).tobytes()


def test_other_names_change_no_number() -> None:
    responses = made(10, 5)
    names = {name: f"z{len(responses.models) - place:03}" for place, name in enumerate(responses.models)}
    rows = [
        (names[responses.models[i]], responses.benchmarks[j], float(y))
        for i, j, y in zip(responses.model, responses.benchmark, responses.score, strict=True)
    ]
    first, again = fit(responses), fit(Responses.of_rows(rows))
    theta = {names[model]: float(value) for model, value in zip(responses.models, first.at.theta, strict=True)}
    assert np.allclose([theta[model] for model in again.responses.models], again.at.theta, atol=1e-7)


def test_anchors_are_held_and_other_models_move_none() -> None:
    responses = made(20, 6)
    first = fit(responses)
    anchors = {benchmark: first.item(benchmark) for benchmark in responses.benchmarks}
    held = fit(responses, anchors=anchors)
    for name in responses.benchmarks:
        assert held.item(name) == pytest.approx(anchors[name], rel=1e-12)
    assert np.allclose(held.at.theta, first.at.theta, atol=1e-7)
    assert np.allclose(held.spread.joint, held.spread.conditional)
    changed = responses.score.copy()
    changed[responses.model == 0] = 1.0
    other = Responses(responses.models, responses.benchmarks, responses.model, responses.benchmark, changed)
    moved = fit(other, anchors=anchors)
    assert moved.at.theta[0] > held.at.theta[0] + 0.1
    assert np.max(np.abs(moved.at.theta[1:] - held.at.theta[1:])) < 1e-9


def test_a_planted_truth_is_found() -> None:
    random = np.random.default_rng(5)
    theta, b, a = random.normal(size=300), random.normal(size=30), np.exp(random.normal(0, 0.3, size=30))
    p = 1 / (1 + np.exp(-a * (theta[:, None] - b)))
    rows = [
        (f"m{i:03}", f"b{j:02}", float(np.clip(p[i, j] + random.normal(0, 0.1), 0, 1)))
        for i in range(300)
        for j in range(30)
        if random.random() < 0.4
    ]
    found = fit(Responses.of_rows(rows))
    assert np.corrcoef(found.at.theta, theta)[0, 1] > 0.985
    assert np.corrcoef(found.at.difficulty, b)[0, 1] > 0.98


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [("a", "x", 0.5)],
        [("a", "x", 0.0), ("a", "y", 0.0), ("b", "x", 0.0)],
        [("a", "x", 1.0), ("a", "y", 1.0), ("b", "x", 1.0)],
        [("a", "x", 0.3), ("b", "x", 0.3), ("c", "x", 0.3)],
        [("a", "x", 0.3), ("b", "y", 0.9)],
    ],
)
@pytest.mark.parametrize("options", LIKELIHOODS)
def test_thin_and_flat_data_have_a_defined_answer(rows: list[tuple[str, str, float]], options: Options) -> None:
    found = fit(Responses.of_rows(rows), options)
    assert found.gradient <= options.tolerance
    assert np.all(np.isfinite(found.scores)) and np.all(found.spread.joint <= options.theta_sd + 1e-12)


def test_a_benchmark_without_results_keeps_the_priors_mean() -> None:
    responses = made(8, 4)
    found = fit(responses.where(responses.benchmark != 2))
    assert found.item(responses.benchmarks[2]) == Item(0.0, 1.0)


def test_what_does_not_converge_says_so() -> None:
    responses = made()
    with pytest.raises(NotConverged, match="still"):
        solve(Objective(responses, Options(most_steps=1)), Point.origin(responses))
    with pytest.raises(ValueError, match="tolerance must be above 0"):
        Options(tolerance=0)


@pytest.mark.parametrize("name", ["sigma", "theta_sd", "difficulty_sd", "log_discrimination_sd"])
@pytest.mark.parametrize("value", [0.0, -1.0, 1e-300, 1e300, float("nan"), float("inf")])
def test_a_width_that_nothing_can_be_computed_with_is_refused(name: str, value: float) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=f"{name} must be from 1e-06 to 1e\\+06"):
        replace(Options(), **wrong)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -0.01, 1.01])
def test_what_is_no_score_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="no score from 0 to 1"):
        Responses.of_rows([("a", "x", score)])


def test_a_pair_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="two results"):
        Responses.of_rows([("a", "x", 0.1), ("a", "x", 0.2)])


def test_a_summary_says_where_priors_alone_place_something() -> None:
    two = [(f"m{i}", f"b{j}", 0.2 + 0.1 * ((i + j) % 7)) for i in range(8) for j in range(8) if (i < 4) is (j < 5)]
    said = fit(Responses.of_rows(two)).summary().splitlines()
    assert said[-1].startswith("No result connects b5, b6 and b7 with the other benchmarks: priors alone place them")
    held = {f"b{j}": Item(0.0, 1.0) for j in range(8)}
    assert "No result connects" not in fit(Responses.of_rows(two), anchors=held).summary()


def test_a_summary_can_be_read() -> None:
    said = fit(made()).summary()
    assert "12 models on 6 benchmarks" in said and "model 0" in said


def test_a_spread_away_from_the_end_is_still_positive() -> None:
    responses = made()
    objective = Objective(responses, Options())
    assert np.all(spread(objective, Point.origin(responses)).joint > 0)
