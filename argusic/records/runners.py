"""Which machines the attempts of a cycle run on, where a workflow makes them: labels by tier, as a repository says."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from argusic.records.base import Items, Part, Record, Tier

#: What a machine of one's own carries besides its own labels.
SELF_HOSTED: Final = "self-hosted"
#: A label of a machine. It goes into a job's `runs-on`, so it has nothing in it that could mean anything else.
Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class Machine(Part):
    """The machines of one tier."""

    labels: Annotated[Items[Label], Field(min_length=1, max_length=10)]
    """The labels that one must carry, every one of them."""

    @property
    def own(self) -> bool:
        """Whether it is a machine of one's own, and none of GitHub's."""
        return SELF_HOSTED in self.labels


class Runners(Record):
    """The machines by tier."""

    standard: Machine
    """For the standard budget."""
    heavy: Machine
    """For the heavy budget."""
    gpu: Machine
    """For subjects that need a GPU."""

    def of(self, tier: Tier) -> Machine:
        """Return the machines of a tier."""
        return {"standard": self.standard, "heavy": self.heavy, "gpu": self.gpu}[tier]
