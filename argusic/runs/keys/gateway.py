"""The gateway of one run: a reverse proxy in the attempt's own process, behind a unix socket of the host.

It holds the real key, which never enters a sandbox, and lets through what the run's own token may have: the pinned
model, text alone, up to a cap in money and an instant in time. Everything said is written down as evidence.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_UP, Decimal
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from argusic.records.configuration import ModelUsed
from argusic.records.usage import ModelUse
from argusic.runs.keys.access import KeyRefused, ModelAccess
from argusic.runs.keys.apis.dialect import Refusal
from argusic.runs.keys.apis.registry import DIALECTS
from argusic.runs.keys.connection import listen, way
from argusic.runs.keys.exchanges import ExchangeLog
from argusic.runs.keys.forwarding import Forwarding
from argusic.runs.keys.ledger import Ledger
from argusic.runs.keys.line import Line
from argusic.runs.keys.preparing import prepare

#: What every route is below, as clients of each protocol expect it.
VERSION_PATH: Final = "/v1"
LONGEST_REQUEST: Final = 16 << 20
#: Requests that are answered at once, and connections that may be open: what an agent does must not cost the host more
#: memory or more files than these can hold. Further requests wait, further connections are cut.
AT_ONCE: Final = 16
CONNECTIONS: Final = 128
_START_SECONDS: Final = 20.0
_STOP_SECONDS: Final = 10.0
_CENT_OF_A_CENT: Final = Decimal("0.000001")


@dataclass(frozen=True)
class Patience:
    """For how many seconds the model's server is waited for: until it answers the call, and between two bytes."""

    connect: float = 15.0
    silence: float = 600.0


class _Bounded(H11Protocol):
    """A connection, of which there are not too many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()


class _Turnstile:
    """Lets so many requests through at once, the others one by one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._free = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._free:
            await self._app(scope, receive, send)


class Gateway:
    """The gateway of one run. It listens from `with` on, until its end.

    Args:
        model: The pinned model, and where its server is.
        key: The key that the server is shown; None where it asks for none.
        issuer: Who issued it, as the run's record says.
        cap_usd: What the run may spend; None where there is no price to count by.
        expires: When the run's token dies.
        socket: Where to listen; nothing may be there.
        exchanges: Where the evidence goes; nothing may be there.
        patience: How long the server is waited for.
    """

    def __init__(
        self,
        model: ModelUsed,
        key: str | None,
        *,
        issuer: Literal["gateway", "litellm", "openrouter", "none"],
        cap_usd: Decimal | None,
        expires: datetime,
        socket: Path,
        exchanges: Path,
        patience: Patience | None = None,
    ) -> None:
        token = f"sk-run-{secrets.token_urlsafe(32)}"
        hidden = {token: "[token of the run]", **({key: "[key]"} if key else {})}
        waits = patience or Patience()
        client = httpx.AsyncClient(
            **way(model.url),
            timeout=httpx.Timeout(waits.silence, connect=waits.connect),
            # A connection that is used again may be closed at that moment, and then nobody knows what it cost.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        )
        ledger = Ledger(model.price, cap_usd if model.price is not None else None)
        self._line = Line(model, DIALECTS[model.api], key, client, ledger, ExchangeLog(exchanges, hidden), expires)
        self._issuer = issuer
        self._token = token
        self._socket = socket
        self._server = uvicorn.Server(self._config())
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)

    @property
    def access(self) -> ModelAccess:
        """What the agent is given."""
        return ModelAccess(self._line.model, f"http://127.0.0.1{VERSION_PATH}", self._token, self._socket)

    @property
    def fault(self) -> str | None:
        """Why its evidence is not whole, or None."""
        return self._line.fault

    def use(self) -> ModelUse:
        """Return what the run's model took so far. Whole once the gateway is closed."""
        line, standing = self._line, self._line.ledger.standing()
        tokens = standing.tokens
        priced = line.ledger.price is not None
        return ModelUse(
            key=self._issuer,
            calls=standing.calls,
            refused=line.refused,
            failed=line.failed,
            in_full=standing.in_full,
            beyond=standing.beyond,
            input_tokens=tokens.input + tokens.cached + tokens.kept,
            cached_tokens=tokens.cached,
            output_tokens=tokens.output,
            billed_usd=f"{standing.billed.quantize(_CENT_OF_A_CENT, ROUND_UP):f}" if priced else None,
            cap_usd=f"{line.ledger.cap:f}" if line.ledger.cap is not None else None,
            images_dropped=line.dropped.images,
            tools_dropped=line.dropped.tools,
        )

    def __enter__(self) -> Self:
        self._listener = listen(self._socket)
        self._thread.start()
        waited = threading.Event()
        for _ in range(int(_START_SECONDS * 100)):
            if self._server.started:
                return self
            if not self._thread.is_alive():
                break
            waited.wait(0.01)
        self.close()
        raise KeyRefused("The gateway of the run did not start.")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let nobody in any more, cut what is in flight, bill it, and end. Safe to call twice."""
        self._server.should_exit = True
        if self._thread.ident is not None:
            self._thread.join(_STOP_SECONDS)
        self._socket.unlink(missing_ok=True)
        self._line.log.close()

    def _config(self) -> uvicorn.Config:
        app = Starlette(
            routes=[Route("/{path:path}", self._answer, methods=["GET", "POST"])],
            middleware=[Middleware(_Turnstile)],
            exception_handlers={404: _nothing, 405: _nothing},
        )
        return uvicorn.Config(
            app,
            http=_Bounded,
            ws="none",
            lifespan="off",
            loop="asyncio",
            interface="asgi3",
            log_config=None,
            log_level=logging.CRITICAL,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=0,
        )

    def _run(self) -> None:
        try:
            with asyncio.Runner() as runner:
                runner.run(self._serve())
        except Exception as error:
            self._line.fault = f"the gateway of the run died: {type(error).__name__}: {error}"

    async def _serve(self) -> None:
        async with self._line.client:
            await self._server.serve(sockets=[self._listener])
            if tasks := self._server.server_state.tasks:
                await asyncio.wait(tasks, timeout=_STOP_SECONDS / 2)

    async def _answer(self, request: Request) -> Response:
        line = self._line
        if (
            request.method == "HEAD"
        ):  # Programs ask so whether anybody is there. It tells nothing and counts for nothing.
            return Response()
        try:
            self._let_in(request)
            path = request.url.path
            if not path.startswith(f"{VERSION_PATH}/"):
                raise Refusal("route", f"There is no {path}.")
            route = path.removeprefix(f"{VERSION_PATH}/")
            if request.method == "POST" and route in (line.dialect.answers, *line.dialect.counts):
                prepared = prepare(line.dialect, line.model, route, await _body(request))
                return Forwarding(line, prepared, request.headers)
            if request.method == "GET":
                return self._models(route)
            raise Refusal("route", f"There is no {request.method} {path} for this key.")
        except Refusal as refusal:
            return line.refuse(refusal)
        except ClientDisconnect:
            return Response(status_code=400)

    def _let_in(self, request: Request) -> None:
        bearer = request.headers.get("authorization", "")
        shown = (bearer[7:] if bearer[:7].lower() == "bearer " else "", request.headers.get("x-api-key", ""))
        token = self._token.encode()
        right = [hmac.compare_digest(one.encode(errors="replace"), token) for one in shown]
        if not any(right):
            raise Refusal("token", "This is not the token of the run.")
        if datetime.now(UTC) >= self._line.expires:
            raise Refusal("token", "The key of this run has expired.")

    def _models(self, route: str) -> Response:
        """Return the list of models, or the entry of the one that is in it."""
        dialect, name = self._line.dialect, self._line.model.name
        if route == "models":
            return JSONResponse(dialect.listing([dialect.entry(name)]))
        if route == f"models/{name}":
            return JSONResponse(dialect.entry(name))
        raise Refusal("model" if route.startswith("models/") else "route", f"There is no {route}.")


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST_REQUEST:
            raise Refusal("large", f"A request may have {LONGEST_REQUEST:,} bytes at most.")
    return bytes(body)


async def _nothing(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": {"message": "There is nothing here."}}, 404)
