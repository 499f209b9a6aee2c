"""What the index is fitted to: results on one scale from 0 to 1, in an order that does not depend on their file's."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Responses:
    """Results of models on benchmarks, sorted by model and benchmark. n results, I models, J benchmarks.

    Attributes:
        models: The names of the models, sorted; shape (I,).
        benchmarks: The names of the benchmarks, sorted; shape (J,).
        model: Whose each result is, as a place in `models`; shape (n,), ascending.
        benchmark: On which benchmark, as a place in `benchmarks`; shape (n,).
        score: The result, from 0 (the random guess) to 1 (the ceiling); shape (n,).
    """

    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    model: Places
    benchmark: Places
    score: Floats

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[str, str, float]]) -> Responses:
        """Return the responses of rows (model, benchmark, score).

        Raises:
            ValueError: A pair stands twice, or a score is no number from 0 to 1.
        """
        ordered = sorted(rows)
        for (model, benchmark, _), (again, on, _) in pairwise(ordered):
            if (model, benchmark) == (again, on):
                raise ValueError(f"{model!r} has two results on {benchmark!r}")
        for model, benchmark, score in ordered:
            if not (math.isfinite(score) and 0 <= score <= 1):
                raise ValueError(f"{model!r} on {benchmark!r} has {score}, which is no score from 0 to 1")
        models = tuple(sorted({row[0] for row in ordered}))
        benchmarks = tuple(sorted({row[1] for row in ordered}))
        of_model = {name: place for place, name in enumerate(models)}
        of_benchmark = {name: place for place, name in enumerate(benchmarks)}
        return cls(
            models,
            benchmarks,
            np.array([of_model[row[0]] for row in ordered], dtype=np.intp),
            np.array([of_benchmark[row[1]] for row in ordered], dtype=np.intp),
            np.array([row[2] for row in ordered], dtype=np.float64),
        )

    @classmethod
    def of_columns(cls, model: Iterable[str], benchmark: Iterable[str], score: Iterable[float]) -> Responses:
        """Return the responses of three columns of equal length, such as those of a pandas frame.

        Raises:
            ValueError: They are not of equal length, a name is no text, a pair stands twice, or a score is no number
                from 0 to 1.
        """
        rows = []
        for one, other, value in zip(model, benchmark, score, strict=True):
            for name in (one, other):
                if not isinstance(name, str):
                    raise ValueError(f"{name!r} is no name of a model or benchmark: it is no text")
            rows.append((str(one), str(other), float(value)))
        return cls.of_rows(rows)

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        """Return how large they are: in full they fill screens."""
        return f"<{len(self)} results of {len(self.models)} models on {len(self.benchmarks)} benchmarks>"

    def where(self, kept: NDArray[np.bool_]) -> Responses:
        """Return the results that are kept, of the same models and benchmarks: some may be left without any."""
        return Responses(self.models, self.benchmarks, self.model[kept], self.benchmark[kept], self.score[kept])

    @cached_property
    def starts(self) -> Places:
        """Where each model's results begin, and where the last one's end; shape (I + 1,)."""
        return np.searchsorted(self.model, np.arange(len(self.models) + 1))

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the rows: the same for the same data in any order."""
        made = hashlib.sha256()
        for i, j, score in zip(self.model, self.benchmark, self.score, strict=True):
            made.update(f"{self.models[i]}\t{self.benchmarks[j]}\t{float(score)!r}\n".encode())
        return made.hexdigest()
