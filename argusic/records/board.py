"""A board: the agents' leaderboard of one cycle and kind, with every set behind it. Derived, never edited."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from argusic.records.base import EditionId, Items, Part, Record, RunId, Slug, SubjectRef, Text

#: An exact non-negative fraction as text, such as `260/3` or `80`.
Exact = Annotated[str, StringConstraints(pattern=r"^(0|[1-9]\d*)(/[1-9]\d*)?$")]
#: A figure rounded to two places for reading.
Shown = Annotated[float, Field(ge=0)]
#: A number of things.
Count = Annotated[int, Field(ge=0)]
#: What a run came to.
OutcomeWord = Literal["pass_full", "pass_mock", "fail", "timeout", "invalid"]


class Figure(Part):
    """A score: exact, and rounded for reading."""

    exact: Exact
    """Loses nothing."""
    shown: Shown
    """Rounded to two places."""


class BoardRun(Part):
    """One valid run of a set."""

    run: RunId
    """The run."""
    outcome: OutcomeWord
    """What it came to."""
    score: Figure
    """Its score."""


class InvalidRun(Part):
    """A run that counts nowhere, named because nothing is hidden."""

    run: RunId
    """The run."""
    reason: Text
    """Why it is invalid."""


class HeldRun(Part):
    """A run that counts nowhere until a person has screened what its report claims."""

    run: RunId
    """The run."""
    reason: Text
    """Why it is held."""


class BoardSet(Part):
    """One agent's runs on one subject, and what becomes of them."""

    subject: SubjectRef
    """The subject."""
    state: Literal["counted", "unstable", "incomplete", "under_review"]
    """What becomes of the set."""
    reason: Text | None = None
    """Why it does not count, where it does not."""
    score: Figure | None = None
    """The middle score of a complete set."""
    spread: Annotated[str, StringConstraints(pattern=r"^(unbounded|(0|[1-9]\d*)(/[1-9]\d*)?)$")] | None = None
    """The exact spread of a complete set in percent, or `unbounded`."""
    spread_shown: Shown | None = None
    """The spread rounded for reading; absent where it is unbounded."""
    runs: Items[BoardRun] = ()
    """The set: its first valid runs by start."""
    further: Items[BoardRun] = ()
    """Valid runs after the set. They count in the pass rate alone."""
    invalid: Items[InvalidRun] = ()
    """Runs that count nowhere."""
    held: Items[HeldRun] | None = None
    """Runs that a person has to look at before they count; absent where there are none."""


class SetCounts(Part):
    """How many of an agent's sets came to what."""

    counted: Count
    unstable: Count
    incomplete: Count
    under_review: Count


class AttemptCounts(Part):
    """How many of an agent's attempts came to what."""

    pass_full: Count
    pass_mock: Count
    fail: Count
    timeout: Count
    invalid: Count
    """Counted beside the valid ones; part of no rate."""
    held: Count | None = None
    """Those that a person has to look at first, likewise part of no rate; absent where there are none."""


class PassRate(Part):
    """Passes of all valid attempts, those of unstable and under-review sets included."""

    passed: Count
    """Attempts that passed, for real or against mocks."""
    valid: Annotated[int, Field(gt=0)]
    """Valid attempts."""
    percent: Shown
    """The rate in percent, rounded for reading."""


class BoardRow(Part):
    """One agent."""

    agent: Slug
    """The agent."""
    rank: Annotated[int, Field(ge=1)] | None = None
    """Its place; equal scores share one. Absent without a score."""
    score: Figure | None = None
    """Its board score: the middle of its per-subject middle scores."""
    no_score: Text | None = None
    """Why there is no score, where there is none."""
    pass_rate: PassRate | None = None
    """Absent without a valid attempt."""
    attempts: AttemptCounts
    """Its attempts."""
    sets: SetCounts
    """Its sets, in numbers."""
    subjects: Items[BoardSet]
    """Its sets, by subject."""


class Board(Record):
    """The board of one cycle and kind."""

    cycle: Slug
    """The cycle."""
    kind: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    """The kind of subject."""
    edition: EditionId
    """The rules that it was made under."""
    runs_per_set: Annotated[int, Field(gt=0)]
    """Valid runs that make a set, by that edition."""
    agents: Items[BoardRow]
    """The agents: by rank, then those without a score."""
