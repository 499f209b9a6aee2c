"""What the audit knows of programs, from the data files beside it, checked on loading.

The tables are data, so that a reader can review what counts as decoding and what as a mere probe.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated

from pydantic import ConfigDict, Field, field_validator

from argusic.database.reading import parse
from argusic.records.base import Items, Part, Text

_FILES = ("decoders.yaml", "probes.yaml", "steps.yaml")


class Entry(Part):
    """Some programs, used in some way."""

    programs: Annotated[Items[Text], Field(min_length=1)]
    """Their names, without a folder; `*` stands for anything."""
    when: Text | None = None
    """What the arguments must hold."""
    unless: Text | None = None
    """What they must not hold."""

    @field_validator("when", "unless")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        if value is not None:
            re.compile(value)
        return value

    def fits(self, program: str, arguments: str) -> bool:
        """Return whether a program with these arguments, joined by blanks, is meant."""
        return (
            named(program, self.programs)
            and (self.when is None or re.search(self.when, arguments) is not None)
            and (self.unless is None or re.search(self.unless, arguments) is None)
        )


class Decoder(Entry):
    """A program that decodes."""

    medium: Text
    """What it decodes."""


class Probe(Entry):
    """A program that looks without decoding."""

    sees: Text
    """What it sees."""


class Wrapper(Part):
    """A program that runs the program behind its own options."""

    programs: Items[Text]
    """Their names."""
    verb: Items[Text] = ()
    """The first argument, where it must be one of these."""
    values: Items[Text] = ()
    """Options that take a value."""
    operands: Annotated[int, Field(ge=0)] = 0
    """How many arguments of its own come first."""


class Interpreter(Part):
    """A program that runs code given to it."""

    programs: Items[Text]
    """Their names."""
    code: Items[Text]
    """Options that code stands behind."""
    module: Items[Text] = ()
    """Options that the name of a module stands behind."""
    values: Items[Text] = ()
    """Other options that take a value."""


class Tables(Part):
    """Everything that the audit knows of programs."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, ignored_types=(cached_property,))

    sha256: str
    """The digest of the files, in their order."""
    decoders: Items[Decoder]
    probes: Items[Probe]
    installers: Items[Entry]
    builders: Items[Text]
    quiet: Items[Text]
    speakers: Items[Text]
    tests: Items[Text]
    wrappers: Items[Wrapper]
    shells: Interpreter
    interpreters: Items[Interpreter]
    accepting: Items[Text]
    filters: Items[Text]
    python_probes: Items[Text]
    binary: Items[Text]
    documentation: Items[Text]
    stand_ins: Items[Text]
    errors: Items[Text]

    @cached_property
    def error(self) -> re.Pattern[str]:
        """What recognises a line that says that something went wrong."""
        return re.compile("|".join(f"(?:{_scoped(expression)})" for expression in self.errors), re.MULTILINE)

    def decoder(self, program: str, arguments: str) -> Decoder | None:
        """Return the decoder that a program is when used like this."""
        return next((entry for entry in self.decoders if entry.fits(program, arguments)), None)

    def probe(self, program: str, arguments: str) -> Probe | None:
        """Return the probe that a program is when used like this."""
        return next((entry for entry in self.probes if entry.fits(program, arguments)), None)

    def installs(self, program: str, arguments: str) -> bool:
        """Return whether a program used like this can put a project onto the machine."""
        return any(entry.fits(program, arguments) for entry in self.installers)

    def wrapper(self, program: str, arguments: Sequence[str]) -> Wrapper | None:
        """Return the wrapper that a program is with these arguments."""
        return next(
            (
                entry
                for entry in self.wrappers
                if named(program, entry.programs) and (not entry.verb or (arguments and arguments[0] in entry.verb))
            ),
            None,
        )

    def interpreter(self, program: str) -> Interpreter | None:
        """Return the interpreter that a program is."""
        return next((entry for entry in self.interpreters if named(program, entry.programs)), None)


def named(program: str, names: Iterable[str]) -> bool:
    """Return whether a program has one of these names."""
    return any(program == name or ("*" in name and fnmatchcase(program, name)) for name in names)


@cache
def tables() -> Tables:
    """Return the tables that come with Argusic."""
    fields: dict[str, object] = {}
    digest = hashlib.sha256()
    for name in _FILES:
        data = files(__package__).joinpath(name).read_bytes()
        digest.update(data)
        fields |= parse(data, file=name)
    return Tables.model_validate({**fields, "sha256": digest.hexdigest()})


def _scoped(expression: str) -> str:
    """Return an expression whose flag at the start holds for it alone."""
    return f"(?i:{expression[4:]})" if expression.startswith("(?i)") else expression
