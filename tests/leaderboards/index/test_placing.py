"""An ability from some results and held benchmarks: where another optimiser ends, and nothing but these results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from argusic.leaderboards.index import placing
from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.placing import Rows, place
from argusic.leaderboards.index.responses import Floats, Responses

SIGMAS = (Options(), Options(sigma=0.03), Options(likelihood="bernoulli", theta_sd=1.7))


def cost(theta: float, b: Floats, a: Floats, y: Floats, options: Options) -> float:
    """Return the negative logarithm of a posterior, spelt out."""
    z = a * (theta - b)
    if options.likelihood == "gaussian":
        data = np.sum((1 / (1 + np.exp(-z)) - y) ** 2) / (2 * options.sigma**2)
    else:
        data = np.sum(np.log1p(np.exp(-np.abs(z))) + np.maximum(z, 0) - y * z)
    return float(data + theta**2 / (2 * options.theta_sd**2))


def groups(seed: int, count: int = 6) -> Rows:
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 5, size=count)
    total = int(sizes.sum())
    return Rows(
        np.repeat(np.arange(count), sizes),
        count,
        random.normal(0, 1.5, size=total),
        np.exp(random.normal(0, 0.7, size=total)),
        random.uniform(0, 1, size=total),
    )


@pytest.mark.parametrize("options", SIGMAS)
@pytest.mark.parametrize("seed", range(4))
def test_no_other_ability_is_more_likely(options: Options, seed: int) -> None:
    rows = groups(seed)
    placed = place(rows, options)
    grid = np.linspace(-8 * options.theta_sd, 8 * options.theta_sd, 801)
    for group in range(rows.groups):
        mine = rows.group == group
        data = rows.difficulty[mine], rows.discrimination[mine], rows.score[mine], options
        start = grid[np.argmin([cost(theta, *data) for theta in grid])]
        step = grid[1] - grid[0]
        best = minimize_scalar(cost, bounds=(start - step, start + step), args=data, method="bounded")
        assert cost(placed.theta[group], *data) <= best.fun + 1e-9
        if not mine.any():
            assert (placed.theta[group], placed.sd[group]) == (0.0, options.theta_sd)


@given(seed=st.integers(0, 10_000), group=st.integers(0, 5))
@settings(max_examples=25, deadline=None)
def test_others_do_not_move_the_last_bit(seed: int, group: int) -> None:
    rows = groups(seed)
    alone, together = place(rows.part(group, group + 1), Options()), place(rows, Options())
    assert (alone.theta[0], alone.sd[0]) == (together.theta[group], together.sd[group])


def test_of_two_peaks_the_higher_is_found() -> None:
    # Two sharp benchmarks contradict each other; a third, less sharp, says which of them is to be believed.
    b, a, y = np.array([-2.0, 2.0, 2.0]), np.array([8.0, 8.0, 2.0]), np.array([0.5, 0.5, 0.5])
    rows = Rows(np.zeros(3, dtype=np.intp), 1, b, a, y)
    assert place(rows, Options(sigma=0.05)).theta[0] == pytest.approx(1.98, abs=0.05)


def test_many_groups_are_placed_in_portions_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = groups(7, count=40)
    at_once = place(rows, Options())
    monkeypatch.setattr(placing, "_AT_ONCE", 500)
    in_portions = place(rows, Options())
    assert np.array_equal(at_once.theta, in_portions.theta) and np.array_equal(at_once.sd, in_portions.sd)


def test_a_fit_ends_where_its_abilities_are_placed() -> None:
    random = np.random.default_rng(2)
    rows = [(f"m{i}", f"b{j}", float(random.random())) for i in range(8) for j in range(5)]
    fitted = fit(Responses.of_rows(rows))
    r = fitted.responses
    a = np.exp(fitted.at.alpha)
    placed = place(Rows(r.model, 8, fitted.at.difficulty[r.benchmark], a[r.benchmark], r.score), fitted.options)
    assert placed.theta == pytest.approx(fitted.at.theta, abs=1e-6)
    assert placed.sd == pytest.approx(fitted.spread.conditional, rel=1e-6)
