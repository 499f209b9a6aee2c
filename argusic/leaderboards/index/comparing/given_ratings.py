"""Ratings that somebody published, as one of the ways: what a user's file says, or a relative benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from argusic.leaderboards.index.comparing.way import Given, Outcome


@dataclass(frozen=True)
class GivenRatings:
    """Ratings by model, as they were published.

    Attributes:
        ratings: The rating of each model.
        name: A name for commands and addresses.
        title: What they are.
    """

    ratings: Mapping[str, float]
    name: str = "ratings"
    title: str = "Given ratings"

    @property
    def says(self) -> str:
        """What it does, in a sentence."""
        count = len(self.ratings)
        return f"{count} rating{'' if count == 1 else 's'} as published, on a scale of their own."

    def scores(self, given: Given) -> Mapping[str, Outcome]:
        """Return the rating of each model that has one and has a result too."""
        r = given.responses
        there = {r.models[place] for place in r.model.tolist()}
        return {model: Outcome(float(self.ratings[model])) for model in sorted(self.ratings) if model in there}
