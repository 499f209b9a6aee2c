"""Loads what the newcomer knows, from the data files beside it, and checks it on loading.

General knowledge of the trade is data, so that it can be reviewed and extended without touching the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeVar

from pydantic import Field, field_validator, model_validator

from argusic.database.reading import parse
from argusic.records.base import Items, Part, Text

_P = TypeVar("_P", bound=Part)


class Repair(Part):
    """Something that is known to help against a failure. Its texts may hold {{values}}."""

    what: Text
    """What is done, as the report says it."""
    run: Items[Text] = ()
    """Shell commands, all of which must end with status 0."""
    append: Text | None = None
    """What is appended to the failed command."""
    prepend: Text | None = None
    """What is put before the failed command."""
    sample: Text | None = None
    """The name of a file to make."""
    mock: bool = False
    """Whether it puts a stand-in into the place of a service."""


class Failure(Part):
    """One recognisable failure."""

    kind: str = Field(alias="class")
    """What kind of trouble it is."""
    when: Items[Text]
    """Regular expressions, any of which recognises it in what a command printed."""
    says: Text
    """What went wrong, in a few words."""
    repairs: Items[Repair] = ()
    """What is known to help, in the order to try."""

    @field_validator("when")
    @classmethod
    def _compiles(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for expression in value:
            re.compile(expression, re.MULTILINE)
        return value


class Repairs(Part):
    """The table of failures and repairs."""

    classes: dict[str, Text]
    """What each class means."""
    failures: Items[Failure]
    """The failures, the more particular first."""
    packages: dict[str, Text]
    """The package of each module whose package is called otherwise."""
    made_up: Items[Text]
    """Modules that only an example's reader could have: regular expressions of their names."""

    def is_made_up(self, module: str) -> bool:
        """Return whether a module of this name is the reader's own, which no registry has."""
        return any(re.fullmatch(expression, module) for expression in self.made_up)

    @model_validator(mode="after")
    def _known_classes(self) -> Repairs:
        unknown = sorted({failure.kind for failure in self.failures} - set(self.classes))
        if unknown:
            raise ValueError(f"no such class: {unknown[0]}")
        return self


class Sample(Part):
    """A file to hand to a program."""

    words: Items[Text]
    """Words in a project's summary that say that it works on such files."""
    make: Text
    """The command that makes the file."""
    holds: Items[Text]
    """Texts that are in it."""
    reads: Text
    """The command that decodes such a file and prints it."""


class SampleTest(Part):
    """A file of tests, for a program that runs tests."""

    file: Text
    """Its name."""
    make: Text
    """The command that makes it."""
    count: int
    """How many tests it holds; all pass."""


class Samples(Part):
    """What to hand to programs, and what to leave alone."""

    samples: dict[str, Sample]
    """By the ending of the file's name."""
    same_as: dict[str, Text]
    """Endings that are another sample's."""
    tests: SampleTest
    """The sample for programs that run tests."""
    placeholders: Items[Text]
    """Words of a documented command that stand for a file."""
    beyond: Items[Text]
    """Commands to leave alone."""
    goes_on: Items[Text]
    """Commands that go on running and answer on no port."""
    quiet: dict[str, Text]
    """Commands that repeat what they start, and the form of each that does not."""
    names: dict[str, Text]
    """Names that documentations take for granted, and the statement that brings each."""
    elsewhere: dict[str, str]
    """Fronts of paths that stand for some place, and what is written instead."""

    def of(self, name: str) -> Sample | None:
        """Return the sample for a file called `name`, by its ending."""
        ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
        return self.samples.get(self.same_as.get(ending, ending))

    def ending_for(self, words: str) -> str | None:
        """Return the ending of the files that a project works on, by what its summary says."""
        text = words.lower()
        scores = {
            ending: sum(bool(re.search(rf"\b{re.escape(word)}\b", text)) for word in sample.words)
            for ending, sample in self.samples.items()
        }
        best = max(scores, key=lambda ending: scores[ending])
        return best if scores[best] else None


class Runner(Part):
    """How one test runner counts."""

    name: Text
    """Its name."""
    summary: Text
    """The regular expression of its summary."""
    none: Text | None = None
    """What it says when it found no test."""
    each: bool = False
    """Whether it writes one summary for each part, to be added up."""


class Runners(Part):
    """The test runners."""

    runners: Items[Runner]
    """In the order to try."""


@dataclass(frozen=True)
class Knowledge:
    """All that the newcomer knows."""

    repairs: Repairs
    samples: Samples
    runners: Runners


@cache
def knowledge() -> Knowledge:
    """Return what the data files hold.

    Raises:
        InputError: A data file is wrong, with its line.
        pydantic.ValidationError: A data file has another shape.
    """
    return Knowledge(_load("repairs", Repairs), _load("samples", Samples), _load("runners", Runners))


def _load(name: str, model: type[_P]) -> _P:
    file = f"{name}.yaml"
    return model.model_validate(parse(files(__package__).joinpath(file).read_bytes(), file=file))
