"""What a way to one number is given, and what it answers: a score for each model, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from argusic.leaderboards.index.facts import Benchmark, Category
from argusic.leaderboards.index.responses import Places, Responses


class Outcome(NamedTuple):
    """What a way says of a model: one of the two is there."""

    score: float | None
    """Its score, the higher the better."""
    why_not: str | None = None
    """Why it has none, in a sentence."""


@dataclass(frozen=True, eq=False)
class Given:
    """What every way is given.

    Attributes:
        responses: Results from 0 (the baseline) to 1 (the ceiling), on every accuracy benchmark, in the panel or not.
        benchmarks: What is known of each benchmark, by its id; empty where nothing is.
        active: The benchmarks of the panel. Where none is named, the index takes them all.
        open_weights: Whether a model's weights can be had; a model of which that is not known is not among them.
        index: The scores of an index that stands already. None fits one to the results.
    """

    responses: Responses
    benchmarks: Mapping[str, Benchmark] = field(default_factory=dict)
    active: frozenset[str] = frozenset()
    open_weights: Mapping[str, bool] = field(default_factory=dict)
    index: Mapping[str, Outcome] | None = None

    @cached_property
    def categories(self) -> tuple[Category, ...]:
        """The categories of the benchmarks, sorted."""
        known = self.benchmarks
        return tuple(sorted({known[name].category for name in self.responses.benchmarks if name in known}))

    @cached_property
    def category(self) -> Places:
        """The category of each benchmark as a place in `categories`, -1 where it is not known; shape (J,)."""
        place = {name: number for number, name in enumerate(self.categories)}
        known = self.benchmarks
        found = [place[known[name].category] if name in known else -1 for name in self.responses.benchmarks]
        return np.array(found, dtype=np.intp)


class Way(Protocol):
    """A way to one number per model."""

    @property
    def name(self) -> str:
        """Its name in commands and addresses."""

    @property
    def title(self) -> str:
        """Its name for people."""

    @property
    def says(self) -> str:
        """What it does, in a sentence."""

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return what it says of each model that has a result, by name."""
