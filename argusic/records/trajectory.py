"""The trajectory of an agent: what its model was told, said and asked for, step by step.

The shape is ATIF 1.7, the interchange format of Harbor (its RFC 0001), text alone; what is ours lies under `extra`.
A document is one run's. It carries the agent's neutral identity and names a model only where the agent file does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Items, Part, Text

#: The version of the format that is written.
ATIF_VERSION: Literal["ATIF-v1.7"] = "ATIF-v1.7"

#: Fields of the format's `extra`: JSON as it is.
Extra = dict[str, Any]
Count = Annotated[int, Field(ge=0)]
Usd = Annotated[float, Field(ge=0)]


class ToolCall(Part):
    """A command, or anything else, that the model asked for."""

    tool_call_id: Text
    """Its name within the step."""
    function_name: str
    """What was to be called, as the model spelt it."""
    arguments: dict[str, Any]
    """With what; empty where it could not be read."""
    extra: Extra | None = None
    """Such as the arguments as they came, where they could not be read."""


class ObservationResult(Part):
    """What came of one call."""

    source_call_id: str | None = None
    """Which call."""
    content: str | None = None
    """What the model was told of it."""
    extra: Extra | None = None
    """Such as the number of the command in the command table."""


class Observation(Part):
    """What came of a step's calls."""

    results: Items[ObservationResult]
    """One by one, in the order in which they came."""


class Metrics(Part):
    """What one answer of the model cost."""

    prompt_tokens: Count | None = None
    """Tokens that it read, those out of a cache among them."""
    completion_tokens: Count | None = None
    """Tokens that it wrote."""
    cached_tokens: Count | None = None
    """Tokens that it read out of a cache."""
    cost_usd: Usd | None = None
    """US dollars, by the agent's price list."""
    extra: Extra | None = None
    """Such as how long the answer took."""


class Step(Part):
    """One step: something said to the model, or by it."""

    step_id: Annotated[int, Field(ge=1)]
    """Its number, from 1."""
    timestamp: str | None = None
    """When, in UTC."""
    source: Literal["system", "user", "agent"]
    """Who speaks; `agent` is the model."""
    model_name: str | None = None
    """The model, where the agent is open about it and it is another than the trajectory's."""
    message: str
    """What was said; empty where the model only called."""
    reasoning_content: str | None = None
    """What the model thought, where its endpoint shows that."""
    tool_calls: Items[ToolCall] | None = None
    """What it asked for."""
    observation: Observation | None = None
    """What came of that."""
    metrics: Metrics | None = None
    """What the answer cost."""
    extra: Extra | None = None
    """Such as why the answer ended, and how often it had to be asked for."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.source != "agent":
            for name in ("model_name", "reasoning_content", "tool_calls", "metrics"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} belongs to steps of the agent alone")
        calls = {call.tool_call_id for call in self.tool_calls or ()}
        if len(calls) != len(self.tool_calls or ()):
            raise ValueError("two calls of the step have one name")
        for result in self.observation.results if self.observation else ():
            if result.source_call_id is not None and result.source_call_id not in calls:
                raise ValueError(f"a result names the call {result.source_call_id!r}, which the step has not")
        return self


class TrajectoryAgent(Part):
    """Whose trajectory it is."""

    name: Text
    """The agent's neutral id."""
    version: Text
    """The version of what drives the model: of Argusic for our shell agent, else of the agent's own program."""
    model_name: str | None = None
    """The model, only where the agent file names it."""
    tool_definitions: Items[dict[str, Any]] | None = None
    """What the model may call, as it is told."""
    extra: Extra | None = None
    """Such as the digest of our own prompt."""


class FinalMetrics(Part):
    """Sums over all steps, of what is known."""

    total_prompt_tokens: Count | None = None
    """Tokens read."""
    total_completion_tokens: Count | None = None
    """Tokens written."""
    total_cached_tokens: Count | None = None
    """Tokens read out of a cache."""
    total_cost_usd: Usd | None = None
    """US dollars."""
    total_steps: Count | None = None
    """How many steps there are."""
    extra: Extra | None = None
    """Further sums."""


class Trajectory(Part):
    """A whole trajectory."""

    schema_version: Literal["ATIF-v1.7"] = ATIF_VERSION
    """The version of the format."""
    session_id: str | None = None
    """The run's id."""
    agent: TrajectoryAgent
    """Whose."""
    steps: Annotated[Items[Step], Field(min_length=1)]
    """Its steps, in order."""
    notes: str | None = None
    """What a reader should know of how it came about."""
    final_metrics: FinalMetrics | None = None
    """The sums."""
    extra: Extra | None = None
    """What is ours."""

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        if [step.step_id for step in self.steps] != list(range(1, len(self.steps) + 1)):
            raise ValueError("steps are not numbered from 1, one by one")
        return self
