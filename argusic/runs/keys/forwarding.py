"""One request on its way: reserved, written down, forwarded, passed back as it comes, and billed however it ends."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import httpx
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from argusic.evidence.livefile import WriteFailed
from argusic.runs.keys.apis.dialect import Heard, Json, Refusal
from argusic.runs.keys.apis.events import Splitter, TooLong, said
from argusic.runs.keys.ledger import NoRoom, Reservation, Tokens
from argusic.runs.keys.line import Line
from argusic.runs.keys.preparing import Prepared

#: No answer of a model is longer than this, in bytes.
LONGEST_ANSWER: Final = 64 << 20
#: What the client hears of the server's headers.
_HEARD: Final = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id", "x-request-id")
#: The server never saw the request.
_NEVER_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


@dataclass
class _Outcome:
    """What became of a request."""

    began: float = field(default_factory=time.monotonic)
    status: int | None = None
    whole: bool = False
    first: float | None = None
    what: str | None = None
    tokens: Tokens | None = None
    billed: str | None = None
    body: Any = None

    def facts(self, repeated: frozenset[str]) -> Json:
        body = self.body
        if isinstance(body, dict):
            body = {name: value for name, value in body.items() if name not in repeated}
        took = vars(self.tokens) if self.tokens is not None else None
        return {
            "status": self.status,
            "whole": self.whole,
            "seconds": round(time.monotonic() - self.began, 3),
            "first_byte_seconds": self.first,
            **({"what": self.what} if self.what is not None else {}),
            "tokens": took,
            "billed_usd": self.billed,
            "body": body,
        }


class Forwarding(Response):
    """The answer to one request: the server's, as it comes.

    Args:
        line: What all requests share.
        prepared: The request.
        headers: Those that the client sent.
    """

    def __init__(self, line: Line, prepared: Prepared, headers: Mapping[str, str]) -> None:
        self._line = line
        self._prepared = prepared
        self._told = line.headers(headers)
        self._outcome = _Outcome()
        self._reservation: Reservation | None = None
        self._started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or stop at once where the client goes away."""
        work = asyncio.ensure_future(self._work(scope, receive, send))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            work.cancel()
            gone.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        if not work.cancelled() and (error := work.exception()) is not None:
            raise error

    async def _work(self, scope: Scope, receive: Receive, send: Send) -> None:
        line = self._line
        try:
            self._reservation = self._reserve()
            exchange = self._write_down()
        except Refusal as refusal:
            await line.refuse(refusal)(scope, receive, send)
            return
        left = (line.expires - datetime.now(UTC)).total_seconds()
        failure: Refusal | None = None
        try:
            async with asyncio.timeout(max(0.0, left)):
                await self._forward(send)
        except Refusal as refusal:
            failure = refusal
            self._outcome.what = refusal.what
        except TimeoutError:
            failure = Refusal("token", "The key of this run has expired.")
            self._outcome.what = failure.what
        except asyncio.CancelledError:
            self._outcome.what = "The client went away, or the run is over."
            raise
        finally:
            line.failed += failure is not None and self._outcome.status in (None, 200)
            self._bill()
            line.write(lambda: line.log.answer(exchange, self._outcome.facts(line.dialect.repeated)))
        # An answer that has begun can only be cut; returning without its end does so.
        if failure is not None and not self._started:
            await line.error(failure)(scope, receive, send)

    def _reserve(self) -> Reservation | None:
        prepared, line = self._prepared, self._line
        if line.log.full:
            raise Refusal("large", "This run has said as much to its model as is kept of one.")
        if prepared.answer == 0:
            return None
        try:
            return line.ledger.reserve(prepared.prompt, prepared.answer, keeps=prepared.keeps)
        except NoRoom as full:
            if full.for_good:
                what = "This could take the run past its cap. What it has spent, and its cap, are in its record."
                raise Refusal("spent", what) from None
            raise Refusal("busy", "With what is in flight this could take the run past its cap.", after=2) from None

    def _write_down(self) -> int:
        prepared, line = self._prepared, self._line
        facts: Json = {"images_dropped": prepared.dropped.images, "tools_dropped": prepared.dropped.tools}
        facts = {name: value for name, value in facts.items() if value}
        try:
            exchange = line.log.request(prepared.route, prepared.body, line.dialect.conversation, facts)
        except WriteFailed as error:
            line.fault = f"the exchanges with the model could not be written: {error.strerror}"
            self._release()
            raise Refusal("ours", "The referee cannot write down what would be said.") from None
        line.dropped.images += prepared.dropped.images
        line.dropped.tools += prepared.dropped.tools
        return exchange

    async def _forward(self, send: Send) -> None:
        """Send the request and pass the answer back.

        Raises:
            Refusal: There is no answer, or it was cut.
        """
        line, prepared = self._line, self._prepared
        url = f"{line.model.url.rstrip('/')}/{prepared.route}"
        try:
            async with line.client.stream("POST", url, content=prepared.data, headers=self._told) as answer:
                self._outcome.status = answer.status_code
                self._outcome.first = round(time.monotonic() - self._outcome.began, 3)
                if answer.headers.get("content-encoding", "identity").lower() != "identity":
                    # It was not asked for, and what a little of it unpacks to has no end.
                    if answer.status_code != 200:
                        self._release()
                        line.failed += 1
                    raise Refusal("server", "The model's server compresses what it was asked to send plain.")
                if answer.status_code == 200 and _streams(answer):
                    await self._pass_stream(answer, send)
                else:
                    await self._pass_whole(answer, send)
        except _NEVER_SENT as error:
            self._release()
            raise Refusal(
                "server", f"The model's server cannot be reached ({type(error).__name__}).", after=5
            ) from None
        except httpx.TimeoutException:
            raise Refusal("late", "The model's server does not answer.", after=5) from None
        except (httpx.RequestError, TooLong) as error:
            raise Refusal("server", f"The model's server broke off ({type(error).__name__}).", after=5) from None

    async def _pass_stream(self, answer: httpx.Response, send: Send) -> None:
        heard, splitter = self._line.dialect.heard(), Splitter()
        try:
            await self._start(answer, send)
            async with aclosing(_pieces(answer)) as pieces:
                async for data in pieces:
                    for event in splitter.feed(data):
                        if self._hear(heard, event):
                            plain = self._line.hidden(event)
                            await send({"type": "http.response.body", "body": plain, "more_body": True})
            self._outcome.whole = True
            self._bill()
            rest = self._line.hidden(splitter.rest())
            await send({"type": "http.response.body", "body": rest, "more_body": False})
        finally:
            self._outcome.body = heard.answer()

    def _hear(self, heard: Heard, event: bytes) -> bool:
        """Listen to an event, and return whether it is for the client. Billed before the client can go on."""
        data = said(event)
        if data is None:
            return True
        try:
            heard.hear(data)
            tokens = heard.tokens()
        except (AttributeError, TypeError, KeyError, ValueError):  # No event of this protocol.
            return True
        if tokens is not None:
            self._bill(tokens)
        return not self._line.dialect.unasked(data, self._prepared.asked)

    async def _pass_whole(self, answer: httpx.Response, send: Send) -> None:
        body = bytearray()
        async with aclosing(_pieces(answer)) as pieces:
            async for data in pieces:
                body += data
        self._outcome.whole = True
        self._outcome.body = _parsed(body)
        if answer.status_code != 200:
            self._release()
            self._line.failed += 1
            if answer.status_code in (401, 403) or answer.status_code < 400:
                # What it says is about the referee's own key or address, which is nobody's business here.
                self._outcome.body = None
                raise Refusal("server", f"The model's server refuses the referee (status {answer.status_code}).")
        elif isinstance(self._outcome.body, dict):
            self._bill(self._line.dialect.tokens(self._outcome.body))
        else:
            self._bill()
        told = self._line.hidden(bytes(body))
        await self._start(answer, send, len(told))
        await send({"type": "http.response.body", "body": told, "more_body": False})

    async def _start(self, answer: httpx.Response, send: Send, length: int | None = None) -> None:
        headers = [(name.encode(), answer.headers[name].encode()) for name in _HEARD if name in answer.headers]
        if length is not None:
            headers.append((b"content-length", str(length).encode()))
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        self._started = True

    def _bill(self, tokens: Tokens | None = None) -> None:
        """Bill what the exchange took, or all that was reserved where nobody knows; nothing where it is done."""
        if self._reservation is None or self._reservation.settled:
            return
        billed = self._line.ledger.settle(self._reservation, tokens)
        self._outcome.tokens = tokens
        self._outcome.billed = f"{billed:f}" if self._line.ledger.price is not None else None

    def _release(self) -> None:
        if self._reservation is not None:
            self._line.ledger.release(self._reservation)


def _streams(answer: httpx.Response) -> bool:
    return str(answer.headers.get("content-type", "")).startswith("text/event-stream")


async def _pieces(answer: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield an answer as it comes.

    Raises:
        TooLong: It has more bytes than any answer.
    """
    size = 0
    async for data in answer.aiter_raw():
        size += len(data)
        if size > LONGEST_ANSWER:
            raise TooLong
        yield data


def _parsed(body: bytearray) -> Any:
    try:
        return json.loads(bytes(body))
    except (ValueError, RecursionError):
        return bytes(body[:4096]).decode(errors="replace")


async def _gone(receive: Receive) -> None:
    """Return when the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass
