"""What the index is made from: benchmarks and how each is read, models and their names, and what was published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

Category = Literal[
    "agents", "coding", "data", "instruction", "knowledge", "language", "long-context", "math", "preference",
    "reasoning", "science", "vision",
]  # fmt: skip
#: The categories that have a score of their own.
DOMAINS: Final[tuple[Category, ...]] = ("coding", "agents", "math", "science", "reasoning")


@dataclass(frozen=True)
class Source:
    """Where published results come from.

    Attributes:
        source: Its id, which names its files.
        title: Its name.
        address: Where it is published.
        snapshot: The day on which the copy was taken: no result in it is newer.
        licence: The licence of the data in words, or "none stated".
        redistributable: Whether that licence lets this repository hold them.
        attribution: The sentence with which it is credited.
        sha256: Of the file, or of the list of files, that was imported.
    """

    source: str
    title: str
    address: str
    snapshot: date
    licence: str
    redistributable: bool
    attribution: str
    sha256: str


@dataclass(frozen=True)
class Benchmark:
    """A public test set and how its results are read.

    Attributes:
        benchmark: Its id.
        name: Its name.
        category: What it tests.
        kind: `accuracy` lies between a baseline and a ceiling; `relative` is a rating among those who took part.
        unit: What a score is: `fraction`, `normalised fraction` (made one by its source) or `rating`.
        baseline: The score of a random guess, in that unit; None for a relative one.
        ceiling: The highest that can be reached; None for a relative one.
        source: The id of the source that its results are taken from.
        run_by: Who runs it: the `source` itself, or `others` whose results the source passes on.
        licence: The licence of its results where it is known to differ from the source's, else "as the source".
        superseded_by: The benchmark that took its place, or None.
    """

    benchmark: str
    name: str
    category: Category
    kind: Literal["accuracy", "relative"]
    unit: str
    baseline: float | None
    ceiling: float | None
    source: str
    run_by: str
    licence: str
    superseded_by: str | None


@dataclass(frozen=True)
class Model:
    """A model under the one name that the index knows it by.

    Attributes:
        model: That name.
        aliases: Other names and versions under which its results are published.
        organization: Who made it, or None where that is not known.
        open_weights: Whether its weights can be had, or None where that is not known.
        open_weights_by: How that is known: a source, or the rule that guesses it from the name.
        released: The day of its release, or None where that is not known.
    """

    model: str
    aliases: tuple[str, ...]
    organization: str | None
    open_weights: bool | None
    open_weights_by: str
    released: date | None


@dataclass(frozen=True)
class Result:
    """One published result.

    Attributes:
        model: Whose.
        benchmark: On which benchmark.
        score: In the benchmark's unit.
        as_of: The day of the run, or None where the source gives none.
        source: The id of its source.
        version: The version of the model as the source names it.
        variant: Effort, shots, scaffold or tools, as the source says; empty where it says nothing.
        row: The line in the source's file in this repository.
        low: The lower end of the source's own range of 95 %, where it gives one.
        high: The upper end.
    """

    model: str
    benchmark: str
    score: float
    as_of: date | None
    source: str
    version: str
    variant: str
    row: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Facts:
    """Everything that was imported, checked against itself.

    Attributes:
        sources: By id.
        benchmarks: By id.
        models: By name.
        results: All of them, every published variant, sorted by benchmark, model, version and variant.
    """

    sources: Mapping[str, Source]
    benchmarks: Mapping[str, Benchmark]
    models: Mapping[str, Model]
    results: tuple[Result, ...]
