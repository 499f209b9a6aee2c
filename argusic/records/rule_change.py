"""A person's statement that a change of rule files or of harness code has no effect on measurement."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from argusic.records.base import Items, Part, Record, Sha256, Text, UtcTime


class ChangedFile(Part):
    """One file that was changed, and what it became."""

    file: Text
    """Its path, from the top of the repository."""
    sha256: Sha256 | None
    """Its digest after the change; none where it was removed."""


class RuleChange(Record):
    """That some files were changed as they were, and that no measurement comes out otherwise for it."""

    files: Annotated[Items[ChangedFile], Field(min_length=1)]
    """The files, in order."""
    no_effect: Text
    """Why that has no effect on measurement."""
    by: Text
    """Who says so."""
    at: UtcTime
    """When."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        names = [entry.file for entry in self.files]
        if names != sorted(set(names)):
            raise ValueError("the files must be in order, each once")
        return self
