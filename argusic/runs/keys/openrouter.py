"""Keys of OpenRouter: capped and dated, one for each run, made and deleted with its key management API.

`POST /keys`, `DELETE /keys/{hash}` and `GET /keys` below the version, with a management key, as OpenRouter documents
them. Names need not be unique there, so a key is known by its hash, and found by its name where the hash is not known.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final
from urllib.parse import quote

from argusic.records.base import format_time
from argusic.records.configuration import ModelUsed
from argusic.runs.keys.access import IssuedKey, KeyRefused, ListedKey, ModelAccess
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.asking import MOST_PAGES, Desk
from argusic.runs.keys.litellm import instant

#: As many as it gives at once.
_PAGE: Final = 100
_Keys = list[ListedKey]


class OpenRouter:
    """The key provider.

    Args:
        desk: Where it answers, below which `/keys` is.
        aliases: What keys are called.
    """

    name = "openrouter"

    def __init__(self, desk: Desk, aliases: Aliases) -> None:
        self._desk = desk
        self._aliases = aliases

    def issue(self, run: str, model: ModelUsed, cap_usd: Decimal, expires: datetime) -> IssuedKey:
        """Issue a key. It reaches every model there; the gateway before it lets the pinned one through alone.

        Raises:
            KeyRefused: There is none to be had now.
        """
        alias = self._aliases.alias(run)

        def create(send: Any) -> Any:
            body = {
                "name": alias,
                "limit": float(cap_usd),
                "include_byok_in_limit": True,
                "expires_at": format_time(expires.astimezone(UTC).replace(microsecond=0)),
            }
            return send("POST", "/keys", body=body)

        def undo(send: Any) -> None:
            for one in self._listed(send):
                if one.run == run:
                    _delete(send, one.key)

        made = self._desk.make(create, undo)
        data = made.get("data") if isinstance(made, dict) else None
        key, known = (made.get("key"), data.get("hash")) if isinstance(data, dict) else (None, None)
        if not isinstance(key, str) or not isinstance(known, str) or not key or not known:
            raise KeyRefused("OpenRouter made a key and did not say which.")
        return IssuedKey(known, run, expires, ModelAccess(model, model.url, key))

    def revoke(self, key: str) -> None:
        """Delete a key by its hash.

        Raises:
            KeyRefused: OpenRouter did not confirm it.
        """
        self._desk.ask(lambda send: _delete(send, key))

    def list(self) -> _Keys:
        """Return the keys of this repository's runs.

        Raises:
            KeyRefused: OpenRouter did not say.
        """
        return self._desk.ask(self._listed)

    def _listed(self, send: Any) -> _Keys:
        found: dict[str, ListedKey] = {}
        offset = 0
        while True:
            parameters = {"offset": offset, "include_disabled": "true"}
            listed = send("GET", "/keys", parameters=parameters)
            page = listed.get("data") if isinstance(listed, dict) else None
            if not isinstance(page, list):
                raise KeyRefused("OpenRouter answers /keys with something that is no list of keys.")
            for one in page:
                run = self._aliases.run(one.get("name")) if isinstance(one, dict) else None
                if run is not None and isinstance(one.get("hash"), str):
                    found[one["hash"]] = ListedKey(one["hash"], run, instant(one.get("expires_at")))
            if len(page) < _PAGE:
                return [*found.values()]
            offset += len(page)
            if offset > MOST_PAGES * _PAGE:
                raise KeyRefused("OpenRouter answers /keys with a list that does not end.")


def _delete(send: Any, known: str) -> None:
    send("DELETE", f"/keys/{quote(known, safe='')}", gone_is_fine=True)
