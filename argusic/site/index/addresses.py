"""Where figures of the index are stated: the derived ranking for what was computed, a row of a file for what was read.

A whole row of a table, or a whole part of a page, shares one address: that of the model, the benchmark or the result
that it is about. `argusic trace` takes it.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from markupsafe import Markup

from argusic.database.paths import index_results_path, ranking_inputs_path, ranking_path
from argusic.leaderboards.index.facts import Result
from argusic.leaderboards.index.recorded import recorded
from argusic.referee.tracing.address import figure_at
from argusic.site.index.contents import Contents


class IndexAddresses:
    """The addresses of one index. Each method returns the attribute of an element, for a template."""

    def __init__(self, contents: Contents) -> None:
        self.ranking = ranking_path(contents.index.date.isoformat())
        self._inputs = ranking_inputs_path(contents.index.date.isoformat())
        record = recorded(contents.index)
        self._models = {
            one.model: _attribute(self.ranking, "models", number, "score" if one.refused is None else "refused")
            for number, one in enumerate(record.models, 1)
        }
        self._benchmarks = {
            **{
                one.benchmark: _attribute(self.ranking, "benchmarks", one.benchmark, "difficulty")
                for one in record.benchmarks
            },
            **{one.benchmark: _attribute(self.ranking, "left_out", one.benchmark, "reason") for one in record.left_out},
        }

    def model(self, name: str) -> Markup:
        """Return the address of a model's standing: its score, or why it has none."""
        return self._models[name]

    def benchmark(self, benchmark: str) -> Markup:
        """Return the address of a benchmark's standing: its difficulty, or why it does not count."""
        return self._benchmarks[benchmark]

    def whole(self, figure: str) -> Markup:
        """Return the address of a figure of the index as a whole."""
        return _attribute(self.ranking, figure)

    def ranking_of(self, day: str, figure: str) -> Markup:
        """Return the address of a figure of the ranking of another day."""
        return _attribute(ranking_path(day), figure)

    def inputs(self, figure: str) -> Markup:
        """Return the address of what people recorded of the ranking: an option, or the rule of the panel."""
        return _attribute(self._inputs, figure)

    def file(self, source: str) -> Markup:
        """Return the address of a file of results: how many it has."""
        return _attribute(index_results_path(source), "results")

    def result(self, result: Result) -> Markup:
        """Return the address of a published result."""
        return _attribute(index_results_path(result.source), result.row, "score")


def _attribute(path: PurePosixPath, *steps: str | int) -> Markup:
    return Markup('data-trace="{}"').format(Markup(figure_at(path, *steps)))
