"""What stands of each model and benchmark once a fit is made: ranges, pulls, domains, ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from argusic.leaderboards.index.anchoring import place_models
from argusic.leaderboards.index.facts import DOMAINS, Category, Facts
from argusic.leaderboards.index.fitting import UNIT, Fit, shown
from argusic.leaderboards.index.gate import refused
from argusic.leaderboards.index.neighbours import rank
from argusic.leaderboards.index.placing import Rows, place
from argusic.leaderboards.index.preparing import Chosen, Prepared
from argusic.leaderboards.index.ranges import WIDTH
from argusic.leaderboards.index.responses import Floats
from argusic.leaderboards.index.standings import (
    BenchmarkStanding,
    DomainScore,
    Field,
    Liveness,
    ModelStanding,
    Placed,
    Range,
    Rank,
)
from argusic.records.index import Draws

#: From how many of its benchmarks a domain's score is made.
LEAST_IN_DOMAIN = 2


def models(facts: Facts, prepared: Prepared, fitted: Fit, draws: Draws) -> tuple[ModelStanding, ...]:
    """Return every model with a result that counts, the highest score first, equals by name."""
    r = fitted.responses
    reasons = {name: _refused(facts, fitted, i) for i, name in enumerate(r.models)}
    ranks = _ranks(facts, fitted, reasons, draws)
    domains = _domains(facts, fitted)
    results = _results(prepared, fitted)
    conditional, joint = fitted.range(joint=False), fitted.range(joint=True)
    order = sorted(range(len(r.models)), key=lambda i: (-fitted.at.theta[i], r.models[i]))
    return tuple(
        ModelStanding(
            model=facts.models[r.models[i]],
            refused=reasons[r.models[i]],
            theta=float(fitted.at.theta[i]),
            score=float(fitted.scores[i]),
            conditional=_range(conditional, i),
            joint=_range(joint, i),
            ranks=ranks.get(r.models[i], {}),
            domains=domains[r.models[i]] if reasons[r.models[i]] is None else {},
            results=results[r.models[i]],
        )
        for i in order
    )


def benchmarks(facts: Facts, prepared: Prepared, fitted: Fit, free: Fit) -> tuple[BenchmarkStanding, ...]:
    """Return every accuracy benchmark by id, those outside the panel too."""
    r = fitted.responses
    of_name = {name: j for j, name in enumerate(r.benchmarks)}
    counted = np.bincount(r.benchmark, minlength=len(r.benchmarks))
    squares = np.bincount(r.benchmark, (fitted.expected - r.score) ** 2, minlength=len(r.benchmarks))
    rmse = np.sqrt(squares / np.maximum(counted, 1))
    results: dict[str, int] = defaultdict(int)
    for one in prepared.chosen:
        results[one.result.benchmark] += 1
    made = []
    for name, benchmark in sorted(facts.benchmarks.items()):
        if benchmark.kind != "accuracy":
            continue
        j = of_name.get(name)
        item, drifted = (fitted.item(name), free.item(name)) if j is not None else (None, None)
        made.append(
            BenchmarkStanding(
                benchmark=benchmark,
                liveness=prepared.liveness.get(name, _NO_RESULT),
                difficulty=item.difficulty if item is not None else None,
                discrimination=item.discrimination if item is not None else None,
                anchored=j is not None and bool(fitted.held[j]),
                results=results[name],
                clipped_low=prepared.clipped_low.get(name, 0),
                clipped_high=prepared.clipped_high.get(name, 0),
                at_edge=prepared.at_edge.get(name, 0.0),
                rmse=float(rmse[j]) if j is not None else None,
                free_difficulty=drifted.difficulty if drifted is not None else None,
                free_discrimination=drifted.discrimination if drifted is not None else None,
            )
        )
    return tuple(made)


_NO_RESULT = Liveness(None, None, None, (), 0, False, "It has no result in the sources that are used.")


def _refused(facts: Facts, fitted: Fit, model: int) -> str | None:
    return refused([facts.benchmarks[fitted.responses.benchmarks[j]] for j in _items(fitted, model)])


def _items(fitted: Fit, model: int) -> NDArray[np.intp]:
    first, last = np.searchsorted(fitted.responses.model, [model, model + 1])
    return fitted.responses.benchmark[first:last]


def _results(prepared: Prepared, fitted: Fit) -> dict[str, tuple[Placed, ...]]:
    """Return the results of each model that has one that counts, sorted by benchmark."""
    r = fitted.responses
    pulls, expected = _pulls(fitted), fitted.expected
    row = {(r.models[i], r.benchmarks[j]): n for n, (i, j) in enumerate(zip(r.model, r.benchmark, strict=True))}
    made: dict[str, list[Placed]] = {name: [] for name in r.models}
    for one in sorted(prepared.chosen, key=lambda one: one.result.benchmark):
        if one.result.model in made:
            made[one.result.model].append(_placed(one, row, expected, pulls))
    return {name: tuple(results) for name, results in made.items()}


def _placed(one: Chosen, row: Mapping[tuple[str, str], int], expected: Floats, pulls: Floats) -> Placed:
    n = row.get((one.result.model, one.result.benchmark))
    if n is None:
        return Placed(one.result, one.normalised, one.counts, None, None)
    return Placed(one.result, one.normalised, one.counts, float(expected[n]), float(pulls[n]))


def _pulls(fitted: Fit) -> Floats:
    """Return by how many points each result moves its model, the benchmarks' parameters held; shape (n,)."""
    r = fitted.responses
    starts = np.searchsorted(r.model, r.model)
    others = np.bincount(r.model, minlength=len(r.models))[r.model] - 1
    left_out = np.repeat(np.arange(len(r)), others)
    within = np.arange(len(left_out)) - np.repeat(np.cumsum(others) - others, others)
    # All results of the model but the one that is left out.
    rows = starts[left_out] + within + (within >= (left_out - starts[left_out]))
    a = np.exp(fitted.at.alpha)
    item = r.benchmark[rows]
    without = place(Rows(left_out, len(r), fitted.at.difficulty[item], a[item], r.score[rows]), fitted.options)
    return np.asarray(UNIT * (place_models(fitted).theta[r.model] - without.theta))


def _domains(facts: Facts, fitted: Fit) -> dict[str, dict[Category, DomainScore]]:
    """Return each model's scores from single categories."""
    r = fitted.responses
    a = np.exp(fitted.at.alpha)
    category = np.array([facts.benchmarks[name].category for name in r.benchmarks])
    made: dict[str, dict[Category, DomainScore]] = {name: {} for name in r.models}
    for domain in DOMAINS:
        rows = np.flatnonzero(category[r.benchmark] == domain)
        counted = np.bincount(r.model[rows], minlength=len(r.models))
        item = r.benchmark[rows]
        found = place(
            Rows(r.model[rows], len(r.models), fitted.at.difficulty[item], a[item], r.score[rows]), fitted.options
        )
        half = UNIT * WIDTH * found.sd
        scores = shown(found.theta)
        for i in map(int, np.flatnonzero(counted >= LEAST_IN_DOMAIN)):
            span = _range((scores - half, scores + half), i)
            made[r.models[i]][domain] = DomainScore(float(scores[i]), span, int(counted[i]))
    return made


def _ranks(facts: Facts, fitted: Fit, reasons: Mapping[str, str | None], draws: Draws) -> dict[str, dict[Field, Rank]]:
    passed = [name for name, why in reasons.items() if why is None]
    fields: tuple[tuple[Field, list[str]], ...] = (
        ("open", [name for name in passed if facts.models[name].open_weights]),
        ("all", passed),
    )
    made: dict[str, dict[Field, Rank]] = defaultdict(dict)
    for field, names in fields:
        for name, found in _ranked(fitted, names, draws):
            made[name][field] = found
    return made


def _ranked(fitted: Fit, names: Sequence[str], draws: Draws) -> Collection[tuple[str, Rank]]:
    if not names:
        return ()
    found = rank(fitted, names, draws=draws.count, seed=draws.seed)
    last = len(found.models) - 1
    return [
        (
            name,
            Rank(
                place=k + 1,
                low=int(found.low[k]),
                high=int(found.high[k]),
                group=int(found.group[k]),
                known=bool(found.known[k]),
                ahead_of_next=float(found.ahead[k, k + 1]) if k < last else None,
            ),
        )
        for k, name in enumerate(found.models)
    ]


def _range(ends: tuple[Floats, Floats], place: int) -> Range:
    low, high = ends
    return Range(float(low[place]), float(high[place]))
