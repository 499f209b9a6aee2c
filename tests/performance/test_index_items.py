"""What thousands of questions cost, as ratios within one run: in answers, and beside eliminating the other side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from argusic.leaderboards.index.elimination import System
from argusic.leaderboards.index.items.adaptive import Stop, state
from argusic.leaderboards.index.items.bank import OPTIONS, Bank, fit_answers
from argusic.leaderboards.index.items.planted import planted
from argusic.leaderboards.index.objective import Objective, Point
from argusic.leaderboards.index.one_thread import one_thread
from tests.performance.times import Work, compared

pytestmark = [pytest.mark.performance, pytest.mark.timeout(300)]

#: How many times the time of a fit twenty times the questions may take.
TWENTYFOLD = 60.0
#: How many times faster a step is that eliminates the questions than one that eliminates the models.
FASTER = 20.0


def test_twenty_times_the_questions_take_no_more_than_three_times_as_long_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    large, small = planted(40, 10_000, seed=1).responses, planted(40, 500, seed=1).responses
    taken, one = compared(
        Work(lambda: fit_answers(large)), Work(lambda: fit_answers(small)), TWENTYFOLD, rounds=2, most_rounds=6
    )
    bank = Bank.of(fit_answers(large))
    nothing = np.full(len(bank), np.nan)
    following, _ = compared(
        Work(lambda: state(bank, nothing, Stop())), Work(lambda: fit_answers(large)), 1.0, rounds=1, most_rounds=3
    )
    with capsys.disabled():
        print(
            f"\n40 models on 10,000 questions: {taken:.2f} s, {taken / one:.1f} times 500 questions (at most "
            f"{TWENTYFOLD:g}); what to ask next of them: {following:.2f} s"
        )
    assert taken <= TWENTYFOLD * one
    assert following <= taken


@one_thread()
def test_a_step_that_eliminates_the_questions_is_faster(capsys: pytest.CaptureFixture[str]) -> None:
    responses = planted(40, 1500, seed=2).responses
    objective = Objective(responses, OPTIONS)
    at = Point.origin(responses)
    slope, curvature = objective.gradient(at), objective.curvature(at, exact=False)
    system = System.of(responses, curvature, np.ones(1500, dtype=bool))
    assert system.keeps == "models"
    steps = {}

    def step(which: System) -> None:
        steps[which.keeps] = which.step(slope, 1e-3)

    ours, theirs = compared(
        Work(lambda: step(system)), Work(lambda: step(replace(system, keeps="benchmarks"))), 1 / FASTER, 2, 4
    )
    with capsys.disabled():
        times = f"{ours * 1000:.1f} ms; by the other side {theirs / ours:.0f} times"
        print(f"\na step of 40 models on 1,500 questions: {times}")
    assert ours * FASTER <= theirs
    one, other = steps["models"], steps["benchmarks"]
    assert one is not None and other is not None and np.allclose(one.theta, other.theta, atol=1e-9)
