"""The category average with a minimum number of benchmarks: the first mend that comes to mind.

It fails because the trouble is which benchmarks a model has and not how many: those with a dozen easy ones still come
before those with as many hard ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from argusic.leaderboards.index.comparing.category_average import CategoryAverage, counted
from argusic.leaderboards.index.comparing.way import Given, Outcome


@dataclass(frozen=True)
class MinimumCount:
    """The category average for models with enough benchmarks.

    Attributes:
        least: The minimum.
        average: The average that it is put upon.
    """

    least: int = 4
    average: CategoryAverage = field(default_factory=CategoryAverage)
    name: str = "minimum-count"
    title: str = "Category average with a minimum count"

    @property
    def says(self) -> str:
        """What it does, in a sentence."""
        return f"The category average, for models with at least {self.least} benchmarks."

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return the category average of each model that has enough, from 0 to 1."""
        has = dict(zip(given.responses.models, counted(given.responses), strict=True))
        return {
            model: outcome
            if has[model] >= self.least
            else Outcome(None, f"It has {has[model]} of the {self.least} benchmarks that it needs.")
            for model, outcome in self.average.scores(given).items()
        }
