"""The linear system of a step: whichever side is eliminated, it is the same step, and the same ranges."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.leaderboards.index import elimination
from argusic.leaderboards.index.elimination import System
from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.objective import Objective, Point
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.ranges import spread
from argusic.leaderboards.index.responses import Floats, Responses

KEPT: tuple[Literal["models", "benchmarks"], ...] = ("models", "benchmarks")


def made(models: int, items: int, *, seed: int, share: float = 0.7) -> Responses:
    random = np.random.default_rng(seed)
    there = random.random((models, items)) < share
    model, item = np.nonzero(there)
    return Responses(
        tuple(f"model {i:04}" for i in range(models)),
        tuple(f"question {j:05}" for j in range(items)),
        model,
        item,
        random.random(len(model)),
    )


def whole(system: System) -> Floats:
    """Return the system as one matrix."""
    c = system.curvature
    mixed = np.hstack([system.mixed_difficulty.toarray(), system.mixed_alpha.toarray()])
    cross = np.diag(np.where(system.free, c.cross, 0.0))
    items = np.block([[np.diag(c.difficulty), cross], [cross, np.diag(c.alpha)]])
    return np.block([[np.diag(c.theta), mixed], [mixed.T, items]])


@settings(max_examples=40, deadline=None)
@given(
    models=st.integers(1, 7),
    items=st.integers(1, 7),
    seed=st.integers(0, 10_000),
    share=st.sampled_from([0.0, 0.3, 1.0]),
    likelihood=st.sampled_from(["gaussian", "bernoulli"]),
    damping=st.sampled_from([0.0, 1e-3, 10.0]),
)
def test_either_side_gives_the_step_and_the_ranges_of_the_whole_matrix(
    models: int, items: int, seed: int, share: float, likelihood: Literal["gaussian", "bernoulli"], damping: float
) -> None:
    responses = made(models, items, seed=seed, share=share)
    objective = Objective(responses, Options(likelihood=likelihood))
    random = np.random.default_rng(seed + 1)
    at = Point(random.normal(size=models), random.normal(size=items), random.normal(0, 0.3, size=items))
    free = random.random(items) < 0.8
    slope = objective.gradient(at)
    slope = replace(slope, difficulty=np.where(free, slope.difficulty, 0), alpha=np.where(free, slope.alpha, 0))
    first = System.of(responses, objective.curvature(at, exact=False), free)
    matrix = whole(first)
    right = np.concatenate([slope.theta, slope.difficulty, slope.alpha])
    expected = np.linalg.solve(matrix + damping * np.diag(np.diag(matrix)), -right)
    variances = np.diag(np.linalg.inv(matrix))[:models]
    for keeps in KEPT:
        system = replace(first, keeps=keeps)
        step, found = system.step(slope, damping), system.ability_variances()
        assert step is not None and found is not None
        assert np.allclose(np.concatenate([step.theta, step.difficulty, step.alpha]), expected, rtol=1e-7, atol=1e-9)
        assert np.allclose(found, variances, rtol=1e-9)


@pytest.mark.parametrize("exact", [False, True])
def test_what_is_not_positive_has_no_step_on_either_side(exact: bool) -> None:
    responses = made(4, 3, seed=2, share=1.0)
    objective = Objective(replace(responses, score=np.zeros(12)), Options(sigma=0.01))
    at = Point(np.full(4, 1.0), np.full(3, -1.0), np.zeros(3))
    system = System.of(responses, objective.curvature(at, exact=exact), np.ones(3, dtype=bool))
    positive = bool(np.all(np.linalg.eigvalsh(whole(system)) > 0))
    assert positive is not exact
    for keeps in KEPT:
        assert (replace(system, keeps=keeps).step(objective.gradient(at), 0.0) is not None) is positive
        assert (replace(system, keeps=keeps).ability_variances() is not None) is positive


@pytest.mark.parametrize(("models", "items", "keeps"), [(12, 6, "benchmarks"), (12, 7, "models"), (9, 400, "models")])
def test_the_larger_side_is_eliminated_and_the_fit_is_the_same(
    models: int, items: int, keeps: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    responses = made(models, items, seed=4)
    options = Options(likelihood="bernoulli")
    found = fit(responses, options)
    objective = Objective(responses, options)
    made_as = System.of
    system = made_as(responses, objective.curvature(found.at, exact=False), np.ones(items, dtype=bool))
    assert system.keeps == keeps
    other: Literal["models", "benchmarks"] = "models" if keeps == "benchmarks" else "benchmarks"
    monkeypatch.setattr(System, "of", lambda *args: replace(made_as(*args), keeps=other))
    again = fit(responses, options)
    assert np.allclose(again.at.theta, found.at.theta, atol=1e-9)
    assert np.allclose(again.at.difficulty, found.at.difficulty, atol=1e-7)
    assert np.allclose(again.spread.joint, found.spread.joint, rtol=1e-9)


def test_products_in_blocks_and_sparse_ones_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = made(6, 50, seed=5, share=0.4)
    objective = Objective(responses, Options())
    at = fit(responses).at
    expected = spread(objective, at).joint
    for dense, block in ((1.1, 4_000_000), (0.0, 60), (0.0, 1)):
        monkeypatch.setattr(elimination, "_DENSE", dense)
        monkeypatch.setattr(elimination, "_BLOCK", block)
        assert np.allclose(spread(objective, at).joint, expected, rtol=1e-12)
