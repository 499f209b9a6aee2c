"""The server: listens on loopback, finds the protocol by the path, and writes what the script says."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from argusic.records.configuration import Api
from tests.loopback import OnLoopback
from tests.model_server import chat, messages, responses
from tests.model_server.asked import Asked
from tests.model_server.script import Reply, Script, Usage

ROUTES: Final[dict[str, Api]] = {
    "/v1/chat/completions": "openai_chat",
    "/v1/responses": "openai_responses",
    "/v1/messages": "anthropic_messages",
}
PROTOCOLS: Final[dict[Api, Any]] = {
    "openai_chat": chat,
    "openai_responses": responses,
    "anthropic_messages": messages,
}


@dataclass(frozen=True)
class Served:
    """What the server worked for, whether the client heard it or not."""

    asked: Asked
    usage: Usage


class _Server(ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that goes away is no fault of the server."""


class ModelServer(OnLoopback):
    """A scripted model server.

    Args:
        script: Says what it answers.
        models: The names it knows; every name is fine where there are none.
        key: What a client must show; everybody is let in where it is None.
    """

    def __init__(self, script: Script, *, models: tuple[str, ...] = (), key: str | None = None) -> None:
        self.script = script
        self.models = models
        self.key = key
        self.asked: list[Asked] = []
        self.served: list[Served] = []
        self.counted = 0
        self.lock = threading.Lock()
        super().__init__(_Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self})))

    @property
    def url(self) -> str:
        """The address of its protocols, up to the version."""
        return f"http://127.0.0.1:{self.port}/v1"


class _Handler(BaseHTTPRequestHandler):
    owner: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/v1/models" and self._let_in("openai_chat"):
            self._json(200, chat.models(self.owner.models))
        elif path != "/v1/models":
            self._json(404, chat.error(404, f"there is no {path}"))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        counts = path == "/v1/messages/count_tokens"
        api = ROUTES.get("/v1/messages" if counts else path)
        if api is None:
            self._json(404, chat.error(404, f"there is no {path}"))
            return
        if not self._let_in(api):
            return
        try:
            asked = self._asked(api, body, counts)
        except (ValueError, KeyError) as error:
            self._fail(api, 400, f"the body is not as it should be: {error!r}")
            return
        if self.owner.models and asked.model not in self.owner.models:
            self._fail(api, 404, f"the model {asked.model!r} does not exist")
        elif counts:
            self._json(200, {"input_tokens": max(1, asked.size // 4)})
        else:
            self._reply(asked, self.owner.script(asked))

    def _asked(self, api: Api, body: bytes, counts: bool) -> Asked:
        headers = {name.lower(): value for name, value in self.headers.items()}
        parsed = json.loads(body)
        with self.owner.lock:
            asked = Asked(len(self.owner.asked), api, parsed, headers, len(body))
            asked.messages  # noqa: B018 - a body without any is refused
            if counts:
                self.owner.counted += 1
            else:
                self.owner.asked.append(asked)
        return asked

    def _let_in(self, api: Api) -> bool:
        shown = self.headers.get("x-api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ")
        if self.owner.key in (None, shown):
            return True
        self._fail(api, 401, "the key is wrong")
        return False

    def _reply(self, asked: Asked, reply: Reply) -> None:
        time.sleep(reply.delay)
        if reply.raw is not None:
            self._send(reply.status, reply.raw, headers=dict(reply.headers))
            return
        if reply.status != 200:
            self._fail(asked.api, reply.status, reply.error, dict(reply.headers))
            return
        with self.owner.lock:
            self.owner.served.append(Served(asked, reply.used(asked)))
        protocol = PROTOCOLS[asked.api]
        if asked.stream:
            self._stream((event.encode() for event in protocol.events(asked, reply)), reply)
        else:
            self._send(200, json.dumps(protocol.answer(asked, reply)).encode(), dict(reply.headers), reply.cut_after)

    def _stream(self, events: Iterator[bytes], reply: Reply) -> None:
        self.send_response(200)
        for name, value in {"content-type": "text/event-stream; charset=utf-8", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(events):
            if number == reply.cut_after:
                self._cut()
                return
            if number:
                time.sleep(reply.pause)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def _json(self, status: int, data: Any) -> None:
        self._send(status, json.dumps(data).encode())

    def _fail(self, api: Api, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        shape = messages if api == "anthropic_messages" else chat
        self._send(status, json.dumps(shape.error(status, message)).encode(), headers)

    def _send(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, cut_after: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if cut_after is None:
            self.wfile.write(body)
            return
        self.wfile.write(body[: len(body) * min(cut_after, 9) // 10])
        self.wfile.flush()
        self._cut()

    def _cut(self) -> None:
        """Cut the connection as a broken network does: with a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.rfile.close()
        self.wfile.close()
        self.connection.close()
