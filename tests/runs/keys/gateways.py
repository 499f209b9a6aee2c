"""Gateways before the scripted model server, and clients that speak to them over their socket."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import httpx

from argusic.records.configuration import Api, ModelUsed, Price
from argusic.runs.keys.access import ModelAccess
from argusic.runs.keys.connection import way
from argusic.runs.keys.gateway import Gateway, Patience
from tests.model_server import ModelServer
from tests.sockets import a_socket

KEY: Final = "sk-real-0123456789abcdefghijklmnop"
MODEL: Final = "scripted-1"
PRICE: Final = Price(input_usd="3", output_usd="15", as_of="2026-11-30", source="a list made for tests")
ROUTES: Final[dict[Api, str]] = {
    "openai_chat": "chat/completions",
    "openai_responses": "responses",
    "anthropic_messages": "messages",
}
APIS: Final = list(ROUTES)


@dataclass(frozen=True)
class Made:
    """A gateway that listens, and its client."""

    gateway: Gateway
    client: httpx.Client
    exchanges: Path

    def ask(self, text: str = "Go on", **more: Any) -> httpx.Response:
        """Ask the model, in the gateway's protocol."""
        api = self.gateway.access.model.api
        return self.client.post(ROUTES[api], json={**body(api, text), **more})


#: Makes a gateway before a server; what is given replaces a field of the model or an argument of the gateway.
Make = Callable[..., Made]


def body(api: Api, text: str) -> dict[str, Any]:
    """Return a request that says `text`."""
    if api == "openai_responses":
        return {"model": MODEL, "input": [{"role": "user", "content": text}], "max_output_tokens": 100}
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], "max_tokens": 100}


def made(server: ModelServer | str, folder: Path, api: Api = "openai_chat", **given: Any) -> Gateway:
    """Return a gateway before `server` that was not begun yet."""
    url = server if isinstance(server, str) else server.url
    fields = {name: given.pop(name) for name in list(given) if name in ModelUsed.model_fields}
    model = ModelUsed.model_validate({"name": MODEL, "api": api, "url": url, "price": PRICE, **fields})
    arguments: dict[str, Any] = {
        "key": KEY,
        "issuer": "gateway",
        "cap_usd": Decimal(3),
        "expires": datetime.now(UTC) + timedelta(minutes=5),
        "socket": a_socket(),
        "exchanges": folder / "exchanges.jsonl",
        "patience": Patience(connect=5, silence=20),
        **given,
    }
    return Gateway(model, arguments.pop("key"), **arguments)


def client(access: ModelAccess, token: str | None = None) -> httpx.Client:
    """Return a client of a gateway, such as a program of the host's is."""
    shown = access.token if token is None else token
    return httpx.Client(
        transport=httpx.HTTPTransport(uds=str(access.socket), verify=way(access.url)["verify"]),
        base_url=access.url + "/",
        headers={"authorization": f"Bearer {shown}"} if shown else {},
        timeout=30,
        **way(access.url),
    )


def events(answer: httpx.Response) -> list[Any]:
    """Return what a stream said."""
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]
