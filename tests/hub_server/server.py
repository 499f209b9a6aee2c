"""The hub of the tests' own: its address, what it holds, and what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.hub_server.handler import Handler
from tests.hub_server.state import Content, Fault, Repository, revision_of
from tests.loopback import OnLoopback


class _Server(ThreadingHTTPServer):
    hub: HubServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that went away."""


class HubServer(OnLoopback):
    """A hub.

    Attributes:
        repositories: What it holds, by kind (`model`, `space`) and name.
        faults: What is to go wrong; the first that fits does.
        tokens: Accounts that were let in everywhere.
        asked: What was asked, `METHOD /path`.
        tokens_seen: The tokens that came with what was asked.
        agents: Who asked, as they say.
    """

    def __init__(self) -> None:
        self.repositories: dict[tuple[str, str], Repository] = {}
        self.faults: list[Fault] = []
        self.tokens: set[str] = set()
        self.asked: list[str] = []
        self.tokens_seen: set[str] = set()
        self.agents: set[str] = set()
        self.over = threading.Event()
        server = _Server(("127.0.0.1", 0), Handler)
        server.hub = self
        super().__init__(server)

    @property
    def url(self) -> str:
        """What `HF_ENDPOINT` is to be."""
        return f"http://127.0.0.1:{self.port}"

    def add(
        self,
        kind: str,
        name: str,
        files: Mapping[str, Content],
        *,
        revision: str | None = None,
        card: dict[str, Any] | None = None,
    ) -> str:
        """Add a revision of a repository, its newest, and return its full id."""
        revision = revision or revision_of(files)
        there = self.repositories.setdefault((kind, name), Repository({}, revision))
        there.revisions[revision] = dict(files)
        there.newest = revision
        if card is not None:
            there.card = card
        return revision

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        super().__exit__(kind, error, trace)
