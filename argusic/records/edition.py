"""An edition: one version of the rules, as data. The rubric, verdict and boards are driven by it alone."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Day, EditionId, Part, Record, Sha256, Text, Tier

Points = Annotated[int, Field(ge=0, le=100)]


class Depths(Part):
    """Points of the verification line by what the report says of its depth."""

    tier1_real: Points
    """Verified running for real."""
    tier2_mock: Points
    """Verified against mock services."""
    tier3_none: Points
    """Not verified."""


class Weights(Part):
    """The four lines of the score, which add up to 100."""

    install: Points
    """A successful install."""
    launch: Points
    """A successful launch or test run."""
    error_recovery: Points
    """Shared out by errors fixed of errors encountered."""
    verification_depth: Depths
    """By depth."""

    @model_validator(mode="after")
    def _sum(self) -> Self:
        total = self.install + self.launch + self.error_recovery + self.verification_depth.tier1_real
        if total != 100:
            raise ValueError(f"the four lines add up to {total}, not 100")
        return self


class Budgets(Part):
    """Minutes of each tier. Exactly three."""

    standard: Annotated[int, Field(gt=0)]
    heavy: Annotated[int, Field(gt=0)]
    gpu: Annotated[int, Field(gt=0)]

    def minutes(self, tier: Tier) -> int:
        """Return the budget of `tier` in minutes."""
        return int(getattr(self, tier))


class BoardRules(Part):
    """How runs become a board."""

    runs_per_set: Annotated[int, Field(gt=0)]
    """Valid runs of one agent on one subject that make a set."""
    unstable_above_percent: Annotated[int, Field(ge=0)]
    """A spread strictly above this sets the set aside."""


class VerdictRules(Part):
    """How a project's verdict settles."""

    complete_attempts: Annotated[int, Field(gt=0)]
    """Complete attempts of the standard agent without a pass that settle `could_not_verify`."""
    stronger_agent: Literal["on_request", "third_step"]
    """Whether the stronger agent runs on request, or as the chain's last step."""


class KeyRules(Part):
    """The model key of a run."""

    cap_usd: Annotated[int, Field(gt=0)] | None
    """What one run's key can spend, in US dollars; none in editions that state no cap."""
    per_run: bool
    """Whether each run gets a key of its own."""


class ReportShape(Part):
    """What a report must carry under this edition."""

    verified_how: bool
    """Whether `verified_how` is required."""


class Edition(Record):
    """One version of the rules."""

    edition: EditionId
    """Its id."""
    decided: Day
    """The day the rule was decided."""
    written: Day
    """The day it was written into the methodology."""
    planned: Day
    """The day from which it was planned to be measured. In force from is derived from the runs."""
    corrects_description: bool
    """Whether it corrects a description alone, changing no rule of scoring or measurement."""
    scoring_changed: bool
    """Whether scores are reckoned differently from the edition before."""
    changelog: Text
    """What it changed and why, as the changelog prints it."""
    weights: Weights
    budgets_minutes: Budgets
    heavy_above_mb: Annotated[int, Field(gt=0)] | None
    """A repository strictly larger than this, as its host reports it, is heavy (1 MB = 1,000,000 bytes)."""
    board: BoardRules
    verdict: VerdictRules
    key: KeyRules
    report: ReportShape
    network: Literal["restricted", "outbound_unfiltered"]
    """What the edition says of the test machine's network."""
    virtual_display: bool
    """Whether desktop applications are launched on a virtual display."""
    images_to_model: bool
    """Whether an agent may send images to its model."""
    instructions: Text
    """The id of the standard instructions, a file under `rules/instructions/`."""
    instructions_sha256: Sha256
    """The digest of that file."""
