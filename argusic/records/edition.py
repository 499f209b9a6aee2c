"""An edition: one version of the rules, as data. The rubric, verdict and boards are driven by it alone."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Day, EditionId, Items, Part, Record, Sha256, Text, Tier

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
    """Minutes of each tier. There are exactly three names; a fourth is an error."""

    standard: Annotated[int, Field(gt=0)]
    heavy: Annotated[int, Field(gt=0)] | None
    """None in editions that have no heavy tier."""
    gpu: Annotated[int, Field(gt=0)]

    def minutes(self, tier: Tier) -> int | None:
        """Return the budget of `tier` in minutes; None where the edition has no such tier."""
        budgets: dict[Tier, int | None] = {"standard": self.standard, "heavy": self.heavy, "gpu": self.gpu}
        return budgets[tier]


class PoolRules(Part):
    """How a cycle's pool is made up."""

    secret_percent: Annotated[int, Field(ge=0, le=100)]
    """The share of the pool that is published only after the cycle; the rest is published before it."""
    trending_days: Annotated[int, Field(gt=0)]
    """The secret share is picked from projects that were trending within so many days."""


class BoardRules(Part):
    """How runs become a board."""

    runs_per_set: Annotated[int, Field(gt=0)]
    """Valid runs of one agent on one subject that make a set."""
    unstable_above_percent: Annotated[int, Field(ge=0)]
    """A spread strictly above this sets the set aside."""
    score: Literal["none", "middle_of_middles"]
    """How an agent's results become one figure; `none` in editions that state no such figure."""


class VerdictRules(Part):
    """How a project's verdict settles."""

    complete_attempts: Annotated[int, Field(gt=0)]
    """Complete attempts of the standard agent without a pass that settle `could_not_verify`."""
    stronger_agent: Literal["on_request", "third_step"]
    """Whether the stronger agent runs on request, or as the chain's last step."""


class KeyRules(Part):
    """The model key of a run."""

    cap_usd: Annotated[int, Field(gt=0)]
    """What one run's key can spend, in US dollars."""
    per_run: bool
    """Whether each run gets a key of its own."""


class ReportShape(Part):
    """What a report must carry under this edition."""

    verified_how: bool
    """Whether `verified_how` is required."""


class EarlierRuns(Part):
    """What is known of the first runs measured under an edition where those runs are not in this repository."""

    first: Day
    """The day of the first of them."""
    projects: Items[Text] = ()
    """The projects that they tested, where they are named."""


class Edition(Record):
    """One version of the rules."""

    edition: EditionId
    """Its id."""
    decided: Day | None
    """The day the rule was decided; none where no source says."""
    written: Day
    """The day it was written into the methodology."""
    planned: Day | None
    """The day from which it was planned to be measured; none where no source says."""
    earlier_runs: EarlierRuns | None = None
    """The first runs under it, where they were made before this repository began. Besides these, in force from is
    derived from the runs that are here."""
    corrects_description: bool
    """Whether it corrects a description alone, changing no rule of scoring or measurement."""
    scoring_changed: bool
    """Whether it says anything new of how scores and board figures are reckoned."""
    changelog: Text
    """What it changed and why, as the changelog prints it."""
    weights: Weights
    budgets_minutes: Budgets
    heavy_above_mb: Annotated[int, Field(gt=0)] | None
    """A repository strictly larger than this, as its host reports it, is heavy (1 MB = 1,000,000 bytes); none in
    editions that have no heavy tier."""
    pool: PoolRules
    board: BoardRules
    verdict: VerdictRules | None
    """None in editions that say nothing of projects."""
    key: KeyRules | None
    """None in editions that state no rule for the key."""
    report: ReportShape
    network: Literal["restricted", "outbound_unfiltered"]
    """What the edition says of the test machine's network."""
    virtual_display: bool
    """Whether desktop applications are launched on a virtual display."""
    images_to_model: bool
    """Whether an agent may send images to its model."""
    instructions: Text | None
    """The id of the standard instructions, a file under `rules/instructions/`; none where the text of the time is not
    held here, so that nothing more can be run under the edition."""
    instructions_sha256: Sha256 | None
    """The digest of that file."""

    @property
    def order(self) -> tuple[int, ...]:
        """What editions are ordered by: `v1.10` comes after `v1.9`."""
        return tuple(int(part) for part in self.edition[1:].split("."))

    @model_validator(mode="after")
    def _together(self) -> Self:
        if (self.budgets_minutes.heavy is None) != (self.heavy_above_mb is None):
            raise ValueError("a budget for the heavy tier and the size above which a repository is heavy come together")
        if (self.instructions is None) != (self.instructions_sha256 is None):
            raise ValueError("instructions and instructions_sha256 come together")
        return self
