"""The category average over the panel alone: benchmarks that no model of today is run on no longer count.

It mends what can be seen at once, and rests on the same estimator: among benchmarks that are in use, the hard ones
still lower the mean of whoever was run on them, and two models without a benchmark in common still cannot be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from argusic.leaderboards.index.comparing.minimum_count import MinimumCount
from argusic.leaderboards.index.comparing.way import Given, Outcome


@dataclass(frozen=True)
class ActivePanel:
    """The category average over the panel, for models with enough of its benchmarks.

    Attributes:
        average: The average and its minimum, taken over the panel alone.
    """

    average: MinimumCount = field(default_factory=MinimumCount)
    name: str = "active-panel"
    title: str = "Category average over the active panel"

    @property
    def says(self) -> str:
        """What it does, in a sentence."""
        return (
            "The category average over benchmarks that today's models are still run on; for models with at least "
            f"{self.average.least} of them."
        )

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return the category average of each model that has enough active benchmarks, from 0 to 1."""
        responses = given.responses
        active = np.array([name in given.active for name in responses.benchmarks], dtype=bool)
        inside = replace(given, responses=responses.where(active[responses.benchmark]))
        none = Outcome(None, "None of its benchmarks is in the panel.")
        whoever = {responses.models[place]: none for place in sorted(set(responses.model.tolist()))}
        return {**whoever, **self.average.scores(inside)}
