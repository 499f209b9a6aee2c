"""What is validated: results, who among the models is ranked, and what else is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.gate import LEAST_BENCHMARKS, refused
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.preparing import Prepared
from argusic.leaderboards.index.responses import Responses
from argusic.leaderboards.index.validation.dimension import by_first_word
from argusic.leaderboards.index.validation.renewed import newcomers


@dataclass(frozen=True, eq=False)
class Case:
    """What is validated.

    Attributes:
        responses: The results.
        options: The settings of the fit.
        field: The models whose order is looked at, sorted: of those that pass the gate the open ones, or all where
            none is known to be open.
        field_is: Who these are, in words.
        families: Who made a model, by its name, where that is known.
        groups: Benchmarks that belong together, by their names.
        new: Which results count as an update; shape (n,).
        new_is: Which these are, in words.
    """

    responses: Responses
    options: Options
    field: tuple[str, ...]
    field_is: str
    families: Mapping[str, str]
    groups: Mapping[str, str]
    new: NDArray[np.bool_]
    new_is: str


def of_table(responses: Responses, options: Options) -> Case:
    """Return the case of a plain table, of which nothing is known but its results."""
    counted = np.bincount(responses.model, minlength=len(responses.models))
    field = tuple(name for name, count in zip(responses.models, counted, strict=True) if count >= LEAST_BENCHMARKS)
    return Case(
        responses,
        options,
        field,
        f"models with results on at least {LEAST_BENCHMARKS} benchmarks",
        {},
        by_first_word(responses.benchmarks),
        newcomers(responses),
        "all results of a tenth of the models, drawn by chance",
    )


def of_prepared(facts: Facts, prepared: Prepared, options: Options) -> Case:
    """Return the case of a repository's results."""
    responses = prepared.responses
    on: dict[str, list[str]] = {name: [] for name in responses.models}
    for i, j in zip(responses.model, responses.benchmark, strict=True):
        on[responses.models[i]].append(responses.benchmarks[j])
    passing = [name for name, has in on.items() if refused([facts.benchmarks[one] for one in has]) is None]
    openly = [name for name in passing if facts.models[name].open_weights]
    made_by = {name: facts.models[name].organization for name in responses.models}
    new, new_is = _update(facts, prepared)
    return Case(
        responses,
        options,
        tuple(openly or passing),
        "open models that pass the gate" if openly else "models that pass the gate",
        {name: maker for name, maker in made_by.items() if maker is not None},
        by_first_word(responses.benchmarks),
        new,
        new_is,
    )


def _update(facts: Facts, prepared: Prepared) -> tuple[NDArray[np.bool_], str]:
    """Return the results of the newest source, if there are others too."""
    responses = prepared.responses
    of = {(one.result.model, one.result.benchmark): one.result.source for one in prepared.chosen if one.counts}
    sources = [
        of[responses.models[i], responses.benchmarks[j]]
        for i, j in zip(responses.model, responses.benchmark, strict=True)
    ]
    newest = max(sorted(set(sources)), key=lambda source: facts.sources[source].snapshot, default="")
    new = np.array([source == newest for source in sources], dtype=np.bool_)
    if np.all(new):
        return newcomers(responses), "all results of a tenth of the models, drawn by chance"
    return new, f"the results taken from {newest}, the newest source"
