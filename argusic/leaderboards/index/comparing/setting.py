"""What each model was run on: how easy its benchmarks are, how strong the others on them, who is ahead of whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit

from argusic.leaderboards.index.fitting import fit, shown
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Places, Responses

#: Two models are held against each other with at least so many benchmarks in common.
SHARED: Final = 4


@dataclass(frozen=True, eq=False)
class Setting:
    """What each model was run on, by an index fitted to all results. I models.

    Attributes:
        responses: The results.
        counted: How many each model has; shape (I,).
        ease: The mean, over its benchmarks, of what is expected there of a model of average ability; shape (I,).
        field: The mean, over its benchmarks, of the mean score of the models on it, in points; shape (I,).
        shared: How many benchmarks two models have in common; shape (I, I).
        lead: The sum, over those, of by how much the row's model is ahead of the column's; shape (I, I).
    """

    responses: Responses
    counted: Places
    ease: Floats
    field: Floats
    shared: Floats
    lead: Floats

    @classmethod
    def of(cls, responses: Responses, options: Options | None = None) -> Setting:
        """Return the setting of results."""
        r, fitted = responses, fit(responses, options)
        models, items = len(r.models), len(r.benchmarks)
        easy = expit(-np.exp(fitted.at.alpha) * fitted.at.difficulty)
        on_item = np.maximum(np.bincount(r.benchmark, minlength=items), 1)
        able = np.bincount(r.benchmark, shown(fitted.at.theta)[r.model], minlength=items) / on_item
        counted = np.bincount(r.model, minlength=models)
        number = np.maximum(counted, 1)
        there, score = np.zeros((models, items)), np.zeros((models, items))
        there[r.model, r.benchmark], score[r.model, r.benchmark] = 1.0, r.score
        both = score @ there.T
        return cls(
            r,
            counted,
            np.bincount(r.model, easy[r.benchmark], minlength=models) / number,
            np.bincount(r.model, able[r.benchmark], minlength=models) / number,
            there @ there.T,
            both - both.T,
        )

    def held_against_each_other(self, one: int, other: int) -> tuple[int, int]:
        """Return on how many benchmarks two models both have a result, and on how many of them `one` is ahead."""
        r = self.responses
        first, second = (
            dict(zip(r.benchmark[r.model == place].tolist(), r.score[r.model == place].tolist(), strict=True))
            for place in (one, other)
        )
        common = first.keys() & second.keys()
        return len(common), sum(first[j] > second[j] for j in common)

    def upheld(self, scores: Floats) -> tuple[int, float | None]:
        """Return how many pairs can be held against each other, and in which share the order of scores agrees.

        An equal score agrees with neither order and counts half; pairs that are level on their benchmarks are left out.

        Args:
            scores: A score of each model, NaN for none; shape (I,).
        """
        ranked = np.flatnonzero(np.isfinite(scores))
        lead, shared = self.lead[np.ix_(ranked, ranked)], self.shared[np.ix_(ranked, ranked)]
        # What differs by less than rounding is level.
        usable = np.triu((shared >= SHARED) & (np.abs(lead) > 1e-9), 1)
        apart = scores[ranked][:, None] - scores[ranked][None, :]
        agrees = (np.sign(apart) * np.sign(lead) + 1) / 2
        pairs = int(np.sum(usable))
        return pairs, float(np.sum(agrees[usable]) / pairs) if pairs else None
