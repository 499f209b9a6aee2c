"""One question to an endpoint that speaks OpenAI's chat, and its answer, streamed or whole."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from argusic.runs.agents.shell.answer import Answer, Gathering
from argusic.runs.agents.shell.failures import Failed, failure, failure_in_stream
from argusic.runs.agents.shell.sse import LineTooLong, events
from argusic.runs.keys.access import ModelAccess

#: Seconds: to connect, to be rid of the question, and of silence. A model may think for minutes before it speaks.
_TIMEOUT: Final = httpx.Timeout(600, connect=30, write=60)
_MOST_BYTES: Final = 64_000_000
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_UNAUTHORISED: Final = (401, 403)


class Endpoint:
    """The endpoint of one run.

    Args:
        access: How it is reached.
    """

    def __init__(self, access: ModelAccess) -> None:
        self._access = access
        # Reading the certificates of this machine takes longer than a question; what needs none trusts none.
        self._tls = (
            httpx.create_ssl_context()
            if access.url.lower().startswith("https:")
            else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        )

    async def ask(self, body: Mapping[str, Any]) -> Answer:
        """Ask once.

        Args:
            body: The question.

        Raises:
            Failed: There is no answer, or no whole one.
        """
        try:
            async with self._client() as client:
                request = client.build_request("POST", "chat/completions", json=body)
                response = await client.send(request, stream=True)
                try:
                    return await self._answer(response)
                finally:
                    await response.aclose()
        except httpx.TransportError as error:
            raise Failed("again", f"the connection failed ({type(error).__name__})") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Failed("lost", f"the question could not be put ({type(error).__name__})") from error

    async def _answer(self, response: httpx.Response) -> Answer:
        if response.status_code != 200:
            body = await _read(response)
            failed = failure(response.status_code, body, dict(response.headers))
            if response.status_code in _UNAUTHORISED:
                # Such an error may quote a part of a key.
                raise Failed(failed.kind, f"HTTP {response.status_code}")
            raise failed
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            return await _streamed(response)
        gathering = Gathering()
        gathering.add(_chunk((await _read(response)).decode(errors="replace")))
        return _whole(gathering)

    def _client(self) -> httpx.AsyncClient:
        access = self._access
        transport = (
            httpx.AsyncHTTPTransport(uds=str(access.socket), verify=self._tls) if access.socket is not None else None
        )
        return httpx.AsyncClient(
            base_url=access.url.rstrip("/") + "/",
            headers={"authorization": f"Bearer {access.token}"} if access.token else {},
            timeout=_TIMEOUT,
            transport=transport,
            verify=self._tls,
            # A proxy of this machine's leads out of it, and never to a server on it.
            trust_env=transport is None and urlsplit(access.url).hostname not in _LOOPBACK,
        )


async def _streamed(response: httpx.Response) -> Answer:
    gathering = Gathering()
    done = False
    try:
        async for data in events(response.aiter_bytes()):
            if done := data.strip() == "[DONE]":
                break
            gathering.add(_chunk(data))
            if gathering.full:
                break
    except LineTooLong as error:
        raise Failed("again", "the stream holds no events") from error
    if not (done or gathering.finish or gathering.full):
        raise Failed("again", "the stream broke off")
    return gathering.answer()


def _chunk(data: str) -> Mapping[str, Any]:
    """Return a chunk, or a whole body.

    Raises:
        Failed: It is none, or it tells of an error.
    """
    try:
        parsed = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Failed("again", "what came is no JSON") from error
    if not isinstance(parsed, dict):
        raise Failed("again", "what came is no answer")
    if parsed.get("error"):
        raise failure_in_stream(parsed["error"])
    return parsed


def _whole(gathering: Gathering) -> Answer:
    if not (gathering.finish or gathering.has_choice):
        raise Failed("again", "what came holds no answer")
    return gathering.answer()


async def _read(response: httpx.Response) -> bytes:
    """Return a body, or its beginning where it does not end."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _MOST_BYTES:
            break
    return bytes(body)
