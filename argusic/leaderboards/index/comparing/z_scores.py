"""Standard scores: each benchmark measured from its own mean in its own standard deviations, so that none is easy.

It fails because each benchmark has a field of its own: a model of 2023 on a benchmark of 2023 was compared with its
contemporaries, and stands as far above them as a model of today above today's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from argusic.leaderboards.index.comparing.category_average import counted
from argusic.leaderboards.index.comparing.way import Given, Outcome
from argusic.leaderboards.index.responses import Floats, Responses


@dataclass(frozen=True)
class ZScores:
    """The mean of a model's standard scores.

    Attributes:
        least: How many benchmarks a model needs.
    """

    least: int = 4
    name: str = "z-scores"
    title: str = "Standard scores over the full field"

    @property
    def says(self) -> str:
        """What it does, in a sentence."""
        return (
            "The mean of how many standard deviations a model lies above the mean of all models on each of its "
            f"benchmarks; for models with at least {self.least} benchmarks."
        )

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return the mean standard score of each model that has enough benchmarks."""
        responses = given.responses
        total = np.bincount(responses.model, standard(responses), minlength=len(responses.models))
        return {
            model: Outcome(float(total[place] / has))
            if has >= self.least
            else Outcome(None, f"It has {has} of the {self.least} benchmarks that it needs.")
            for place, (model, has) in enumerate(zip(responses.models, counted(responses), strict=True))
            if has
        }


def standard(responses: Responses) -> Floats:
    """Return each result's standard score on its benchmark; shape (n,). Where all results are equal it is 0."""
    items = len(responses.benchmarks)
    number = np.maximum(np.bincount(responses.benchmark, minlength=items), 1)
    mean = np.bincount(responses.benchmark, responses.score, minlength=items) / number
    off = responses.score - mean[responses.benchmark]
    sd = np.sqrt(np.bincount(responses.benchmark, off**2, minlength=items) / number)[responses.benchmark]
    # Equal results differ from their mean by rounding alone, which is no spread.
    spread = sd > 1e-12
    return np.where(spread, off / np.where(spread, sd, 1.0), 0.0)
