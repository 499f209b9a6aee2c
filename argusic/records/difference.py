"""What would be derived otherwise once a pull request is merged: figures and words of ours alone, never text of others.

It travels from a job that reads the pull request to one that may write below it, as an artifact that whoever sent the
pull request could have made. So nothing in it can be more than an id, a figure or a word that is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from argusic.records.base import CommitId, Day, Items, Part, Record, Slug, SubjectRef

#: What may be derived otherwise, in the order in which it is shown.
Aspect = Literal["verdict", "rank", "score", "pass rate", "tested", "review", "set", "median"]
#: The most changes that are named; the others are counted.
MOST_NAMED: Final = 500

_Kind = Annotated[str, Field(pattern=r"^[a-z][a-z-]{0,40}$")]
_Value = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_. ]{1,40}$")]
_Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class Changed(Part):
    """One figure or word that would be another."""

    aspect: Aspect
    """What it is."""
    cycle: Slug | None = None
    """Its cycle; none for what spans all cycles."""
    kind: _Kind
    """Its kind of subject."""
    agent: Slug | None = None
    """Whose it is, where it is an agent's."""
    subject: SubjectRef | None = None
    """What it is said of, where it is a subject."""
    before: _Value | None = None
    """What it is; none where it is not there yet."""
    after: _Value | None = None
    """What it would be; none where it would be gone."""


class IndexChanged(Part):
    """What would be another in the newest ranking of the index: counts, and benchmarks by id. Models have names of
    others, which are not told here."""

    before: Day | None = None
    """The newest ranking as it is; none where there is none yet."""
    after: Day
    """The newest ranking as it would be."""
    moved: _Count
    """How many models would have another score, gain one or lose it."""
    largest: Annotated[float, Field(ge=0)]
    """The largest move of a model that has a score in both, in points."""
    entered: Items[Slug] = ()
    """Benchmarks that would count and do not."""
    left: Items[Slug] = ()
    """Benchmarks that count and would not."""
    ranked: _Count
    """How many models would have a place."""


class Difference(Record):
    """What would be derived otherwise."""

    changed: Annotated[Items[Changed], Field(max_length=MOST_NAMED)] = ()
    """The first changes, the weightiest first."""
    counts: Mapping[Aspect, _Count]
    """How many there are, those that are not named as well."""
    index: IndexChanged | None = None
    """What would be another in the index; none where nothing would."""


class Proposal(Record):
    """What a pull request comes to, by the program as it is without it."""

    number: Annotated[int, Field(gt=0, le=1_000_000_000)]
    """Its number."""
    head: CommitId
    """The commit that it brings."""
    base: CommitId
    """The commit that it was compared with."""
    findings: _Count
    """How many things `argusic check` found wrong with it."""
    difference: Difference | None = None
    """What would be derived otherwise; none where nothing could be derived from it."""
