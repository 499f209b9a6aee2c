"""Questions that tell nothing, that better models get wrong, or that repeat: found where they are, and nowhere else."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from argusic.leaderboards.index.items.answers import as_matrix
from argusic.leaderboards.index.items.bank import fit_answers
from argusic.leaderboards.index.items.planted import planted
from argusic.leaderboards.index.items.screening import Screened, screen
from argusic.leaderboards.index.responses import Floats, Responses


def of_matrix(matrix: Floats) -> Responses:
    """Return the responses of a matrix with NaN where there is no answer."""
    model, question = np.nonzero(~np.isnan(matrix))
    return Responses(
        tuple(f"m{i:03}" for i in range(len(matrix))),
        tuple(f"q{j:03}" for j in range(matrix.shape[1])),
        model,
        question,
        matrix[model, question],
    )


def screened(matrix: Floats) -> Screened:
    return screen(fit_answers(of_matrix(matrix)))


def test_questions_with_a_wrong_key_are_found_and_hardly_any_other() -> None:
    truth = planted(60, 200, seed=2)
    matrix = as_matrix(truth.responses)
    sharp = np.flatnonzero((truth.discrimination > 1) & (np.abs(truth.difficulty) < 1))[:8]
    matrix[:, sharp] = 1 - matrix[:, sharp]
    found = screened(matrix)
    falls = {j for j, note in enumerate(found.notes) if note == "falls with ability"}
    assert set(sharp.tolist()) <= falls and len(falls) <= len(sharp) + 1
    assert np.all(found.correlation[sharp] < -0.3) and not found.usable[sharp].any()
    assert not any(note == "falls with ability" for note in screen(fit_answers(truth.responses)).notes)


def test_a_correlation_is_with_what_the_other_questions_say() -> None:
    truth = planted(30, 40, seed=4)
    found = screen(fit_answers(truth.responses))
    matrix = as_matrix(truth.responses)
    for j in (3, 11, 25):
        others = fit_answers(of_matrix(np.delete(matrix, j, axis=1))).at.theta
        assert found.correlation[j] == pytest.approx(np.corrcoef(matrix[:, j], others)[0, 1], abs=0.02)


def test_answers_without_any_ability_raise_few_false_alarms() -> None:
    random = np.random.default_rng(6)
    matrix = (random.random((40, 300)) < random.random(300)[None, :]).astype(float)
    assert Counter(screened(matrix).notes)["falls with ability"] <= 1


def test_questions_that_tell_nothing_are_named() -> None:
    matrix = as_matrix(planted(12, 20, seed=1).responses)
    matrix[:, 0], matrix[:, 1], matrix[:, 3] = 1.0, 0.0, 0.5
    matrix[1:, 2] = np.nan
    matrix[2:, 4] = np.nan
    found = screened(matrix)
    assert found.notes[:5] == ("all right", "all wrong", "one model", "all alike", None)
    assert found.models[2] == 1 and found.right[3] == 0.5 and np.isnan(found.correlation[:5]).all()


def test_a_question_that_repeats_another_is_named_with_it() -> None:
    truth = planted(40, 60, seed=9)
    matrix, middle = as_matrix(truth.responses), int(np.argmin(np.abs(truth.difficulty[:50])))
    matrix[:, 50], matrix[:, 57] = matrix[:, middle], matrix[:, middle]
    found = screened(matrix)
    repeats = {j: int(found.repeats[j]) for j in np.flatnonzero(found.repeats >= 0)}
    assert repeats == {50: middle, 57: middle} and found.notes[50] == "repeats" and found.notes[middle] is None
    # The same answers of other models are not the same answers.
    matrix[0, 57] = np.nan
    assert screened(matrix).repeats[57] == -1


def test_few_models_repeat_each_other_by_chance_and_nothing_is_made_of_it() -> None:
    assert not any(note == "repeats" for note in screen(fit_answers(planted(4, 300, seed=3).responses)).notes)


def test_models_that_are_all_the_same_give_no_correlation() -> None:
    responses = planted(10, 15, seed=2).responses
    same = np.tile(as_matrix(responses)[0], (10, 1))
    found = screened(same)
    assert set(found.notes) <= {"all right", "all wrong"} and np.isnan(found.correlation).all()
    assert screen(fit_answers(replace(responses, score=np.ones(150)))).notes == ("all right",) * 15
