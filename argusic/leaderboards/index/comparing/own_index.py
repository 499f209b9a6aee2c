"""The index itself, as one of the ways: an ability for each model, by item response theory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from argusic.leaderboards.index.comparing.way import Given, Outcome
from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.gate import LEAST_BENCHMARKS, refused
from argusic.leaderboards.index.options import Options


@dataclass(frozen=True)
class OwnIndex:
    """The index: the one that stands already, or one that is fitted to what is given.

    Attributes:
        options: The settings of a fit.
    """

    options: Options = field(default_factory=Options)
    name: str = "index"
    title: str = "Argusic index"

    @property
    def says(self) -> str:
        """What it does, in a sentence."""
        return (
            "The ability that explains a model's results best, each benchmark having a difficulty and a "
            "discrimination of its own; 100 is the mean of the prior."
        )

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return the index's score of each model that passes the gate."""
        if given.index is not None:
            return given.index
        r = given.responses
        inside = np.array([name in given.active for name in r.benchmarks], dtype=bool)
        kept = r.where(inside[r.benchmark]) if given.active else r
        fitted = fit(kept, self.options)
        outcomes = {}
        for place in sorted(set(r.model.tolist())):
            why_not = self._refused(given, [r.benchmarks[j] for j in kept.benchmark[kept.model == place]])
            outcomes[r.models[place]] = Outcome(None if why_not else float(fitted.scores[place]), why_not)
        return outcomes

    def _refused(self, given: Given, on: list[str]) -> str | None:
        """Return why a model with results on these benchmarks has no score; by number where nothing is known."""
        if given.benchmarks:
            return refused([given.benchmarks[name] for name in on if name in given.benchmarks])
        return (
            None
            if len(on) >= LEAST_BENCHMARKS
            else f"It has {len(on)} of the {LEAST_BENCHMARKS} benchmarks that it needs."
        )
