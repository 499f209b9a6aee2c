"""Servers that speak the key APIs of LiteLLM and OpenRouter over a socket, with what those document and implement.

Checked against LiteLLM's own code (1.108) and OpenRouter's published description of its API.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import socket
import struct
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from tests.loopback import OnLoopback

MASTER = "sk-master-0123456789abcdef"

#: What the next request meets instead of an answer: a status; an answer that is lost after the work was done.
Mishap = int | Literal["lost"]


@dataclass
class Kept:
    """A key as the server keeps it."""

    name: str
    key: str
    limit: float | None
    expires: datetime | None
    made: datetime
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.key.encode()).hexdigest()


class KeyServer(OnLoopback, ABC):
    """Base of the two: keys in memory, mishaps on request."""

    page = 100

    def __init__(self) -> None:
        self.keys: list[Kept] = []
        self.asked: list[tuple[str, str]] = []
        self.mishaps: list[Mishap] = []
        self.pause = 0.0
        self.on_create: Callable[[], None] = lambda: None
        self.lock = threading.Lock()
        super().__init__(ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self})))
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def add(self, name: str, expires: datetime | None = None, key: str | None = None, **more: Any) -> Kept:
        kept = Kept(name, key or f"sk-{secrets.token_urlsafe(16)}", more.pop("limit", None), expires, _now(), more)
        with self.lock:
            self.keys.append(kept)
        return kept

    def names(self) -> list[str]:
        with self.lock:
            return [kept.name for kept in self.keys]

    def drop(self, chosen: Callable[[Kept], bool]) -> int:
        with self.lock:
            left = [kept for kept in self.keys if not chosen(kept)]
            count = len(self.keys) - len(left)
            self.keys = left
        return count

    @abstractmethod
    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """Return the status and the data of the answer to a request."""


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class LiteLlmServer(KeyServer):
    """A LiteLLM proxy."""

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        if (method, path) == ("POST", "/key/generate"):
            if body["key_alias"] in self.names():
                message = f"Key with alias '{body['key_alias']}' already exists."
                return 400, {
                    "error": {"message": message, "type": "bad_request_error", "param": "key_alias", "code": "400"}
                }
            assert body["duration"].endswith("s") and body["models"] and body["key_type"] == "llm_api"
            expires = _now() + timedelta(seconds=int(body["duration"][:-1]))
            kept = self.add(body["key_alias"], expires, limit=body["max_budget"], models=body["models"])
            return 200, {"key": kept.key, "token": kept.hash, "key_alias": kept.name, "expires": expires.isoformat()}
        if (method, path) == ("POST", "/key/delete"):
            if not self.drop(lambda kept: kept.name in body["key_aliases"]):
                return 404, {
                    "error": {"message": "{'error': 'No keys found'}", "type": "internal_error", "code": "404"}
                }
            return 200, {"deleted_keys": body["key_aliases"]}
        if (method, path) == ("GET", "/key/list"):
            page, size = int(query.get("page", 1)), int(query.get("size", 10))
            assert size <= 100
            with self.lock:
                found = sorted(self.keys, key=lambda kept: kept.made, reverse=True)
            shown = found[(page - 1) * size : page * size]
            keys: list[Any] = [kept.hash for kept in shown]
            if query.get("return_full_object") == "true":
                keys = [
                    {
                        "token": kept.hash,
                        "key_name": f"sk-...{kept.key[-4:]}",
                        "key_alias": kept.name,
                        "spend": 0.0,
                        "expires": kept.expires.isoformat() if kept.expires else None,
                        "max_budget": kept.limit,
                    }
                    for kept in shown
                ]
            pages = -(-len(found) // size)
            return 200, {"keys": keys, "total_count": len(found), "current_page": page, "total_pages": pages}
        return 404, {"detail": "Not Found"}


class OpenRouterServer(KeyServer):
    """OpenRouter, below its version."""

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        if (method, path) == ("POST", "/keys"):
            assert body["expires_at"].endswith("Z") and body["include_byok_in_limit"] is True
            expires = datetime.fromisoformat(body["expires_at"])
            kept = self.add(body["name"], expires, limit=body["limit"])
            return 201, {"data": self._shown(kept), "key": kept.key}
        if (method, path) == ("GET", "/keys"):
            offset = int(query.get("offset", 0))
            with self.lock:
                found = sorted(self.keys, key=lambda kept: kept.made, reverse=True)
            return 200, {"data": [self._shown(kept) for kept in found[offset : offset + self.page]]}
        if method == "DELETE" and path.startswith("/keys/"):
            wanted = path.removeprefix("/keys/")
            if not self.drop(lambda kept: kept.hash == wanted):
                return 404, {"error": {"code": 404, "message": "API key not found"}}
            return 200, {"deleted": True}
        return 404, {"error": {"code": 404, "message": "Not Found"}}

    def _shown(self, kept: Kept) -> dict[str, Any]:
        return {
            "hash": kept.hash,
            "name": kept.name,
            "label": f"{kept.key[:6]}...{kept.key[-3:]}",
            "disabled": False,
            "limit": kept.limit,
            "limit_remaining": kept.limit,
            "limit_reset": None,
            "include_byok_in_limit": True,
            "usage": 0,
            "created_at": kept.made.isoformat().replace("+00:00", "Z"),
            "updated_at": None,
            "expires_at": kept.expires.isoformat().replace("+00:00", "Z") if kept.expires else None,
        }


class _Handler(BaseHTTPRequestHandler):
    owner: KeyServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _handle(self) -> None:
        owner, parts = self.owner, urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        with owner.lock:
            owner.asked.append((self.command, parts.path))
            mishap = owner.mishaps.pop(0) if owner.mishaps else None
        time.sleep(owner.pause)
        if isinstance(mishap, int):
            self._send(mishap, {"error": {"message": "the server was told to fail", "code": mishap}})
            return
        if self.headers.get("authorization") != f"Bearer {MASTER}":
            shown = self.headers.get("authorization", "")
            self._send(401, {"error": {"message": f"Invalid proxy server token passed. Received {shown}", "code": 401}})
            return
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        status, data = owner.answer(self.command, parts.path, query, json.loads(raw) if raw else None)
        if self.command == "POST" and status in (200, 201):
            owner.on_create()
        if mishap == "lost":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        self._send(status, data)

    def _send(self, status: int, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = _handle
