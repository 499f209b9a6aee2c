"""A service of keys that is out to break the sweep is told apart in one sentence, and never waited for without end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from argusic.evidence.stores.patience import Patience
from argusic.runs.keys import litellm, openrouter
from argusic.runs.keys.access import KeyProvider, KeyRefused
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.asking import Desk
from argusic.runs.keys.litellm import LiteLlm, instant
from argusic.runs.keys.openrouter import OpenRouter

PROVIDERS = (LiteLlm, OpenRouter)
FULL = json.dumps({"keys": [{}] * 100, "data": [{}] * 100, "total_pages": 10**9}).encode()
STRANGE = {"keys": [None, 5, {"key_alias": 5}, {"key_alias": "a\x1b[31m"}], "data": [None, {"name": 5, "hash": 5}]}


@contextmanager
def saying(body: bytes, **headers: str) -> Iterator[str]:
    """Give the address of a server that says the same to everybody."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(10)


def provider(kind: type[LiteLlm] | type[OpenRouter], url: str) -> KeyProvider:
    desk = Desk("the service", url, "sk-master-0123456789", Patience(tries=2, first=0.001, longest=0.01))
    return kind(desk, Aliases("r"))


@pytest.mark.parametrize("kind", PROVIDERS)
@pytest.mark.parametrize("body", [b"[" * 100_000, b"<html>", b"null", b"[1]", b'{"keys": NaN, "data": NaN}', b""])
def test_a_list_of_keys_that_is_none_is_refused(kind: type[LiteLlm] | type[OpenRouter], body: bytes) -> None:
    with saying(body) as url, pytest.raises(KeyRefused):
        provider(kind, url).list()


@pytest.mark.parametrize("kind", PROVIDERS)
def test_an_answer_that_cannot_be_unpacked_is_refused(kind: type[LiteLlm] | type[OpenRouter]) -> None:
    with saying(b"nonsense", content_encoding="gzip") as url, pytest.raises(KeyRefused, match="DecodingError"):
        provider(kind, url).list()


@pytest.mark.parametrize("kind", PROVIDERS)
def test_a_list_without_end_is_given_up(
    kind: type[LiteLlm] | type[OpenRouter], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (litellm, openrouter):
        monkeypatch.setattr(module, "MOST_PAGES", 5)
    with saying(FULL) as url, pytest.raises(KeyRefused, match="does not end"):
        provider(kind, url).list()


@pytest.mark.parametrize("kind", PROVIDERS)
@pytest.mark.parametrize("pages", ["many", None, -1, 1])
def test_what_is_no_key_of_ours_is_passed_over(kind: type[LiteLlm] | type[OpenRouter], pages: object) -> None:
    body = json.dumps({**STRANGE, "total_pages": pages}).encode()
    with saying(body) as url:
        assert provider(kind, url).list() == []


def test_a_time_that_no_calendar_has_is_none() -> None:
    assert instant("0001-01-01T00:00:00+23:59") is None
    assert instant("2026-11-30T00:00:00") == datetime(2026, 11, 30, tzinfo=UTC)
