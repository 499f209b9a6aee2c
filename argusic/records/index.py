"""What people decide of the composite index: what a dated ranking is made from, and the reference that holds its scale.

A benchmark's parameters are worth something beside the baseline and the ceiling alone between which its results were
read, so that both stand beside them. Every file states the digest of the files of results that it rests on.
"""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Day, Items, Part, Record, ReferenceId, Sha256, Slug, Text

#: The standard deviation of a prior: far beyond these its square is no number that a fit can work with.
_Width = Annotated[float, Field(ge=1e-3, le=1e3)]
_Count = Annotated[int, Field(ge=0)]


class Panel(Part):
    """The rule that says which benchmarks count."""

    days: Annotated[int, Field(ge=0, le=36_500)] | None = 365
    """How many days before the ranking's date the newest of a benchmark's dates may lie; null where the rule is off,
    so that every benchmark counts."""
    run_dates_only: bool = False
    """Whether the days of runs alone keep a benchmark, and no release of a model."""
    least_recent: _Count = 0
    """How many results a benchmark needs within those days."""


class FitOptions(Part):
    """The settings of the fit: the noise and the priors."""

    likelihood: Literal["gaussian", "bernoulli"] = "gaussian"
    """How a result scatters around what is expected of it."""
    sigma: Annotated[float, Field(ge=1e-4, le=10)] = 0.1
    """The standard deviation of that, on the scale from 0 to 1."""
    theta_sd: _Width = 1.0
    """The standard deviation of the prior of abilities."""
    difficulty_sd: _Width = 2.0
    """That of difficulties."""
    log_discrimination_sd: _Width = 0.5
    """That of the logarithm of discriminations."""
    tolerance: Annotated[float, Field(gt=0, le=1e-3)] = 1e-8
    """The largest element of the gradient that counts as none."""
    most_steps: Annotated[int, Field(ge=1, le=100_000)] = 200
    """Steps after which a fit has failed."""


class Draws(Part):
    """The draws of benchmarks that say which ranks can be told apart."""

    count: Annotated[int, Field(ge=1, le=100_000)] = 500
    """How many."""
    seed: _Count = 0
    """Which."""


class ResultFile(Part):
    """A file of results."""

    source: Slug
    """The source and snapshot, which name the file."""
    sha256: Sha256
    """Of the file."""


class AddendumUsed(Part):
    """An addendum that a ranking holds to."""

    date: Day
    """Its day."""
    sha256: Sha256
    """Of what it says, as it states it itself."""


class ReferenceUsed(Part):
    """The reference that a ranking holds to."""

    reference: ReferenceId
    """Which."""
    sha256: Sha256
    """Of what it says, as it states it itself."""
    addenda: Items[AddendumUsed] = ()
    """What was added to it since, the oldest first."""


class RankingInputs(Record):
    """What the ranking of a date is made from. Nothing of it is read from a clock."""

    date: Day
    """The ranking's date, which the rule of the panel counts back from."""
    panel: Panel
    """Which benchmarks count."""
    options: FitOptions
    """The settings of the fit."""
    published: Literal["conditional", "joint"]
    """Which range stands beside a score: with the benchmarks' parameters as they are held, or as uncertain as they
    are."""
    draws: Draws
    """How ranks are told apart."""
    reference: ReferenceUsed | None = None
    """What holds the scale; absent where the ranking stands on a fit of its own."""
    results: Annotated[Items[ResultFile], Field(min_length=1)]
    """The files of results, by source."""
    note: Text | None = None
    """What a reader of the ranking should know."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        _check_ascending([file.source for file in self.results], "results")
        if self.reference is not None:
            _check_ascending([used.date for used in self.reference.addenda], "addenda")
            if any(used.date > self.date for used in self.reference.addenda):
                raise ValueError("addenda must not be of a later day than the ranking")
        return self


class ItemParameters(Part):
    """A benchmark's parameters, frozen."""

    benchmark: Slug
    """The benchmark."""
    difficulty: Annotated[float, Field(ge=-1000, le=1000)]
    """b: the ability that scores half-way between guessing and the ceiling."""
    discrimination: Annotated[float, Field(gt=0, le=1e6)]
    """a: how sharply it tells abilities near its difficulty apart."""
    baseline: float
    """The random guess that its results were read from."""
    ceiling: float
    """The best that can be reached."""
    results: Annotated[int, Field(ge=1)]
    """How many results it was fitted to."""


class _Frozen(Record):
    """Parameters that are held from a day on, with the digest of what is said."""

    reference: ReferenceId
    """The reference."""
    date: Day
    """The day whose panel and results the parameters were fitted to."""
    panel: Panel
    """Which benchmarks counted."""
    options: FitOptions
    """The settings of the fit."""
    files: Annotated[Items[ResultFile], Field(min_length=1)]
    """The files of results, by source."""
    data: Sha256
    """Of the rows that were fitted: model, benchmark, result from 0 to 1."""
    models: Annotated[int, Field(ge=1)]
    """How many models they were fitted to."""
    rmse: Annotated[float, Field(ge=0)]
    """The root of the mean square of the fit's residuals, from 0 to 1."""
    benchmarks: Annotated[Items[ItemParameters], Field(min_length=1)]
    """The parameters, by benchmark."""
    sha256: Sha256
    """Of everything else that is said here."""

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _check_ascending([file.source for file in self.files], "files")
        _check_ascending([item.benchmark for item in self.benchmarks], "benchmarks")
        if self.sha256 != self.digest():
            raise ValueError(f"sha256 must be that of everything else here, {self.digest()}")
        return self

    def digest(self) -> str:
        """Return the SHA-256 of everything that is said here but itself, as JSON with sorted keys."""
        plain = self.model_dump(mode="json", by_alias=True, exclude={"sha256"})
        return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()

    @classmethod
    def of(cls, **said: object) -> Self:
        """Return the record that says this, with its digest.

        Raises:
            ValidationError: It is no such record.
        """
        draft = cls.model_construct(sha256="0" * 64, **said)  # type: ignore[arg-type]
        return cls.model_validate({**said, "sha256": draft.digest()})


class Reference(_Frozen):
    """The parameters that hold the scale until the next reference: 100 is the mean of the field they were fitted to."""


class Addendum(_Frozen):
    """Parameters of benchmarks that entered after a reference was frozen, fitted once with all others held."""

    held: Sha256
    """The digest of the reference."""


def _check_ascending(names: list[str], field: str) -> None:
    if any(first >= second for first, second in pairwise(names)):
        raise ValueError(f"{field} must be in ascending order, each once")
