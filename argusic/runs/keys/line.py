"""What all requests of a run share: the server behind the gateway, the money, the evidence, and what was counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import httpx
from starlette.responses import JSONResponse, Response

from argusic.evidence.livefile import WriteFailed
from argusic.records.configuration import ModelUsed
from argusic.runs.keys.apis.anthropic import VERSION
from argusic.runs.keys.apis.dialect import Dialect, Dropped, Refusal
from argusic.runs.keys.exchanges import ExchangeLog
from argusic.runs.keys.ledger import Ledger

#: What the client may tell the server in headers; `anthropic-beta` but for features dearer than the price list says.
_TOLD: Final = ("anthropic-version", "anthropic-beta", "accept")
_DEARER: Final = ("context-1m", "fast-mode")


@dataclass
class Line:
    """What all requests of a run share.

    Attributes:
        model: The pinned model.
        dialect: Its protocol.
        key: The key that the server is shown.
        client: Speaks to the server.
        ledger: The money.
        log: The evidence.
        expires: When the run's key dies.
        dropped: What was taken out of requests.
        refused: Requests that were not forwarded.
        failed: Requests that the server did not answer as it should.
        fault: Why the evidence is not whole, where it is not.
    """

    model: ModelUsed
    dialect: Dialect
    key: str | None
    client: httpx.AsyncClient
    ledger: Ledger
    log: ExchangeLog
    expires: datetime
    dropped: Dropped = field(default_factory=Dropped)
    refused: int = 0
    failed: int = 0
    fault: str | None = None

    def refuse(self, refusal: Refusal) -> Response:
        """Return the error that a refusal is, in the protocol's shape, and write it down."""
        self.refused += 1
        status, _ = self.dialect.error(refusal)
        self.write(lambda: self.log.refused({"status": status, "reason": refusal.reason, "what": refusal.what}))
        return self.error(refusal)

    def error(self, refusal: Refusal) -> Response:
        """Return an error in the protocol's shape."""
        status, body = self.dialect.error(refusal)
        again = {"x-should-retry": "false"} if refusal.after is None else {"retry-after": str(refusal.after)}
        return JSONResponse(body, status, headers=again)

    def write(self, act: Callable[[], None]) -> None:
        """Write evidence; where the disk fails, remember it."""
        try:
            act()
        except WriteFailed as error:
            self.fault = f"the exchanges with the model could not be written: {error.strerror}"

    def hidden(self, said: bytes) -> bytes:
        """Return what the server says, without the key where it quotes that: whoever asked never sees it."""
        return said.replace(self.key.encode(), b"[key]") if self.key else said

    def headers(self, sent: Mapping[str, str]) -> dict[str, str]:
        """Return the headers for the server: what the client may say, and the key, which the client never saw."""
        told = {name: sent[name] for name in _TOLD if name in sent}
        if self.dialect.name != "anthropic_messages":
            told = {name: value for name, value in told.items() if not name.startswith("anthropic")}
        else:
            told.setdefault("anthropic-version", VERSION)
            betas = [beta.strip() for beta in told.pop("anthropic-beta", "").split(",")]
            if left := [beta for beta in betas if beta and not beta.startswith(_DEARER)]:
                told["anthropic-beta"] = ",".join(left)
        return {
            **told,
            "content-type": "application/json",
            "accept-encoding": "identity",
            "user-agent": "argusic",
            **self.dialect.headers(self.key),
        }
