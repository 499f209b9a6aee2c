"""The exact configuration of an agent that uses a model: what is held fixed for a cycle, open or sealed.

A neutral identity hides it until it is revealed; the salted digest of this record is what an agent file commits to.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from argusic.records.base import Day, Part, Record, Slug, Text

#: The protocols that model servers speak.
Api = Literal["openai_chat", "openai_responses", "anthropic_messages"]


def _check_price(value: str) -> str:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,12})?", value):
        raise ValueError("must be US dollars as a decimal, such as 3 or 0.25, below a million")
    return value


def _check_address(value: str) -> str:
    # What is no address is no secret either, but is not repeated: it may be a key in the wrong place.
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # Brackets that do not match, a port that is no number or too large.
        usable = False
    if not usable or "?" in value or "#" in value:
        raise ValueError("must be an address such as https://models.example.org/v1")
    if re.search(r"[^!-~]", value) or "\\" in value:
        raise ValueError("must be an address of plain ASCII, without spaces")
    return value


def _check_variable(value: str) -> str:
    if not re.fullmatch(r"[A-Z][A-Z0-9_]{0,99}", value):
        raise ValueError("must be the name of an environment variable in capitals, such as MODEL_KEY")
    return value


#: An amount of US dollars, as a decimal, so that sums are exact.
Usd = Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)?$")]
#: A price in US dollars for a million tokens, as a decimal.
PriceUsd = Annotated[str, AfterValidator(_check_price)]
#: The address of a server of HTTP.
Address = Annotated[str, AfterValidator(_check_address)]
#: The name of an environment variable of the host.
Variable = Annotated[str, AfterValidator(_check_variable)]


class Price(Part):
    """What the model costs, by its maker's price list."""

    input_usd: PriceUsd
    """US dollars for a million tokens that the model reads, as a decimal."""
    output_usd: PriceUsd
    """US dollars for a million tokens that it writes, as a decimal."""
    cache_read_usd: PriceUsd | None = None
    """US dollars for a million tokens that it reads from its cache; as much as `input_usd` where not given."""
    cache_write_usd: PriceUsd | None = None
    """US dollars for a million tokens that it reads and keeps in its cache, where that has a price of its own; twice
    `input_usd` where not given, which is the most that a maker asks."""
    as_of: Day
    """The day the list was read."""
    source: Text
    """Where it was read."""


class ModelUsed(Part):
    """A model behind an endpoint."""

    name: Text
    """Its exact name at its pinned version, as the endpoint knows it."""
    api: Api = "openai_chat"
    """The protocol of the endpoint."""
    url: Address
    """The address of the endpoint, up to and including the version: `https://host/v1`."""
    max_tokens: Annotated[int, Field(gt=0)] = 4096
    """The most that one answer may hold, in tokens."""
    context_tokens: Annotated[int, Field(gt=0)] = 32768
    """How much it can read and write in all, in tokens."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """The sampling temperature; the endpoint's own where none is given."""
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    """How hard it is asked to think, where the endpoint has such a setting."""
    price: Price | None = None
    """What it costs; absent where nothing is charged, as for a server of one's own."""


class ProgramUsed(Part):
    """An agent program as it is published, pinned."""

    adapter: Slug
    """The adapter under `argusic/runs/agents/programs/` that installs and starts it."""
    version: Text
    """The exact version."""
    install: Text | None = None
    """The command that puts a program in place that has no adapter of its own (`adapter: command`)."""
    command: Text | None = None
    """The command that starts it: a line for bash, told by variables such as `$ARGUSIC_MISSION` what it needs."""


class KeyUsed(Part):
    """How the agent's key comes about."""

    provider: Literal["gateway", "litellm", "openrouter", "shared", "none"]
    """Who issues a key for each run; `shared` for an agent that calls its maker's own service; `none` for a server
    that asks for no key and charges nothing."""
    variable: Variable | None = None
    """The environment variable of the host that holds the real key or the key provider's own."""
    url: Address | None = None
    """The address of the key provider, where it is not the model's endpoint."""


class OpenConfiguration(Part):
    """The exact configuration of an agent that is open from the start, as the agent's own file holds it."""

    model: ModelUsed
    """The model."""
    program: ProgramUsed | None = None
    """The agent program; absent for our own shell agent."""
    key: KeyUsed
    """The key."""

    def of(self, agent: str) -> Configuration:
        """Return it as the configuration of `agent`."""
        return Configuration(agent=agent, model=self.model, program=self.program, key=self.key)


class Configuration(Record):
    """The exact configuration of one agent."""

    agent: Slug
    """The agent's id."""
    salt: Annotated[str, Field(pattern=r"^[0-9a-f]{32,64}$")] | None = None
    """What keeps a sealed configuration from being guessed by its digest; absent in an open one."""
    model: ModelUsed
    """The model."""
    program: ProgramUsed | None = None
    """The agent program; absent for our own shell agent."""
    key: KeyUsed
    """The key."""
