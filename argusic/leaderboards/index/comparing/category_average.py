"""The category average: within each category the mean of what a model has, over the categories their equal mean.

This is how the Open LLM Leaderboard combined results once their baselines were removed, and what most people would do
first. What is missing is filled with nothing: it is simply absent, which is the flaw. A hard benchmark lowers the mean
of whoever was run on it, and an easy one raises it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.comparing.way import Given, Outcome
from argusic.leaderboards.index.gate import ONE_OF
from argusic.leaderboards.index.responses import Floats, Responses

Counts = NDArray[np.intp]


@dataclass(frozen=True)
class CategoryAverage:
    """The category average.

    Attributes:
        least_categories: In how many categories a model must have a result.
        core: Whether one of them must be reasoning or coding.
    """

    least_categories: int = 3
    core: bool = True
    name: str = "category-average"
    title: str = "Category average"

    @property
    def says(self) -> str:
        """What it does, in a sentence."""
        core = ", one of them reasoning or coding" if self.core else ""
        return (
            "The equal mean of a model's category means, baselines removed; "
            f"for models with results in at least {self.least_categories} categories{core}."
        )

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return the mean of each model's category means, from 0 to 1."""
        totals, counts = per_category(given, given.responses)
        return {
            model: self._outcome(given, totals[place], counts[place])
            for place, model in enumerate(given.responses.models)
            if counted(given.responses)[place]
        }

    def _outcome(self, given: Given, totals: Floats, counts: Counts) -> Outcome:
        there = counts > 0
        why_not = self._refused([name for name, has in zip(given.categories, there, strict=True) if has])
        if why_not is not None:
            return Outcome(None, why_not)
        return Outcome(float(np.mean(totals[there] / counts[there])))

    def _refused(self, categories: list[str]) -> str | None:
        if len(categories) < self.least_categories:
            has = f"results in {len(categories)} of the {self.least_categories} categories that it needs"
            return f"It has {has}."
        if self.core and not set(ONE_OF) & set(categories):
            return "It has no result in reasoning or coding."
        return None


def per_category(given: Given, responses: Responses) -> tuple[Floats, Counts]:
    """Return the sums and the numbers of results by model and category; each of shape (I, number of categories)."""
    models, categories = len(responses.models), len(given.categories)
    category = given.category[responses.benchmark]
    known = category >= 0
    cell = responses.model[known] * categories + category[known]
    size, shape = models * categories, (models, categories)
    totals = np.bincount(cell, responses.score[known], minlength=size).astype(np.float64)
    return totals.reshape(shape), np.bincount(cell, minlength=size).reshape(shape)


def counted(responses: Responses) -> Counts:
    """Return how many results each model has; shape (I,)."""
    return np.bincount(responses.model, minlength=len(responses.models))
