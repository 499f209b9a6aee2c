"""A subject: a thing that an agent is asked to set up and run. The file holds its identity, never a pin."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationInfo, model_validator

from argusic.records.base import Items, Part, Record, Slug, Text
from argusic.records.sources import source_models


def _read_as(which: str, value: Any, info: ValidationInfo) -> Part:
    """Read a source or a pin by its own `kind` field."""
    if isinstance(value, Part):
        return value
    kinds = source_models()
    if not isinstance(value, dict) or value.get("kind") not in kinds:
        raise ValueError(f"needs a 'kind' that is one of {', '.join(kinds)}")
    model: type[Part] = getattr(kinds[value["kind"]], which)
    return model.model_validate(value, context=info.context)


#: A subject's source, read by the model of its kind.
AnySource = Annotated[SerializeAsAny[Part], BeforeValidator(lambda value, info: _read_as("source", value, info))]
#: A pin, read by the model of its kind.
AnyPin = Annotated[SerializeAsAny[Part], BeforeValidator(lambda value, info: _read_as("pin", value, info))]


class Solution(Part):
    """A known way to make the subject run, played by the control `oracle`. For maintainers alone."""

    install: Items[Text] = ()
    """Shell commands that install it, in order, from the agent's home folder."""
    launch: Items[Text] = ()
    """Shell commands that launch it. A server goes to the background by itself."""
    verify: Text | None = None
    """One shell command that decodes what it produced. Its output is the proof."""
    mock: bool = False
    """Whether a service that it needs is replaced by a stand-in, so that the proof is against a mock."""


class ControlExpectation(Part):
    """What the controls must reach on this subject."""

    oracle: Annotated[int, Field(ge=0, le=100)]
    """What `oracle` should earn: 100, 92 where only mocks can verify it, less where it cannot be verified."""
    solution: Solution = Solution()
    """What `oracle` plays."""


class Subject(Record):
    """One subject's identity."""

    kind: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    """Which of the kinds it is."""
    slug: Slug
    """Its name in paths and addresses, unique within its kind."""
    name: Text
    """Its public name, as its owner spells it."""
    source: AnySource
    """Where it comes from."""
    summary: Text | None = None
    """One sentence from its own description."""
    licence: Text | None = None
    """Its licence, as an SPDX expression."""
    licence_by: Text | None = None
    """Who let it in and why, where its licence is not permissive or not known."""
    languages: Items[Text] = ()
    """What it is written in."""
    desktop: bool | None = None
    """Whether it is an application with windows, whose attempts get a display; absent means that it is none."""
    control: ControlExpectation | None = None
    """What the controls must reach; absent for a subject that was only tried."""

    @model_validator(mode="after")
    def _kinds_agree(self) -> Self:
        if getattr(self.source, "kind", None) != self.kind:
            raise ValueError(f"source.kind is not {self.kind!r}, which this subject's kind says")
        return self

    @property
    def ref(self) -> str:
        """Its address, `<kind>/<slug>`."""
        return f"{self.kind}/{self.slug}"
