"""What few questions are worth on models that were held out: more than random ones, and as much as their ranges say."""

from __future__ import annotations

import numpy as np
import pytest

from argusic.leaderboards.index.items.answers import as_matrix
from argusic.leaderboards.index.items.bank import Bank, fit_answers
from argusic.leaderboards.index.items.held_out import HeldOut, hold_out
from argusic.leaderboards.index.items.planted import planted
from argusic.leaderboards.index.items.screening import screen
from argusic.leaderboards.index.items.trial import Worth, few, in_order, needed, pooled
from argusic.leaderboards.index.validation.cross import dealt

TRUTH = planted(60, 300, seed=11)


@pytest.fixture(scope="module")
def held() -> list[HeldOut]:
    return hold_out(TRUTH.responses, 4)


def test_a_held_out_models_answers_are_in_no_bank_that_it_is_asked_from() -> None:
    said: list[str] = []
    fold = dealt(60, 4, 0)
    matrix = as_matrix(TRUTH.responses)
    parts = hold_out(TRUTH.responses, 4, said=said.append)
    for number, part in enumerate(parts):
        assert np.array_equal(part.answers, matrix[fold == number])
    without = fit_answers(TRUTH.responses.where(fold[TRUTH.responses.model] != 0))
    expected = Bank.of(without, screen(without).usable)
    assert np.array_equal(parts[0].bank.difficulty, expected.difficulty)
    assert np.array_equal(parts[0].bank.usable, expected.usable)
    assert len(said) == 4 and "part 4 of 4" in said[3]


def test_chosen_questions_are_worth_more_than_random_ones(held: list[HeldOut]) -> None:
    by_error, by_weights = few(held, "error", 20)
    by_clusters = few(held, "clusters", 20)[0]
    random, _, plain = few(held, "random", 20)
    assert by_error.error < by_clusters.error < random.error < plain.error
    assert by_error.error < 0.8 * random.error and by_error.error < 0.65 * plain.error
    assert by_weights.error < 1.2 * by_error.error and by_weights.covered is None
    assert by_error.largest >= by_error.error
    for one in (by_error, by_clusters, random):
        assert one.covered is not None and 0.8 <= one.covered <= 0.98
        assert one.widen is not None and 0.7 <= one.widen <= 1.5
    assert [one.way for one in few(held, "random", 5)] == ["random", "random, by weights", "random, plain share"]


def test_adaptive_order_is_worth_more_than_random_order(held: list[HeldOut]) -> None:
    worth = {(one.way, one.count): one for one in in_order(held, (10, 30))}
    for count in (10, 30):
        adaptive, random = worth["adaptive order", count], worth["random order", count]
        assert adaptive.error < 0.8 * random.error
        assert adaptive.ability is not None and random.ability is not None and adaptive.ability < 0.75 * random.ability
    assert worth["adaptive order", 30].error < worth["adaptive order", 10].error
    adaptive_needs, random_needs = needed(held, 0.15, 150)
    assert len(adaptive_needs) == 60 and adaptive_needs.mean() < 0.6 * random_needs.mean()


def test_everything_asked_is_without_error() -> None:
    small = planted(12, 60, seed=2).responses
    everything = [HeldOut(Bank.of(fit_answers(small)), as_matrix(small))]
    for one in in_order(everything, (60,)):
        assert one.error == pytest.approx(0, abs=1e-9) and one.covered == 1.0
        assert one.ability == pytest.approx(0, abs=1e-9)
    chosen, by_weights = few(everything, "clusters", 60)
    assert chosen.error == pytest.approx(0, abs=1e-9) and by_weights.error < 1e-6


def test_models_with_gaps_are_measured_on_what_they_answered() -> None:
    small = planted(20, 80, seed=2).responses
    random = np.random.default_rng(3)
    part = HeldOut(Bank.of(fit_answers(small)), np.where(random.random((20, 80)) < 0.5, as_matrix(small), np.nan))
    assert np.allclose(part.truth, np.nanmean(part.answers, axis=1))
    standing = part.given(np.arange(80))
    assert np.allclose(standing.scores.mean, part.truth) and np.allclose(standing.open, 0)
    assert all(one.error < 0.06 for one in in_order([part], (30,)))
    by_fit, plain = few([part], "random", 20)
    assert plain.way == "random, plain share" and by_fit.error < plain.error < 0.2


def test_trials_on_different_answers_are_pooled() -> None:
    first, second = Worth("a", 5, 0.3, 0.5, 0.8, 1.0, 0.2), Worth("a", 5, 0.4, 0.4, 1.0, 2.0, 0.2)
    (found,) = pooled([[first], [second]])
    assert (found.way, found.count, found.largest, found.widen) == ("a", 5, 0.5, 1.5)
    assert (found.error, found.covered, found.ability) == pytest.approx((0.125**0.5, 0.9, 0.2))
    assert pooled([[Worth("b", 5, 0.25, 0.5)]] * 2) == [Worth("b", 5, 0.25, 0.5)]
