"""What an agent says about its run. A report is untrusted: it is read leniently and believed only where proven."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from argusic.records.base import Items, Part, Text

#: How far a run's verification got.
TestDepth = Literal["tier1_real", "tier2_mock", "tier3_none"]

#: The accepted answer of an agent that verified nothing.
NOT_VERIFIED = "not verified"
#: These words, alone or before a reason set off by a mark: `Not verified: it needs a GPU.`
_SAYS_NOT_VERIFIED = re.compile(r"[\W_]*not\s+verified\s*([^\w\s].*)?", re.IGNORECASE | re.DOTALL)
#: More errors than any attempt meets; a larger count is nonsense that no figure of a board should carry.
MOST_ERRORS = 1_000_000


class ReportedError(Part):
    """One error the agent met. Further fields of its own are dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    fixed: bool
    """Whether the agent got past it by a valid fix."""
    what: str = ""
    """What went wrong."""
    fix: str = ""
    """What was done about it."""


class VerifiedHow(Part):
    """The proof: the exact command and what it returned."""

    command: Text
    """The command that decoded the output."""
    result: Text
    """What it returned."""


class Report(Part):
    """A report that the edition accepts. Fields of the agent's own invention are dropped on reading."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    installed: bool
    """Whether the subject was installed."""
    launched: bool
    """Whether it launched, or its tests ran."""
    errors: Items[ReportedError] | None = None
    """The errors met, in order; absent only where the counts below are given."""
    errors_encountered: Annotated[int, Field(ge=0, le=MOST_ERRORS)] | None = None
    """The number of errors met, where the agent claims it."""
    errors_fixed: Annotated[int, Field(ge=0, le=MOST_ERRORS)] | None = None
    """The number of errors fixed, where the agent claims it."""
    test_depth: TestDepth
    """How far the verification got."""
    verified_how: VerifiedHow | Text | None = None
    """The proof, or the words `not verified`. Required from edition v1.4."""
    final_state: Text
    """The agent's closing sentence, published verbatim."""

    @model_validator(mode="after")
    def _counts_agree(self) -> Self:
        listed = None
        if self.errors is not None:
            listed = (len(self.errors), sum(error.fixed for error in self.errors))
        claimed = (self.errors_encountered, self.errors_fixed)
        if (claimed[0] is None) != (claimed[1] is None):
            raise ValueError("errors_encountered and errors_fixed come together or not at all")
        if listed is None and claimed[0] is None:
            raise ValueError("errors is missing: an empty list says that nothing went wrong")
        if claimed[0] is not None and claimed[1] is not None:
            if claimed[1] > claimed[0]:
                raise ValueError(f"claims {claimed[1]} errors fixed of {claimed[0]} encountered")
            if listed is not None and listed != claimed:
                raise ValueError(
                    f"claims {claimed[1]} of {claimed[0]} errors fixed, but lists {listed[1]} of {listed[0]}"
                )
        return self

    @property
    def encountered(self) -> int:
        """Errors met."""
        return len(self.errors) if self.errors is not None else self.errors_encountered or 0

    @property
    def fixed(self) -> int:
        """Errors fixed, never more than `encountered`."""
        return sum(e.fixed for e in self.errors) if self.errors is not None else self.errors_fixed or 0

    @property
    def says_not_verified(self) -> bool:
        """Whether the proof is the words `not verified`, in whichever of its places they stand."""
        how = self.verified_how
        said = (how.command, how.result) if isinstance(how, VerifiedHow) else (how or "",)
        return any(_SAYS_NOT_VERIFIED.fullmatch(text) for text in said)
