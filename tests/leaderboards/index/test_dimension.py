"""Wider models: their derivatives, and that they win where there is something to win, and there alone."""

from __future__ import annotations

import numpy as np
import pytest

from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.objective import Point
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Responses
from argusic.leaderboards.index.validation.dimension import Kind, Wider, by_first_word, tried
from tests.leaderboards.index.test_fit import made

KINDS: tuple[Kind, ...] = ("second ability", "groups")


def of(kind: Kind, width: float = 0.5) -> Wider:
    responses = made(7, 5)
    group = np.array([0, 1, 1, 0, 2]) if kind == "groups" else np.zeros(5, dtype=np.intp)
    return Wider(responses, Options(), kind, width, group, 3 if kind == "groups" else 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_slope_is_that_of_the_value(kind: Kind) -> None:
    wider = of(kind)
    x = np.random.default_rng(2).normal(0, 0.5, size=sum(wider.sizes))
    unit = np.eye(len(x)) * 1e-6
    differences = [(wider.value_and_slope(x + e)[0] - wider.value_and_slope(x - e)[0]) / 2e-6 for e in unit]
    assert np.allclose(wider.value_and_slope(x)[1], differences, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_without_room_for_the_term_it_is_the_index(kind: Kind) -> None:
    wider = of(kind, width=1e-4)
    fitted = fit(wider.responses)
    theta = wider.split(wider.solved(fitted.at))[0]
    assert np.allclose(theta, fitted.at.theta, atol=1e-3)


def planted(kind: str) -> Responses:
    random = np.random.default_rng(8)
    theta, eta, u = random.normal(size=120), random.normal(size=120), random.normal(0, 0.8, size=(120, 3))
    b, a = random.normal(0, 0.7, size=15), np.exp(random.normal(0, 0.2, size=15))
    z = a * (theta[:, None] - b)
    if kind == "second ability":
        z += eta[:, None] * np.resize([0.9, -0.9], 15)
    if kind == "groups":
        z += u[:, np.arange(15) // 5]
    score = np.clip(1 / (1 + np.exp(-z)) + random.normal(0, 0.05, size=z.shape), 0, 1)
    there = random.random(z.shape) < 0.7
    return Responses.of_rows(
        (f"m{i:03}", f"{'abc'[j // 5]}-{j:02}", float(score[i, j])) for i, j in zip(*np.nonzero(there), strict=True)
    )


def test_each_wins_where_its_own_truth_was_planted_and_nothing_wins_where_none_was() -> None:
    groups = by_first_word(planted("none").benchmarks)
    assert set(groups.values()) == {"a", "b", "c"}
    gain = {}
    for kind in ("none", *KINDS):
        one, found = tried(planted(kind), groups=groups, widths=(0.5,), folds=2, seeds=(0,))
        gain[kind] = {wider.kind: wider.gain for wider in found}
        assert all(wider.error == pytest.approx(one - wider.gain) for wider in found)
        assert all((wider.deals == 1) == (wider.gain > 0) for wider in found)
        assert all(0.5 < wider.agreement <= 1 for wider in found)
    assert gain["second ability"]["second ability"] > 0.03 and gain["groups"]["groups"] > 0.02
    assert max(gain["none"].values()) < 0.003


def test_groups_are_benchmarks_that_begin_alike() -> None:
    assert by_first_word(["arc-1", "arc-2", "swe-bench", "big one", "big two"]) == {
        "arc-1": "arc", "arc-2": "arc", "big one": "big", "big two": "big",
    }  # fmt: skip


def test_the_sign_of_a_second_ability_is_not_left_to_chance() -> None:
    responses = planted("second ability")
    fitted = fit(responses)
    wider = Wider(responses, Options(), "second ability", 0.5, np.zeros(15, dtype=np.intp), 1)
    again = wider.solved(Point(fitted.at.theta.copy(), fitted.at.difficulty.copy(), fitted.at.alpha.copy()))
    assert np.array_equal(wider.solved(fitted.at), again)
