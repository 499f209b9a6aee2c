"""Answers made up of a truth that is known: what few questions are worth, before there are real ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from argusic.leaderboards.index.responses import Floats, Responses


@dataclass(frozen=True, eq=False)
class Planted:
    """Answers and the truth behind them. I models, J questions.

    Attributes:
        responses: The answers, 0 or 1, of every model to every question.
        theta: Abilities; shape (I,).
        difficulty: Difficulties; shape (J,).
        discrimination: Discriminations; shape (J,).
    """

    responses: Responses
    theta: Floats
    difficulty: Floats
    discrimination: Floats


def planted(models: int, questions: int, *, seed: int = 0, guess: float = 0.0, other: float = 0.0) -> Planted:
    """Make answers.

    Args:
        models: How many models, with abilities of the standard normal distribution.
        questions: How many questions: difficulties with a standard deviation of 1.5 around 0, discriminations around 1
            with one of 0.5 in their logarithm.
        seed: Which.
        guess: The share that is right by guessing alone, which the fit knows nothing of.
        other: How much a second ability, in which half of the questions differ from the other half, counts beside the
            first: what the fit knows nothing of either.
    """
    random = np.random.default_rng(seed)
    theta, second = random.normal(size=models), random.normal(size=models)
    difficulty, log = random.normal(0, 1.5, size=questions), random.normal(0, 0.5, size=questions)
    side = np.where(np.arange(questions) % 2 == 0, 1.0, -1.0)
    ability = theta[:, None] + other * second[:, None] * side[None, :]
    p = guess + (1 - guess) * expit(np.exp(log) * (ability - difficulty))
    answers = (random.random(p.shape) < p).astype(np.float64)
    model, question = np.divmod(np.arange(models * questions), questions)
    names = tuple(f"model {i:05}" for i in range(models)), tuple(f"question {j:06}" for j in range(questions))
    return Planted(Responses(*names, model, question, answers.ravel()), theta, difficulty, np.exp(log))
