"""The key of a run from its issue to its end, whoever issues it; and a key that is handed over sealed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pyrage
import pytest
from pyrage import x25519

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.evidence.stores.patience import Patience
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration
from argusic.runs.keys import asking
from argusic.runs.keys.access import IssuedKey, KeyRefused, ModelAccess
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.notes import Notes
from argusic.runs.keys.opening import RunKey, key_of_run
from argusic.runs.keys.providers import provider_of
from argusic.runs.keys.wrapping import unwrap, wrap
from argusic.runs.work import begin
from tests.model_server import ModelServer, Reply, Usage, always
from tests.runs.keys import gateways
from tests.runs.keys.gateways import KEY, MODEL, PRICE
from tests.runs.keys.key_servers import MASTER, KeyServer, LiteLlmServer, OpenRouterServer

RUN = "20261130T014500Z-aaaaaa"
ENVIRONMENT = {"MODEL_KEY": KEY, "MASTER_KEY": MASTER, "SHARED_KEY": "sk-shared-0123456789"}
LATER = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=2)

Open = Callable[..., AbstractContextManager[RunKey]]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(always(Reply("Done", usage=Usage(20, 7)))) as running:
        yield running


@pytest.fixture
def database(tmp_path: Path) -> Database:
    root = tmp_path / "a-referee-repository-with-a-rather-long-name-as-some-have"
    root.mkdir()
    return Database(root)


@pytest.fixture
def hold(database: Database, server: ModelServer) -> Iterator[Open]:
    with begin(database.work, RUN) as work:

        def make(
            key: KeyUsed, environment: dict[str, str] = ENVIRONMENT, **more: Any
        ) -> AbstractContextManager[RunKey]:
            issued = more.pop("issued", None)
            fields: dict[str, Any] = {"name": MODEL, "url": server.url, "price": PRICE, **more}
            return key_of_run(
                database,
                RUN,
                OpenConfiguration(model=ModelUsed(**fields), key=key),
                cap_usd=Decimal(3),
                expires=LATER,
                folder=work.folder,
                evidence=work.evidence,
                environment=environment,
                issued=issued,
            )

        yield make


def ask(held: RunKey) -> httpx.Response:
    with gateways.client(held.access) as client:
        return client.post("chat/completions", json=gateways.body("openai_chat", "Go"))


def key_server(name: str) -> KeyServer:
    return LiteLlmServer() if name == "litellm" else OpenRouterServer()


def test_the_gateways_token_is_all_that_the_agent_gets_of_the_real_key(hold: Open, server: ModelServer) -> None:
    with hold(KeyUsed(provider="gateway", variable="MODEL_KEY")) as held:
        assert ask(held).status_code == 200
        assert KEY not in repr(held) + repr(held.access) and held.access.token not in repr(held)
        assert held.secrets == {"token of the run": held.access.token, "model key": KEY}
    assert held.access.token != KEY and server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    use = held.use()
    assert (use.key, use.calls, use.cap_usd) == ("gateway", 1, "3") and held.fault is held.problem is None
    assert held.exchanges is not None and KEY not in held.exchanges.read_text()
    assert held.access.socket is not None and not held.access.socket.exists()


@pytest.mark.parametrize("temporary", ["short", "long"])
def test_a_socket_that_would_have_too_long_a_path_lies_elsewhere(
    temporary: str, hold: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if temporary == "long":
        folder = tmp_path / ("long" * 30)
        folder.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with hold(KeyUsed(provider="gateway", variable="MODEL_KEY")) as held:
        socket = held.access.socket
        assert socket is not None and len(os.fsencode(socket)) < 108 and socket.parent.stat().st_mode & 0o077 == 0
    assert not socket.parent.exists()


@pytest.mark.parametrize("name", ["litellm", "openrouter"])
def test_a_services_key_stays_in_the_gateway_and_is_deleted_at_the_end(
    name: Any, hold: Open, server: ModelServer, database: Database
) -> None:
    with key_server(name) as keys:
        with hold(KeyUsed(provider=name, variable="MASTER_KEY", url=keys.url)) as held:
            (kept,) = keys.keys
            assert ask(held).status_code == 200
            (note,) = Notes.of(database).all()
            assert note.run == RUN
            text = (database.work.parent / "keys" / f"{RUN}.yaml").read_text()
            assert MASTER not in text and kept.key not in text
        assert keys.keys == [] and Notes.of(database).all() == []
    assert server.asked[0].headers["authorization"] == f"Bearer {kept.key}"
    assert held.use().key == name and held.problem is None


@pytest.mark.parametrize("name", ["litellm", "openrouter"])
def test_an_attempt_that_fails_deletes_its_key_too(name: Any, hold: Open) -> None:
    with key_server(name) as keys:
        with pytest.raises(KeyboardInterrupt), hold(KeyUsed(provider=name, variable="MASTER_KEY", url=keys.url)):
            raise KeyboardInterrupt
        assert keys.keys == []


def test_a_key_that_cannot_be_deleted_costs_no_run_and_is_told_of(hold: Open, database: Database) -> None:
    with LiteLlmServer() as keys:
        with hold(KeyUsed(provider="litellm", variable="MASTER_KEY", url=keys.url)) as held:
            keys.mishaps = [401]
        assert held.problem is not None and "still there" in held.problem and MASTER not in held.problem
        assert len(Notes.of(database).all()) == 1


@pytest.mark.parametrize(
    "key",
    [
        KeyUsed(provider="gateway", variable="NOT_SET"),
        KeyUsed(provider="shared", variable="NOT_SET"),
        KeyUsed(provider="litellm", variable="MASTER_KEY", url="http://127.0.0.1:9"),
        KeyUsed(provider="openrouter", variable="NOT_SET"),
    ],
)
def test_without_a_key_there_is_no_run(key: KeyUsed, hold: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_PATIENCE", Patience(tries=2, first=0.01))
    with pytest.raises(KeyRefused) as refused, hold(key):
        pass
    assert "\n" not in str(refused.value) and MASTER not in str(refused.value)


def test_what_could_not_be_capped_is_refused_before_anything_begins(hold: Open) -> None:
    for key, more in (
        (KeyUsed(provider="gateway", variable="MODEL_KEY"), {"price": None}),
        (KeyUsed(provider="gateway"), {}),
        (KeyUsed(provider="litellm"), {}),
        (KeyUsed(provider="shared"), {}),
    ):
        with pytest.raises(InputError), hold(key, **more):
            pass


def test_a_shared_key_is_said_to_be_one_and_has_no_gateway(hold: Open, server: ModelServer) -> None:
    with hold(KeyUsed(provider="shared", variable="SHARED_KEY")) as held:
        access = held.access
        assert (access.url, access.token, access.socket) == (server.url, ENVIRONMENT["SHARED_KEY"], None)
        assert held.shared and held.exchanges is None and access.token in held.secrets.values()
    assert held.use().key == "shared" and held.use().billed_usd is None


def test_a_server_of_ones_own_may_ask_for_a_key_or_for_none(hold: Open, server: ModelServer) -> None:
    with hold(KeyUsed(provider="none"), price=None) as held:
        assert ask(held).status_code == 200
    assert "authorization" not in server.asked[0].headers and held.use().billed_usd is None


@pytest.mark.parametrize("name", ["litellm", "openrouter"])
def test_a_key_that_another_job_issued_is_unwrapped_and_left_to_that_job(
    name: Any, hold: Open, server: ModelServer, database: Database
) -> None:
    pair, stranger = x25519.Identity.generate(), x25519.Identity.generate()
    with key_server(name) as keys:
        used = KeyUsed(provider=name, variable="MASTER_KEY", url=keys.url)
        model = ModelUsed(name=MODEL, url=server.url, price=PRICE)
        provider = provider_of(used, server.url, Aliases.of(database), ENVIRONMENT)
        issued = provider.issue(RUN, model, Decimal(3), LATER)
        text = wrap(issued, str(pair.to_public()))
        assert issued.access.token not in text and MODEL not in text and text.isascii()
        assert unwrap(text, [stranger, pair], RUN) == issued
        with pytest.raises(InputError, match="none of the private keys"):
            unwrap(text, [stranger])
        with pytest.raises(InputError, match="not for"):
            unwrap(text, [pair], "20261130T014501Z-bbbbbb")
        with hold(used, environment={}, issued=unwrap(text, [pair])) as held:
            assert ask(held).status_code == 200
        assert server.asked[0].headers["authorization"] == f"Bearer {issued.access.token}"
        assert len(keys.keys) == 1


def test_what_is_no_wrapped_key_is_refused_without_being_quoted() -> None:
    pair = x25519.Identity.generate()
    for plain in (b"sk-secret-thing", json.dumps({"token": "sk-secret-thing"}).encode()):
        text = bytes(pyrage.encrypt(plain, [pair.to_public()], armored=True)).decode()
        with pytest.raises(InputError) as refused:
            unwrap(text, [pair])
        assert "secret" not in str(refused.value)
    with pytest.raises(InputError):
        unwrap("nonsense", [pair])
    issued = IssuedKey("k", RUN, LATER, ModelAccess(ModelUsed(name="m", url="http://h/v1"), "http://h/v1", "t" * 20))
    with pytest.raises(InputError, match="public key of age"):
        wrap(issued, "age1nonsense")
