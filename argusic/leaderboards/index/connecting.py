"""Whether the results tie all models and benchmarks to one scale, and what alone holds pieces of it together.

Models and benchmarks are the two sides of a graph, results its edges. Two pieces that no result connects are placed
towards each other by the priors alone. Seen from the benchmarks, a model ties together those that it has results on;
so all questions are asked of the graph of benchmarks, which stays small however many models there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from argusic.leaderboards.index.responses import Responses


@dataclass(frozen=True)
class Bridge:
    """Something whose loss would split the graph.

    Attributes:
        benchmark: The benchmark; with a model, that model's result on it.
        model: The model; without a benchmark, all of its results.
        cuts_off: The benchmarks that would no longer be connected with the larger rest, sorted.
    """

    benchmark: str | None
    model: str | None
    cuts_off: tuple[str, ...]


@dataclass(frozen=True)
class Connectivity:
    """How the graph holds together.

    Attributes:
        components: The benchmarks of each connected piece, the largest first, equals by name.
        bridges: What alone holds pieces together: benchmarks, then models, then single results; each by name.
        hanging: The models with one result, by name.
    """

    components: tuple[tuple[str, ...], ...] = ()
    bridges: tuple[Bridge, ...] = ()
    hanging: tuple[str, ...] = ()


def connectivity(responses: Responses) -> Connectivity:
    """Return how models and benchmarks are connected. Benchmarks without a result are pieces of their own."""
    count = len(responses.benchmarks)
    if not count:
        return Connectivity()
    shared = _shared(responses)
    label = _labels(shared)
    pieces = sorted((_names(responses, label == part) for part in np.unique(label)), key=lambda it: (-len(it), it))
    per_model = np.bincount(responses.model, minlength=len(responses.models))
    return Connectivity(
        tuple(pieces),
        (*_benchmarks(responses, shared, label), *_models_and_results(responses, shared, label)),
        tuple(responses.models[i] for i in np.flatnonzero(per_model == 1)),
    )


def _shared(r: Responses) -> NDArray[np.int64]:
    """Return how many models each pair of benchmarks shares; shape (J, J)."""
    ones = np.ones(len(r), dtype=np.int64)
    has = csr_array(coo_array((ones, (r.model, r.benchmark)), shape=(len(r.models), len(r.benchmarks))))
    return np.asarray((has.T @ has).toarray())


def _labels(shared: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the piece of each benchmark, of how many models each pair of them shares."""
    return np.asarray(connected_components((shared > 0).astype(np.int8), directed=False)[1])


def _benchmarks(r: Responses, shared: NDArray[np.int64], label: NDArray[np.int32]) -> Iterator[Bridge]:
    """Yield the benchmarks without which others fall apart."""
    for j, name in enumerate(r.benchmarks):
        others = np.flatnonzero((label == label[j]) & (np.arange(len(label)) != j))
        cut = _cut_off(r, others, shared[np.ix_(others, others)])
        if cut:
            yield Bridge(name, None, cut)


def _models_and_results(r: Responses, shared: NDArray[np.int64], label: NDArray[np.int32]) -> Iterator[Bridge]:
    """Yield the models, and the single results, without which benchmarks fall apart."""
    # What two models tie together no one of them can split: only who alone ties two of these pieces is asked about.
    firm = _labels(np.where(shared > 1, shared, 0))
    pairs = zip(*np.nonzero((shared == 1) & (firm[:, None] < firm[None, :])), strict=True)
    owners = {int(np.intersect1d(r.model[r.benchmark == j], r.model[r.benchmark == k])[0]) for j, k in pairs}
    results = []
    for model in sorted(owners):
        mine = r.benchmark[r.model == model]
        piece = np.flatnonzero(label == label[mine[0]])
        without = shared.copy()
        without[np.ix_(mine, mine)] -= 1
        cut = _cut_off(r, piece, without[np.ix_(piece, piece)])
        if cut:
            yield Bridge(None, r.models[model], cut)
        for j in sorted(mine):
            without = shared.copy()
            without[j, mine] -= 1
            without[mine, j] -= 1
            cut = _cut_off(r, piece, without[np.ix_(piece, piece)])
            if cut:
                results.append(Bridge(r.benchmarks[j], r.models[model], cut))
    yield from sorted(results, key=lambda bridge: (bridge.benchmark or "", bridge.model or ""))


def _cut_off(r: Responses, places: NDArray[np.intp], shared: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the benchmarks among `places` outside their largest connected piece; of equal ones the first stays."""
    if not len(places):
        return ()
    label = _labels(shared)
    largest = int(np.argmax(np.bincount(label)))
    return tuple(r.benchmarks[place] for place in places[label != largest])


def _names(r: Responses, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(r.benchmarks[place] for place in np.flatnonzero(chosen))
