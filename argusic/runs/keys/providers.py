"""Who issues keys, found by what a configuration says and what the host's environment holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from argusic.records.configuration import KeyUsed
from argusic.runs.keys.access import KeyProvider, KeyRefused
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.asking import Desk
from argusic.runs.keys.litellm import LiteLlm
from argusic.runs.keys.openrouter import OpenRouter

#: Providers whose keys outlive the process that asked for them.
REMOTE: Final = ("litellm", "openrouter")
#: As short as the shortest key that a maker gives out; what is shorter was mistyped.
_SHORTEST: Final = 8


def real_key(key: KeyUsed, environment: Mapping[str, str]) -> str | None:
    """Return the key that the host holds, or None where a configuration names none.

    Raises:
        KeyRefused: The environment does not hold it.
    """
    if key.variable is None:
        return None
    found = environment.get(key.variable, "").strip()
    if len(found) < _SHORTEST:
        raise KeyRefused(f"the environment variable {key.variable} holds no key.")
    if not all("!" <= character <= "~" for character in found):
        raise KeyRefused(f"the environment variable {key.variable} holds no key: one is a single word of plain ASCII.")
    return found


def provider_of(key: KeyUsed, model_url: str, aliases: Aliases, environment: Mapping[str, str]) -> KeyProvider:
    """Return who issues the keys of a configuration, where that is a service.

    Args:
        key: What the configuration says of the key.
        model_url: The model's endpoint, behind which the service is where it has no address of its own.
        aliases: What keys are called there.
        environment: The host's.

    Raises:
        KeyRefused: It is no service, or the environment holds nothing that it accepts.
    """
    if key.provider not in REMOTE:
        raise KeyRefused(f"{key.provider} is no service that issues keys.")
    own = real_key(key, environment)
    if own is None:
        raise KeyRefused(f"the configuration names no variable for the key of {key.provider} itself.")
    if key.provider == "openrouter":
        return OpenRouter(Desk("OpenRouter", key.url or model_url, own), aliases)
    return LiteLlm(Desk("the LiteLLM proxy", key.url or _top(model_url), own), aliases)


def _top(url: str) -> str:
    """Return an endpoint's address without its version: the proxy's key API lies beside it, not below."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, path.removesuffix("/v1"), "", ""))
