"""Is it one scale: pieces, what alone holds them together, and whom a single result holds; against taking out each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.leaderboards.index.connecting import Bridge, connectivity
from argusic.leaderboards.index.responses import Responses

Edges = frozenset[tuple[str, str]]


def of(edges: Iterable[tuple[str, str]]) -> Responses:
    return Responses.of_rows([(model, benchmark, 0.5) for model, benchmark in edges])


def pieces(edges: Edges, benchmarks: Iterable[str]) -> list[set[str]]:
    """Return the connected pieces as sets of benchmarks, by walking."""
    left, found = set(benchmarks), []
    while left:
        piece = {min(left)}
        while True:
            models = {model for model, benchmark in edges if benchmark in piece}
            grown = piece | {benchmark for model, benchmark in edges if model in models and benchmark in left}
            if grown == piece:
                break
            piece = grown
        found.append(piece)
        left -= piece
    return found


def splits(edges: Edges, without: Edges, benchmarks: set[str]) -> bool:
    """Whether fewer of the pairs of `benchmarks` are connected without some edges."""
    return len(pieces(edges - without, benchmarks)) > len(pieces(edges, benchmarks))


@given(st.frozensets(st.tuples(st.sampled_from("ABCDEFG"), st.sampled_from("uvwxyz")), min_size=1, max_size=16))
@settings(max_examples=150, deadline=None)
def test_it_names_whatever_splits_the_graph_when_taken_out(edges: Edges) -> None:
    found = connectivity(of(edges))
    benchmarks = {benchmark for _, benchmark in edges}
    assert sorted(map(sorted, found.components)) == sorted(map(sorted, pieces(edges, benchmarks)))
    assert list(map(len, found.components)) == sorted(map(len, found.components), reverse=True)
    expected: set[tuple[str | None, str | None]] = set()
    for benchmark in benchmarks:
        others = benchmarks - {benchmark}
        gone = frozenset(edge for edge in edges if edge[1] == benchmark)
        # A piece of one benchmark is gone with it and splits nothing.
        if len(pieces(edges - gone, others)) > len(pieces(edges, benchmarks)) - (
            {benchmark} in pieces(edges, benchmarks)
        ):
            expected.add((benchmark, None))
    for model in {model for model, _ in edges}:
        if splits(edges, frozenset(edge for edge in edges if edge[0] == model), benchmarks):
            expected.add((None, model))
    expected |= {
        (benchmark, model) for model, benchmark in edges if splits(edges, frozenset({(model, benchmark)}), benchmarks)
    }
    assert {(one.benchmark, one.model) for one in found.bridges} == expected
    assert len(found.bridges) == len(expected)
    counted = Counter(model for model, _ in edges)
    assert found.hanging == tuple(sorted(model for model, count in counted.items() if count == 1))


def test_two_halves_that_one_model_ties_together() -> None:
    halves = [(model, benchmark) for model in "AB" for benchmark in "uvw"]
    halves += [(model, benchmark) for model in "CD" for benchmark in "xy"]
    assert connectivity(of(halves)).components == (("u", "v", "w"), ("x", "y"))
    tied = connectivity(of([*halves, ("E", "u"), ("E", "x")]))
    assert tied.components == (("u", "v", "w", "x", "y"),)
    assert tied.bridges == (
        # Without u, E ties x and y to nothing; without x it is y that E does not reach.
        Bridge("u", None, ("x", "y")),
        Bridge("x", None, ("y",)),
        Bridge(None, "E", ("x", "y")),
        Bridge("u", "E", ("x", "y")),
        Bridge("x", "E", ("x", "y")),
    )
    # One more model that ties them elsewhere, and nothing alone holds them together.
    assert connectivity(of([*halves, ("E", "u"), ("E", "x"), ("F", "v"), ("F", "y")])).bridges == ()


def test_nothing_at_all_is_no_piece() -> None:
    assert connectivity(of([])).components == ()
