"""What a run's model took: calls, tokens and money, as the run states them."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from argusic.records.base import Part
from argusic.records.configuration import Usd

Count = Annotated[int, Field(ge=0)]
#: No exchange takes more tokens: what says so is a mistake, or made to break whoever adds it up.
MOST_TOKENS: Final = 10**12


def tokens_said(value: object) -> int | None:
    """Return a number of tokens as a server or a program states it, or None where it is no such number."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


class ModelUse(Part):
    """What was asked of the model with the key of one run."""

    key: Literal["gateway", "litellm", "openrouter", "shared", "none"]
    """Who issued the key. A `shared` one is no run's own: what it spent is not known here."""
    calls: Count = 0
    """Answers that the model gave."""
    refused: Count = 0
    """Requests that the gateway refused: past the cap, for another model, after the expiry, malformed."""
    failed: Count = 0
    """Requests that the model's server did not answer, or answered with an error."""
    in_full: Count = 0
    """Those billed as reserved, because the server did not say, or was not heard saying, what they took."""
    beyond: Count = 0
    """Answers that took more than was reserved for them: the server held no limit, or counts in another way."""
    input_tokens: Count = 0
    """Tokens read, by the server's own count, those from a cache included."""
    cached_tokens: Count = 0
    """Those of them that came from a cache."""
    output_tokens: Count = 0
    """Tokens written, by the server's own count."""
    billed_usd: Usd | None = None
    """What that costs by the configuration's price; absent where it has none."""
    cap_usd: Usd | None = None
    """What it could cost at most; absent where there is no price, and so no cap."""
    images_dropped: Count = 0
    """Images and other parts that are no text, replaced by a sentence before the model saw the message."""
    tools_dropped: Count = 0
    """Tools that the model's server would have run itself, taken out of a request."""
