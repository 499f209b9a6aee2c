"""Gateways that are gone at the end of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from argusic.records.configuration import Api
from tests.model_server import ModelServer, Script
from tests.runs.keys import gateways
from tests.runs.keys.gateways import KEY, MODEL, Made, Make


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make gateways before a server, or before one of its own that follows a script."""
    with ExitStack() as stack:
        numbers = count(1)

        def begin(server: ModelServer | Script | str, api: Api = "openai_chat", **given: Any) -> Made:
            if not isinstance(server, ModelServer | str):
                server = stack.enter_context(ModelServer(server, models=(MODEL,), key=KEY))
            folder = tmp_path / f"work-{next(numbers)}"
            folder.mkdir()
            gateway = stack.enter_context(gateways.made(server, folder, api, **given))
            client = stack.enter_context(gateways.client(gateway.access))
            return Made(gateway, client, folder / "exchanges.jsonl")

        yield begin
