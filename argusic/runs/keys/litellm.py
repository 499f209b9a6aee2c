"""Keys of a LiteLLM proxy: capped and dated, one for each run, made and deleted with the proxy's own key API.

`POST /key/generate`, `POST /key/delete` and `GET /key/list`, as the proxy documents and implements them. The proxy
counts the money by its own price list and looks at the cap before each call, not during it.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from argusic.records.configuration import ModelUsed
from argusic.runs.keys.access import IssuedKey, KeyRefused, ListedKey, ModelAccess
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.asking import MOST_PAGES, Desk

#: As many as the proxy gives at once.
_PAGE: Final = 100


class LiteLlm:
    """The key provider.

    Args:
        desk: Where the proxy answers, below which `/key/generate` is.
        aliases: What keys are called. The proxy allows each name once.
    """

    name = "litellm"

    def __init__(self, desk: Desk, aliases: Aliases) -> None:
        self._desk = desk
        self._aliases = aliases

    def issue(self, run: str, model: ModelUsed, cap_usd: Decimal, expires: datetime) -> IssuedKey:
        """Issue a key that can reach the pinned model alone.

        Raises:
            KeyRefused: There is none to be had now.
        """
        alias = self._aliases.alias(run)

        def create(send: Any) -> Any:
            body = {
                "key_alias": alias,
                "models": [model.name],
                "max_budget": float(cap_usd),
                "duration": f"{max(1, math.ceil((expires - datetime.now(UTC)).total_seconds()))}s",
                "key_type": "llm_api",
                "metadata": {"issuer": "argusic", "run": run},
            }
            return send("POST", "/key/generate", body=body)

        made = self._desk.make(create, lambda send: _delete(send, alias))
        key = made.get("key") if isinstance(made, dict) else None
        if not isinstance(key, str) or not key:
            raise KeyRefused("the LiteLLM proxy made a key and did not say which.")
        return IssuedKey(alias, run, expires, ModelAccess(model, model.url, key))

    def revoke(self, key: str) -> None:
        """Delete a key by its alias.

        Raises:
            KeyRefused: The proxy did not confirm it.
        """
        self._desk.ask(lambda send: _delete(send, key))

    def list(self) -> list[ListedKey]:
        """Return the keys of this repository's runs.

        Raises:
            KeyRefused: The proxy did not say.
        """
        found: dict[str, ListedKey] = {}
        page, pages = 1, 1
        while page <= pages:
            asked = {"page": page, "size": _PAGE, "return_full_object": "true"}
            listed = self._desk.ask(lambda send, asked=asked: send("GET", "/key/list", parameters=asked))  # type: ignore[misc]
            if not isinstance(listed, dict) or not isinstance(listed.get("keys"), list):
                raise KeyRefused("the LiteLLM proxy answers /key/list with something that is no list of keys.")
            for one in listed["keys"]:
                alias = one.get("key_alias") if isinstance(one, dict) else None
                if (run := self._aliases.run(alias)) is not None:
                    found[str(alias)] = ListedKey(str(alias), run, instant(one.get("expires")))
            said = listed.get("total_pages")
            pages = said if isinstance(said, int) and listed["keys"] else 0
            page += 1
            if page > MOST_PAGES:
                raise KeyRefused("the LiteLLM proxy answers /key/list with a list that does not end.")
        return [*found.values()]


def _delete(send: Any, alias: str) -> None:
    send("POST", "/key/delete", body={"key_aliases": [alias]}, gone_is_fine=True)


def instant(value: Any) -> datetime | None:
    """Return a time that a provider states, in UTC where it says no other; None where it states none."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
