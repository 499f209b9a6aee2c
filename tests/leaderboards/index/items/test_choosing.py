"""The few questions that tell the whole: the best by brute force, with the best weights, and the same every time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import norm

from argusic.leaderboards.index.items import choosing
from argusic.leaderboards.index.items.bank import Bank, fit_answers
from argusic.leaderboards.index.items.choosing import WAYS, Way, choose
from argusic.leaderboards.index.items.planted import planted

BANK = Bank.of(fit_answers(planted(40, 50, seed=2).responses))


def left_open(bank: Bank, places: list[int]) -> float:
    """Return the expected square error that some questions leave of the sum over all, number by number."""
    nodes = np.linspace(-3, 3, 25)
    total = 0.0
    for node in nodes:
        theta = np.array([node * bank.ability_sd])
        p, slopes, information = expit(bank.logits(theta)), bank.slopes(theta), bank.information(theta)
        rest = [j for j in range(len(bank)) if j not in places]
        slope = float(sum(slopes[j, 0] for j in rest))
        scatter = float(sum(p[j, 0] * (1 - p[j, 0]) for j in rest))
        known = 1 / bank.ability_sd**2 + float(sum(information[j, 0] for j in places))
        total += float(norm.pdf(node)) * (slope**2 / known + scatter)
    return total


def test_each_question_is_the_best_that_brute_force_finds() -> None:
    small = Bank.of(fit_answers(planted(30, 12, seed=5).responses))
    chosen = choose(small, 4).places.tolist()
    for number in range(4):
        before = chosen[:number]
        best = min((j for j in range(12) if j not in before), key=lambda j: left_open(small, [*before, j]))
        assert chosen[number] == best


def test_weights_are_the_best_that_a_sum_of_answers_can_have() -> None:
    random = np.random.default_rng(1)
    choice = choose(BANK, 8)
    likely = norm.pdf(np.linspace(-3, 3, 25))
    theta = random.choice(np.linspace(-3, 3, 25), size=30_000, p=likely / likely.sum())
    answers = (random.random((30_000, 50)) < expit(BANK.logits(theta)).T).astype(float)
    score, mine = np.mean(answers, axis=1), answers[:, choice.places]
    estimate = choice.constant + mine @ choice.weight
    best = np.linalg.lstsq(np.column_stack([np.ones(30_000), mine]), score, rcond=None)[0]
    assert np.mean(estimate - score) == pytest.approx(0, abs=2e-3)
    assert np.allclose(choice.weight, best[1:], atol=4e-3) and choice.constant == pytest.approx(best[0], abs=4e-3)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(WAYS), st.integers(1, 70), st.integers(0, 1000))
def test_as_many_as_asked_for_each_once_and_only_usable_ones(way: Way, count: int, seed: int) -> None:
    usable = np.random.default_rng(seed).random(len(BANK)) < 0.8
    bank = replace(BANK, usable=usable)
    choice = choose(bank, count, way, seed=seed)
    places = choice.places.tolist()
    assert len(places) == len(set(places)) == min(count, int(usable.sum())) == len(choice.weight)
    assert usable[choice.places].all() and np.isfinite(choice.weight).all()
    assert np.array_equal(choose(bank, count, way, seed=seed).places, choice.places)


def test_all_questions_tell_the_score_itself() -> None:
    for way in WAYS:
        choice = choose(BANK, 50, way)
        assert np.allclose(choice.weight, 1 / 50, atol=1e-6) and choice.constant == pytest.approx(0, abs=1e-6)


def test_clusters_stand_for_questions_that_are_alike() -> None:
    easy, hard = np.linspace(-2.1, -1.9, 30), np.linspace(1.4, 1.6, 10)
    small = np.full(40, 1e-9)
    bank = Bank(
        tuple(f"q{j:02}" for j in range(40)),
        np.concatenate([easy, hard]),
        np.zeros(40),
        small,
        small,
        small * 0,
        np.ones(40, dtype=bool),
        1.0,
        "x",
    )
    first, second = choose(bank, 2, "clusters").places
    assert first < 30 <= second
    assert abs(bank.difficulty[first] + 2) < 0.02 and abs(bank.difficulty[second] - 1.5) < 0.02


def test_clusters_of_equal_questions_still_give_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    same = replace(BANK, difficulty=np.zeros(50), alpha=np.zeros(50), covariance=np.zeros(50))
    same = replace(same, difficulty_var=np.full(50, 0.1), alpha_var=np.full(50, 0.1))
    assert len(set(choose(same, 7, "clusters").places.tolist())) == 7
    monkeypatch.setattr(choosing, "_ROUNDS", 1)
    assert len(set(choose(BANK, 20, "clusters").places.tolist())) == 20


def test_a_bank_of_nothing_usable_is_told_by_the_mean_alone() -> None:
    bank = replace(BANK, usable=np.zeros(50, dtype=bool))
    for way in WAYS:
        choice = choose(bank, 5, way)
        assert len(choice.places) == 0 and 0 < choice.constant < 1
