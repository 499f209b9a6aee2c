"""Which module speaks which protocol."""

from __future__ import annotations

from typing import Final

from argusic.records.configuration import Api
from argusic.runs.keys.apis.anthropic import Anthropic
from argusic.runs.keys.apis.chat import Chat
from argusic.runs.keys.apis.dialect import Dialect
from argusic.runs.keys.apis.responses import Responses

#: By the name that a configuration has for them.
DIALECTS: Final[dict[Api, Dialect]] = {
    "openai_chat": Chat(),
    "openai_responses": Responses(),
    "anthropic_messages": Anthropic(),
}
