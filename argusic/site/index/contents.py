"""What the pages of the index are drawn from: the index in memory, the facts behind it, and what was made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from argusic.leaderboards.index.changes import Changes
from argusic.leaderboards.index.comparing.comparison import Comparison
from argusic.leaderboards.index.facts import Benchmark, Facts, Result
from argusic.leaderboards.index.preparing import best_variant, normalised
from argusic.leaderboards.index.standings import BenchmarkStanding, Index, ModelStanding
from argusic.records.index import RankingInputs
from argusic.site.index.naming import slugs


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything that the pages show.

    Attributes:
        index: The index at its date.
        facts: What was imported.
        inputs: What the ranking is made from, as people recorded it.
        comparison: The other ways to one number on the same results; None where they were not compared.
        changes: What each dated ranking changed against the one before, the newest first.
    """

    index: Index
    facts: Facts
    inputs: RankingInputs
    comparison: Comparison | None = None
    changes: tuple[Changes, ...] = ()

    @cached_property
    def model_slugs(self) -> Mapping[str, str]:
        """The name of each model's page, of those without a result that counts too."""
        return slugs([*(standing.model.model for standing in self.index.models), *self.index.others])

    @cached_property
    def benchmark_slugs(self) -> Mapping[str, str]:
        """The name of each benchmark's page, by its id."""
        return slugs([*self.facts.benchmarks])

    @cached_property
    def ranked(self) -> tuple[ModelStanding, ...]:
        """The models that have a score, the highest first."""
        return tuple(standing for standing in self.index.models if standing.refused is None)

    @cached_property
    def refused(self) -> tuple[ModelStanding, ...]:
        """The models below the gate, by name."""
        below = [standing for standing in self.index.models if standing.refused is not None]
        return tuple(sorted(below, key=lambda standing: standing.model.model))

    @cached_property
    def by_model(self) -> Mapping[str, ModelStanding]:
        """The standings of models by name."""
        return {standing.model.model: standing for standing in self.index.models}

    @cached_property
    def by_benchmark(self) -> Mapping[str, BenchmarkStanding]:
        """The standings of benchmarks by id."""
        return {standing.benchmark.benchmark: standing for standing in self.index.benchmarks}

    @cached_property
    def active(self) -> tuple[BenchmarkStanding, ...]:
        """The benchmarks that count, the easiest first."""
        counting = [standing for standing in self.index.benchmarks if standing.difficulty is not None]
        return tuple(sorted(counting, key=lambda s: (s.difficulty or 0.0, s.benchmark.benchmark)))

    @cached_property
    def inactive(self) -> tuple[BenchmarkStanding, ...]:
        """The accuracy benchmarks that do not count, by name."""
        left = [standing for standing in self.index.benchmarks if standing.difficulty is None]
        return tuple(sorted(left, key=lambda s: (s.benchmark.name.casefold(), s.benchmark.benchmark)))

    @cached_property
    def measured(self) -> int:
        """How many accuracy benchmarks have a result in the sources that the ranking is made from."""
        return len({benchmark for _, benchmark in self.published} & self.by_benchmark.keys())

    @cached_property
    def relative(self) -> tuple[Benchmark, ...]:
        """The rating boards, which never count, by name."""
        boards = [board for board in self.facts.benchmarks.values() if board.kind == "relative"]
        return tuple(sorted(boards, key=lambda board: (board.name.casefold(), board.benchmark)))

    @cached_property
    def used(self) -> tuple[Result, ...]:
        """The published results of the sources that the ranking is made from."""
        sources = {file.source for file in self.inputs.results}
        return tuple(result for result in self.facts.results if result.source in sources)

    @cached_property
    def published(self) -> Mapping[tuple[str, str], tuple[Result, ...]]:
        """Every published result of a model on a benchmark, all variants."""
        found: dict[tuple[str, str], list[Result]] = {}
        for result in self.used:
            found.setdefault((result.model, result.benchmark), []).append(result)
        return {key: tuple(results) for key, results in found.items()}

    def best_of(self, model: str) -> tuple[Result, ...]:
        """Return the best variant of a model on each benchmark that it has a result on, rating boards too."""
        return self._best.get(model, ())

    @cached_property
    def _best(self) -> Mapping[str, tuple[Result, ...]]:
        found: dict[str, list[Result]] = {}
        for (model, benchmark), results in self.published.items():
            found.setdefault(model, []).append(best_variant(results, self.facts.benchmarks[benchmark]))
        return {model: tuple(results) for model, results in found.items()}

    @cached_property
    def group_sizes(self) -> Mapping[tuple[str, int], int]:
        """How many models each rank group of each field has."""
        return Counter((field, rank.group) for standing in self.ranked for field, rank in standing.ranks.items())


def clipped(score: float, benchmark: Benchmark) -> float:
    """Return a score with the benchmark's baseline at 0 and its ceiling at 1, as the fit takes it."""
    return min(max(normalised(score, benchmark), 0.0), 1.0)
