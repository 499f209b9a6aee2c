"""What to ask next: the question with most information, until enough is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.leaderboards.index.items.adaptive import Stop, best, state
from argusic.leaderboards.index.items.bank import Bank, fit_answers
from argusic.leaderboards.index.items.planted import planted

TRUTH = planted(40, 80, seed=7)
BANK = Bank.of(fit_answers(TRUTH.responses))
NOTHING = np.full(80, np.nan)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(-4, 4))
def test_it_is_the_open_question_with_most_information(seed: int, theta: float) -> None:
    open_ = np.random.default_rng(seed).random((1, 80)) < 0.3
    open_[0, seed % 80] = True
    found = int(best(BANK, np.array([theta]), open_)[0])
    each = {int(j): float(BANK.information(np.array([theta]), np.array([j]))[0, 0]) for j in np.flatnonzero(open_[0])}
    assert open_[0, found] and each[found] == pytest.approx(max(each.values()), rel=1e-12)


def test_nothing_asked_twice_and_nothing_unusable() -> None:
    bank = replace(BANK, usable=np.arange(80) % 2 == 0)
    answers, asked = NOTHING.copy(), []
    while (now := state(bank, answers, Stop())).next is not None:
        asked.append(now.next)
        answers[bank.place[now.next]] = float(len(asked) % 2)
    assert now.because == "no question is left" and now.asked == 40
    assert len(set(asked)) == 40 and all(bank.usable[bank.place[question]] for question in asked)


def test_it_stops_at_the_width_or_the_number_that_was_said() -> None:
    first = state(BANK, NOTHING, Stop())
    assert first.asked == 0 and first.because is None and first.low < first.score < first.high
    assert state(BANK, NOTHING, Stop(most=0)).because == "as many as may be asked"
    assert state(BANK, NOTHING, Stop(width=first.high - first.low)).because == "the range is narrow enough"
    assert state(BANK, NOTHING, Stop(width=first.high - first.low - 1e-6)).because is None


def test_right_answers_raise_the_ability_and_harder_questions_follow() -> None:
    answers = NOTHING.copy()
    before = state(BANK, answers, Stop())
    for _ in range(8):
        assert before.next is not None
        answers[BANK.place[before.next]] = 1.0
        after = state(BANK, answers, Stop())
        assert after.ability > before.ability
        before = after
    assert after.ability_low > 0 and after.next is not None and BANK.difficulty[BANK.place[after.next]] > 0.5


def test_widened_ranges_are_as_many_times_as_wide() -> None:
    answers = np.where(np.arange(80) < 10, TRUTH.responses.score[:80], np.nan)
    one, two = state(BANK, answers, Stop()), state(BANK, answers, Stop(), widen=2.0)
    assert two.ability == one.ability and two.next == one.next
    assert two.ability_high - two.ability == pytest.approx(2 * (one.ability_high - one.ability))
    assert two.high - two.score == pytest.approx(2 * (one.high - one.score))
