"""What a way to one number is given, and what it answers: a score for each model, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple, Protocol

import numpy as np

from argusic.leaderboards.index.responses import Places, Responses

#: Categories of which a composite needs one: what a model is asked to do most.
CORE: Final = ("reasoning", "coding")


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
        categories: The category of each benchmark; empty where nothing is known of them.
        active: The benchmarks of the panel.
        open_weights: Whether a model's weights can be had; a model of which that is not known is not among them.
        index: The scores of an index that stands already. None fits one to the results.
    """

    responses: Responses
    categories: Mapping[str, str] = field(default_factory=dict)
    active: frozenset[str] = frozenset()
    open_weights: Mapping[str, bool] = field(default_factory=dict)
    index: Mapping[str, Outcome] | None = None

    @cached_property
    def category_names(self) -> tuple[str, ...]:
        """The categories of the benchmarks, sorted."""
        return tuple(sorted({self.categories[name] for name in self.responses.benchmarks if name in self.categories}))

    @cached_property
    def category(self) -> Places:
        """The category of each benchmark as a place in `category_names`, -1 where none is known; shape (J,)."""
        place = {name: number for number, name in enumerate(self.category_names)}
        found = [place.get(self.categories.get(name, ""), -1) for name in self.responses.benchmarks]
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
