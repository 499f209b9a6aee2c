"""What the ways are given of a repository: its published results at a ranking's date, and its index."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from argusic.leaderboards.index.comparing.given_ratings import GivenRatings
from argusic.leaderboards.index.comparing.way import Given, Outcome
from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.preparing import MOST_AT_EDGE, Prepared
from argusic.leaderboards.index.responses import Responses
from argusic.leaderboards.index.standings import Index


def given_of(facts: Facts, prepared: Prepared, index: Index | None = None) -> Given:
    """Return what the ways are given: every accuracy benchmark, outside the panel too.

    Only benchmarks whose baseline or ceiling is likely wrong are left out, as the index leaves them out.

    Args:
        facts: What was published.
        prepared: What counts of it at a date.
        index: The index of that date; None has one fitted to what counts.
    """
    used = [one for one in prepared.chosen if prepared.at_edge[one.result.benchmark] <= MOST_AT_EDGE]
    responses = Responses.of_rows((one.result.model, one.result.benchmark, one.normalised) for one in used)
    return Given(
        responses=responses,
        benchmarks={name: facts.benchmarks[name] for name in responses.benchmarks},
        active=frozenset(prepared.responses.benchmarks),
        open_weights={
            name: facts.models[name].open_weights or False
            for name in responses.models
            if facts.models[name].open_weights is not None
        },
        index=None if index is None else index_scores(index),
    )


def index_scores(index: Index) -> Mapping[str, Outcome]:
    """Return what an index says of each of its models."""
    return {
        one.model.model: Outcome(None if one.refused else one.score, one.refused)
        for one in sorted(index.models, key=lambda one: one.model.model)
    }


def relative_ratings(facts: Facts, prepared: Prepared) -> tuple[GivenRatings, ...]:
    """Return the ratings of each relative benchmark that has results, under a name that no other way has."""
    return tuple(
        GivenRatings({one.model: one.score for one in rated}, f"ratings-{name}", facts.benchmarks[name].name)
        for name, rated in groupby(prepared.relative, key=lambda one: one.benchmark)
    )
