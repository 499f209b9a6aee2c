"""The weighted average of a fixed set: every model on the same tests, their mean by weights that were stated before.

This is the form of the Artificial Analysis Intelligence Index (four categories of a quarter each in its version 4). It
is clean where one publisher runs everything. Over results that others published, few models have all of the set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

import numpy as np

from argusic.leaderboards.index.comparing.category_average import Counts, counted, per_category
from argusic.leaderboards.index.comparing.way import Given, Outcome
from argusic.leaderboards.index.responses import Floats

#: Four categories of a quarter each, where no other weights are given.
QUARTERS: Final[Mapping[str, float]] = MappingProxyType({"agents": 1, "coding": 1, "reasoning": 1, "science": 1})


@dataclass(frozen=True)
class WeightedAverage:
    """The weighted mean over a fixed set of categories or of benchmarks.

    Attributes:
        weights: The weight of each, above 0; what counts is their ratio.
        of: Whether they are weights of categories (the mean of what a model has there) or of single benchmarks.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: QUARTERS)
    of: Literal["category", "benchmark"] = "category"
    name: str = "weighted-average"
    title: str = "Weighted average"

    def __post_init__(self) -> None:
        if not self.weights or not all(np.isfinite(weight) and weight > 0 for weight in self.weights.values()):
            raise ValueError("weights must be above 0, and there must be one")

    @property
    def says(self) -> str:
        """What it does, in a sentence."""
        total = sum(self.weights.values())
        shares = [f"{name} {100 * weight / total:.3g} %" for name, weight in sorted(self.weights.items())]
        some = f"{', '.join(shares[:8])} and {len(shares) - 8} more" if len(shares) > 9 else ", ".join(shares)
        return f"A mean by stated weights ({some}); for models that have a result in each."

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return the weighted mean of each model that has all of the set, from 0 to 1."""
        names, totals, counts = self._cells(given)
        where = {name: place for place, name in enumerate(names)}
        wanted = sorted(self.weights)
        weights = np.array([self.weights[name] for name in wanted], dtype=np.float64)
        weights /= weights.sum()
        outcomes = {}
        for place, model in enumerate(given.responses.models):
            if not counted(given.responses)[place]:
                continue
            missing = [name for name in wanted if name not in where or not counts[place, where[name]]]
            if missing:
                outcomes[model] = Outcome(None, f"It has no result in {_listed(missing)}.")
                continue
            columns = [where[name] for name in wanted]
            outcomes[model] = Outcome(float(weights @ (totals[place, columns] / counts[place, columns])))
        return outcomes

    def _cells(self, given: Given) -> tuple[tuple[str, ...], Floats, Counts]:
        """Return what the weights are of, and sums and numbers of results by model and by it."""
        r = given.responses
        if self.of == "category":
            return given.categories, *per_category(given, r)
        shape = (len(r.models), len(r.benchmarks))
        totals, counts = np.zeros(shape), np.zeros(shape, dtype=np.intp)
        totals[r.model, r.benchmark], counts[r.model, r.benchmark] = r.score, 1
        return r.benchmarks, totals, counts


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more of the set"
