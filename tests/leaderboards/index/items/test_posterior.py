"""What answers say of abilities and of the score on all: against slow sums, against the fit, and against the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.leaderboards.index.items.bank import OPTIONS, Bank, fit_answers
from argusic.leaderboards.index.items.planted import planted
from argusic.leaderboards.index.items.posterior import GRID, Standing
from argusic.leaderboards.index.objective import Point
from argusic.leaderboards.index.placing import Rows, place
from argusic.leaderboards.index.responses import Floats

TRUTH = planted(40, 60, seed=3)
BANK = Bank.of(fit_answers(TRUTH.responses))


def known(bank: Bank) -> Bank:
    """Return a bank without doubt about its questions."""
    small = np.full(len(bank), 1e-12)
    return Bank(
        bank.questions, bank.difficulty, bank.alpha, small, small, small * 0, bank.usable, bank.ability_sd, bank.digest
    )


def some(seed: int, models: int = 3, share: float = 0.4) -> Floats:
    random = np.random.default_rng(seed)
    answers = random.choice([0.0, 1.0, 0.5], size=(models, len(BANK)))
    return np.where(random.random(answers.shape) < share, answers, np.nan)


def slowly(bank: Bank, answers: Floats) -> tuple[float, float, float, float]:
    """Return mean and variance of ability, and of the score on all, of one model, by sums over numbers."""
    weights, expected, scatter = [], [], []
    logits = bank.logits(GRID * bank.ability_sd)
    for point, node in enumerate(GRID):
        log, mean, var = -0.5 * float(node) ** 2, 0.0, 0.0
        for j, y in enumerate(answers):
            p = 1 / (1 + math.exp(-float(logits[j, point])))
            if math.isnan(y):
                mean, var = mean + p, var + p * (1 - p)
            else:
                log += y * math.log(p) + (1 - y) * math.log(1 - p)
        weights.append(math.exp(log))
        expected.append(mean)
        scatter.append(var)
    total = sum(weights)
    thetas = [float(node) * bank.ability_sd for node in GRID]

    def over(values: list[float]) -> float:
        return sum(w * v for w, v in zip(weights, values, strict=True)) / total

    mean, rest = over(thetas), over(expected)
    var = over([(theta - mean) ** 2 for theta in thetas])
    of_all = over([(e - rest) ** 2 for e in expected]) + over(scatter)
    return mean, var, (float(np.nansum(answers)) + rest) / len(bank), of_all / len(bank) ** 2


def test_it_is_the_slow_sum() -> None:
    answers = some(1, models=2)
    standing = Standing.of(BANK, answers)
    for i, row in enumerate(answers):
        mean, var, score, score_var = slowly(BANK, row)
        assert standing.abilities.mean[i] == pytest.approx(mean, abs=1e-9)
        assert standing.abilities.sd[i] == pytest.approx(math.sqrt(var), abs=1e-9)
        assert standing.scores.mean[i] == pytest.approx(score, abs=1e-9)
        assert standing.scores.sd[i] == pytest.approx(math.sqrt(score_var), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_one_after_another_in_any_order_is_all_at_once(seed: int, random: object) -> None:
    answers = some(seed, models=2, share=0.2)
    at_once = Standing.of(BANK, answers)
    standing = Standing.before(BANK, np.ones_like(answers))
    order = list(range(len(BANK)))
    random.shuffle(order)  # type: ignore[attr-defined]
    for j in order:
        standing = standing.after(np.full(2, j), answers[:, j])
    assert np.allclose(standing.abilities.mean, at_once.abilities.mean, atol=1e-9)
    assert np.allclose(standing.scores.mean, at_once.scores.mean, atol=1e-9)
    assert np.allclose(standing.scores.sd, at_once.scores.sd, atol=1e-7)


def test_nothing_asked_leaves_the_prior_and_everything_asked_leaves_no_doubt() -> None:
    nothing = Standing.of(BANK, np.full((1, len(BANK)), np.nan))
    assert nothing.abilities.mean[0] == pytest.approx(0, abs=1e-9)
    assert nothing.abilities.sd[0] == pytest.approx(BANK.ability_sd, abs=1e-4)
    low, high = nothing.abilities.range()
    assert (low[0], high[0]) == (pytest.approx(-1.645, abs=2e-3), pytest.approx(1.645, abs=2e-3))
    answers = some(2, share=1.1)
    everything = Standing.of(BANK, answers).scores
    assert np.allclose(everything.mean, np.mean(answers, axis=1))
    assert np.allclose(everything.low, everything.mean) and np.allclose(everything.high, everything.mean)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.6, 1.1]))
def test_ranges_hold_their_mean_and_stay_within_what_can_be(seed: int, share: float) -> None:
    answers = some(seed, share=share)
    standing = Standing.of(BANK, answers)
    of_all, (low, high) = standing.scores.widened(3.0), standing.abilities.range()
    assert np.all((low <= standing.abilities.mean) & (standing.abilities.mean <= high))
    got, left = np.nansum(answers, axis=1), np.sum(np.isnan(answers), axis=1)
    assert np.all(got / len(BANK) - 1e-9 <= of_all.low) and np.all(of_all.low <= of_all.mean + 1e-9)
    assert np.all(of_all.mean - 1e-9 <= of_all.high) and np.all(of_all.high <= (got + left) / len(BANK) + 1e-9)


def test_with_many_answers_the_mean_is_where_the_fit_has_its_peak() -> None:
    bank = known(BANK)
    answers = TRUTH.responses.score.reshape(40, 60)
    rows = Rows(
        np.repeat(np.arange(40), 60), 40, np.tile(bank.difficulty, 40), np.tile(np.exp(bank.alpha), 40), answers.ravel()
    )
    peaks = place(rows, OPTIONS)
    standing = Standing.of(bank, answers).abilities
    assert np.max(np.abs(standing.mean - peaks.theta)) < 0.1
    assert np.allclose(standing.sd, peaks.sd, rtol=0.15)


def test_ranges_of_known_questions_hold_the_truth_as_often_as_they_say() -> None:
    truth = planted(600, 40, seed=5)
    sure, nought = np.full(40, 1e-12), np.zeros(40)
    at = Point(truth.theta, truth.difficulty, np.log(truth.discrimination))
    bank = Bank(
        truth.responses.benchmarks, at.difficulty, at.alpha, sure, sure, nought, np.ones(40, dtype=bool), 1.0, "x"
    )
    every = truth.responses.score.reshape(600, 40)
    given = np.where(np.arange(40)[None, :] < 15, every, np.nan)
    standing = Standing.of(bank, given)
    low, high = standing.abilities.range()
    assert np.mean((low <= truth.theta) & (truth.theta <= high)) == pytest.approx(0.9, abs=0.03)
    of_all, own = standing.scores, np.mean(every, axis=1)
    assert np.mean((of_all.low <= own + 1e-9) & (own <= of_all.high + 1e-9)) == pytest.approx(0.9, abs=0.03)
