"""Key providers, each before a server that speaks its API over a socket: issue, delete, list, and ask again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from argusic.evidence.stores.patience import Patience
from argusic.records.configuration import KeyUsed, ModelUsed
from argusic.runs.keys.access import KeyProvider, KeyRefused
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.asking import Desk
from argusic.runs.keys.litellm import LiteLlm
from argusic.runs.keys.openrouter import OpenRouter
from argusic.runs.keys.providers import provider_of, real_key
from tests.runs.keys.key_servers import MASTER, KeyServer, LiteLlmServer, OpenRouterServer

RUN, OTHER = "20261130T014500Z-k3x7q2", "20261130T014501Z-aaaaaa"
MODEL = ModelUsed(name="scripted-1", url="http://127.0.0.1:9/v1")
ALIASES = Aliases("owner--repo")
CAP = Decimal(3)
QUICK = Patience(tries=3, first=0.01, longest=0.5)


@pytest.fixture(params=["litellm", "openrouter"])
def server(request: pytest.FixtureRequest) -> Iterator[KeyServer]:
    with LiteLlmServer() if request.param == "litellm" else OpenRouterServer() as running:
        yield running


def provider(server: KeyServer, key: str = MASTER, aliases: Aliases = ALIASES) -> KeyProvider:
    desk = Desk("the service", server.url, key, QUICK)
    return LiteLlm(desk, aliases) if isinstance(server, LiteLlmServer) else OpenRouter(desk, aliases)


def soon() -> datetime:
    return datetime.now(UTC) + timedelta(minutes=90)


def test_a_key_is_issued_with_its_cap_and_expiry_listed_and_deleted(server: KeyServer) -> None:
    keys, expires = provider(server), soon()
    issued = keys.issue(RUN, MODEL, CAP, expires)
    (kept,) = server.keys
    assert (kept.name, kept.limit, issued.access.token) == (f"argusic.owner--repo.{RUN}", 3.0, kept.key)
    assert kept.expires is not None and abs((kept.expires - expires).total_seconds()) < 3
    (listed,) = keys.list()
    assert (listed.key, listed.run) == (issued.key, RUN)
    assert listed.expires is not None and abs((listed.expires - expires).total_seconds()) < 3
    keys.revoke(issued.key)
    assert server.keys == [] and keys.list() == []
    keys.revoke(issued.key)


def test_no_secret_shows_in_what_a_key_says_of_itself(server: KeyServer) -> None:
    issued = provider(server).issue(RUN, MODEL, CAP, soon())
    assert issued.access.token not in repr(issued) + str(issued) + issued.key


def test_only_the_keys_of_this_repositorys_runs_are_listed(server: KeyServer) -> None:
    keys = provider(server)
    for name in (
        "production",
        "argusic.owner--repo.",
        "argusic.owner--repo.x",
        f"argusic.other--repo.{RUN}",
        f"x{RUN}",
    ):
        server.add(name)
    server.add(f"argusic.owner--repo.{OTHER}")
    assert [one.run for one in keys.list()] == [OTHER]


def test_every_page_of_a_long_list_is_read(server: KeyServer) -> None:
    for number in range(253):
        server.add(
            f"argusic.owner--repo.20261130T{number // 60:02}{number % 60:02}00Z-aaaaaa" if number % 2 else f"x{number}"
        )
    assert len(provider(server).list()) == 126


@pytest.mark.parametrize("mishaps", [[500], [429], [503, 502], ["lost"], ["lost", 500], [500, "lost"]])
def test_issuing_is_tried_again_and_leaves_one_key(mishaps: list[Any], server: KeyServer) -> None:
    keys = provider(server)
    server.mishaps = [*mishaps]
    issued = keys.issue(RUN, MODEL, CAP, soon())
    assert [kept.key for kept in server.keys] == [issued.access.token]


@pytest.mark.parametrize("mishaps", [[500] * 20, [400], [401], [403]])
def test_a_refusal_is_final_and_in_one_sentence_without_a_secret(mishaps: list[Any], server: KeyServer) -> None:
    server.mishaps = [*mishaps]
    with pytest.raises(KeyRefused) as refused:
        provider(server).issue(RUN, MODEL, CAP, soon())
    assert MASTER not in str(refused.value) and "\n" not in str(refused.value) and server.keys == []


def test_a_wrong_key_of_the_provider_is_not_quoted(server: KeyServer) -> None:
    wrong = "sk-wrong-0123456789abcdef"
    with pytest.raises(KeyRefused, match="does not accept") as refused:
        provider(server, wrong).list()
    assert wrong not in str(refused.value)


def test_a_server_that_is_not_there_is_a_refusal() -> None:
    with pytest.raises(KeyRefused, match="does not answer"):
        LiteLlm(Desk("it", "http://127.0.0.1:9", MASTER, QUICK), ALIASES).issue(RUN, MODEL, CAP, soon())


def test_the_provider_follows_from_the_configuration() -> None:
    environment = {"OWN_KEY": MASTER, "EMPTY": " "}

    def url(name: Any, model_url: str, own: str | None = None) -> str:
        key = KeyUsed(provider=name, variable="OWN_KEY", url=own)
        return provider_of(key, model_url, ALIASES, environment)._desk._url  # type: ignore[attr-defined,no-any-return]

    assert url("litellm", "http://h:4000/v1") == url("litellm", "http://h:4000/") == "http://h:4000"
    assert url("litellm", "http://h/llm/v1/") == "http://h/llm"
    assert url("litellm", "http://h/v1", "http://admin/") == "http://admin"
    assert url("openrouter", "https://h/api/v1") == "https://h/api/v1"
    for key in (
        KeyUsed(provider="litellm"),
        KeyUsed(provider="litellm", variable="EMPTY"),
        KeyUsed(provider="gateway"),
    ):
        with pytest.raises(KeyRefused):
            provider_of(key, "http://h/v1", ALIASES, environment)
    assert real_key(KeyUsed(provider="none"), environment) is None


def test_a_fork_and_its_original_have_names_of_their_own() -> None:
    ours, theirs = Aliases("owner--repo"), Aliases("owner--repo.2")
    assert ours.run(theirs.alias(RUN)) is None and theirs.run(ours.alias(RUN)) is None
    assert ours.run(ours.alias(RUN)) == RUN
    assert ours.run(None) is ours.run(7) is None
