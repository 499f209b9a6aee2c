"""A reproduction: what came out when somebody ran again what a cycle had run, under its conditions, somewhere else.

It holds facts alone, as a stranger states them: endings, what the reports said, and where that was. Outcomes, scores
and agreement are derived from it by the same rules as those of the cycle's own runs, whenever they are asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Items, Part, Record, RunId, Sha256, Slug, SubjectRef, UtcTime
from argusic.records.conditions import CycleConditions
from argusic.records.manifest import ArgusicFacts, EditionUsed, EnvironmentFacts, SandboxFacts
from argusic.records.report import MOST_ERRORS, TestDepth
from argusic.records.run import EndingClass
from argusic.records.subject import AnyPin

#: The most characters of any one text. A record of this sort comes from strangers.
MOST_CHARACTERS: Final = 300
#: The most entries of a table of texts, such as the tools of a machine.
MOST_ENTRIES: Final = 200
#: Whoever says who they are, in a few words.
Name = Annotated[str, Field(min_length=1, max_length=100)]
#: Where runs may be asked for.
Where = Annotated[str, Field(pattern=r"^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)*/?$", max_length=200)]

Errors = Annotated[int, Field(ge=0, le=MOST_ERRORS)]


class ReproducedReport(Part):
    """What an agent's report said, as far as a score follows from it."""

    state: Literal["read", "missing", "malformed"]
    """Whether the edition's reader accepted it."""
    installed: bool = False
    """Whether the subject was installed."""
    launched: bool = False
    """Whether it launched."""
    errors: Errors = 0
    """Errors met."""
    fixed: Errors = 0
    """Those of them that were fixed."""
    test_depth: TestDepth = "tier3_none"
    """How far the verification got."""
    proof: Literal["given", "not_verified", "absent"] = "absent"
    """Whether there was a proof, or the words that nothing was verified."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.fixed > self.errors:
            raise ValueError("fixed is more than errors")
        if self.state != "read" and self != ReproducedReport.model_construct(state=self.state):
            raise ValueError("a report that was not read says nothing")
        return self


class ReproducedRun(Part):
    """One run of a reproduction."""

    run: RunId
    """Its id where it was made."""
    ending: EndingClass
    """How the attempt ended."""
    report: ReproducedReport
    """What its report said."""
    stands: Literal["as_it_is", "invalidated", "held"] = "as_it_is"
    """Whether a person there invalidated it, or has still to look at what its report claims."""
    conditions: Sha256
    """The digest of the conditions that it had."""
    run_sha256: Sha256
    """The fingerprint of its record, by which it can be asked for."""
    manifest_sha256: Sha256
    """The fingerprint of the manifest of its evidence."""


class ReproducedCell(Part):
    """One agent on one subject."""

    subject: SubjectRef
    """The subject."""
    agent: Slug
    """The agent."""
    pin: AnyPin
    """What exactly was tested."""
    agent_sha256: Sha256
    """The fingerprint of the agent's file."""
    original: Annotated[Items[RunId], Field(min_length=1)]
    """The runs of the cycle that were there when this was written down, sorted."""
    runs: Annotated[Items[ReproducedRun], Field(min_length=1)]
    """The runs of the reproduction, sorted by id."""


class Place(Part):
    """Where runs of a reproduction were made."""

    runs: Annotated[int, Field(ge=1)]
    """How many."""
    argusic: ArgusicFacts
    """The program that measured, with its commit."""
    sandbox: SandboxFacts | None = None
    """The sandbox; absent for attempts that ended before one stood."""
    environment: EnvironmentFacts | None = None
    """The machine inside; absent likewise."""


class Reproduction(Record):
    """A reproduction of a cycle's results."""

    reproduction: RunId
    """Its id: that of its first run."""
    cycle: Slug
    """The cycle."""
    edition: EditionUsed
    """The rules that it was measured under."""
    by: Name
    """Who made it, as they say themselves. Nothing proves it."""
    where: Where | None = None
    """The repository or workflow run that holds its runs, as they say; absent where they are to be asked."""
    recorded: UtcTime
    """When it was written down."""
    signed: Annotated[int, Field(ge=0)]
    """How many of its runs somebody vouches for there, as they say."""
    original_sha256: Sha256
    """The digest of the cycle's runs that it was compared with: of the lines `<run>  <sha256 of run.yaml>`, sorted."""
    conditions: Annotated[Items[CycleConditions], Field(min_length=1)]
    """The conditions that its runs had."""
    places: Annotated[Items[Place], Field(min_length=1, max_length=MOST_ENTRIES)]
    """Where they were made, most runs first."""
    cells: Annotated[Items[ReproducedCell], Field(min_length=1)]
    """What was run again, by subject and agent."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for text in _texts(self.model_dump(mode="json")):
            _must_be_short(text)
        cells = [(cell.subject, cell.agent) for cell in self.cells]
        if cells != sorted(set(cells)):
            raise ValueError("cells is not sorted by subject and agent, or names one twice")
        for cell in self.cells:
            for ids in (list(cell.original), [run.run for run in cell.runs]):
                if ids != sorted(set(ids)):
                    raise ValueError(
                        f"the runs of {cell.agent} on {cell.subject} are not sorted, or one is there twice"
                    )
        runs = [run.run for cell in self.cells for run in cell.runs]
        if twice := sorted({run for run in runs if runs.count(run) > 1} if len(set(runs)) < len(runs) else ()):
            raise ValueError(f"{twice[0]} is there twice")
        if self.reproduction != min(runs):
            raise ValueError("reproduction is not the id of the first run")
        if self.signed > len(runs):
            raise ValueError("signed is more than there are runs")
        if sum(place.runs for place in self.places) != len(runs):
            raise ValueError("places does not say of each run where it was made")
        return self


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        if len(value) > MOST_ENTRIES:
            raise ValueError(f"a table has more than {MOST_ENTRIES} entries")
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _must_be_short(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a text has more than {MOST_CHARACTERS} characters: {text[:40]!r}...")
    if not text.isascii() or not text.isprintable():
        hidden = [character for character in text if unicodedata.category(character)[0] in "CZ" and character != " "]
        if hidden:
            raise ValueError(f"a text holds a character that cannot be seen ({hidden[0]!a})")
