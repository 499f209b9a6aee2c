"""The gateway: who is let in, what is forwarded, what comes back, and what is written down of it."""

from __future__ import annotations

import json
import stat
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from argusic.records.configuration import Api
from argusic.runs.keys.exchanges import read
from tests.model_server import Asked, Call, ModelServer, Reply, Usage, always, by_turn
from tests.runs.keys import gateways
from tests.runs.keys.gateways import APIS, KEY, MODEL, ROUTES, Make, events

REPLY = Reply("I look around.", (Call("shell", {"command": "ls -l"}),), "Where am I?", Usage(20, 7, cached=5))


@pytest.fixture
def server() -> Any:
    with ModelServer(always(REPLY), models=(MODEL,), key=KEY) as running:
        yield running


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_comes_back_as_the_server_gave_it(api: Api, stream: bool, server: ModelServer, make: Make) -> None:
    made = make(server, api)
    through = made.ask("Go", stream=stream, **({"stream_options": {"include_usage": True}} if stream else {}))
    with ModelServer(always(REPLY)) as other:
        direct = httpx.post(f"{other.url}/{ROUTES[api]}", json=server.asked[0].body)
    assert (through.status_code, through.text) == (200, direct.text)
    assert through.headers["content-type"] == direct.headers["content-type"]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [False, True])
def test_it_counts_what_the_server_says_that_it_took(api: Api, stream: bool, server: ModelServer, make: Make) -> None:
    made = make(server, api)
    made.ask("Go", stream=stream)
    made.gateway.close()
    use = made.gateway.use()
    assert (use.calls, use.in_full, use.refused, use.failed) == (1, 0, 0, 0)
    assert (use.input_tokens, use.cached_tokens, use.output_tokens) == (20, 5, 7)
    assert use.billed_usd == "0.000165" and use.cap_usd == "3"


def test_a_client_that_did_not_ask_for_the_usage_of_its_stream_does_not_see_it(server: ModelServer, make: Make) -> None:
    heard = events(make(server).ask(stream=True))
    assert heard[-1] == "[DONE]" and all(chunk["choices"] for chunk in heard[:-1])
    assert server.asked[0].body["stream_options"] == {"include_usage": True}


def test_a_stream_comes_through_as_it_comes(make: Make) -> None:
    made = make(always(Reply("piece by piece and word by word", pause=0.15)))
    began, times = time.monotonic(), []
    with made.client.stream(
        "POST", "chat/completions", json={**gateways.body("openai_chat", "Go"), "stream": True}
    ) as it:
        for _ in it.iter_raw():
            times.append(time.monotonic() - began)
    assert times[0] < times[-1] - 0.4


@pytest.mark.parametrize("api", APIS)
def test_the_server_is_shown_the_key_and_never_the_token(api: Api, server: ModelServer, make: Make) -> None:
    made = make(server, api)
    made.ask()
    headers = server.asked[0].headers
    shown = headers.get("x-api-key") or headers["authorization"].removeprefix("Bearer ")
    assert shown == KEY
    assert made.gateway.access.token not in json.dumps(headers)


@pytest.mark.parametrize("api", APIS)
def test_a_wrong_token_is_refused_in_the_shape_of_the_protocol(api: Api, server: ModelServer, make: Make) -> None:
    made = make(server, api)
    for token in ("", "sk-run-" + "A" * 43, KEY, made.gateway.access.token[:-1]):
        with gateways.client(made.gateway.access, token) as stranger:
            answer = stranger.post(ROUTES[api], json=gateways.body(api, "Go"))
        assert answer.status_code == 401
        error = answer.json()["error"]
        assert error.get("code", error["type"]) in ("invalid_api_key", "authentication_error")
        assert answer.headers["x-should-retry"] == "false"
    assert server.asked == []
    assert made.gateway.use().refused == 4


def test_the_token_is_good_in_the_header_of_either_protocol(server: ModelServer, make: Make) -> None:
    made = make(server)
    with gateways.client(made.gateway.access, "") as other:
        answer = other.get("models", headers={"x-api-key": made.gateway.access.token})
    assert [entry["id"] for entry in answer.json()["data"]] == [MODEL]


def test_after_the_expiry_nobody_is_let_in(server: ModelServer, make: Make) -> None:
    made = make(server, expires=datetime.now(UTC) + timedelta(seconds=0.5))
    assert made.ask().status_code == 200
    time.sleep(0.6)
    late = made.ask()
    assert late.status_code == 401 and "expired" in late.json()["error"]["message"]
    assert len(server.asked) == 1


def test_the_expiry_cuts_an_answer_and_bills_it_in_full(make: Make) -> None:
    made = make(always(Reply("word " * 400, pause=0.05)), expires=datetime.now(UTC) + timedelta(seconds=0.8))
    with pytest.raises(httpx.RemoteProtocolError):
        made.ask(stream=True)
    made.gateway.close()
    use = made.gateway.use()
    assert (use.calls, use.in_full) == (0, 1) and use.billed_usd is not None


@pytest.mark.parametrize("api", APIS)
def test_another_model_is_refused(api: Api, server: ModelServer, make: Make) -> None:
    made = make(server, api)
    for other in ("scripted-2", "", None, ["scripted-1"]):
        answer = made.ask(model=other)
        assert answer.status_code == 404
        error = answer.json()["error"]
        assert error.get("code", error["type"]) in ("model_not_found", "not_found_error")
    assert server.asked == []


def test_a_second_model_in_the_same_body_is_not_forwarded(server: ModelServer, make: Make) -> None:
    made = make(server)
    text = json.dumps(gateways.body("openai_chat", "Go"))[:-1]
    twice = made.client.post("chat/completions", content=f'{text}, "model": "scripted-2"}}')
    routed = made.ask(models=["scripted-2"], route="fallback", provider={"order": ["x"]}, api_base="http://h", x=1)
    assert (twice.status_code, routed.status_code) == (404, 200)
    assert server.asked[0].body.keys() == {"model", "messages", "max_tokens"}


@pytest.mark.parametrize("api", APIS)
def test_only_the_routes_of_the_pinned_protocol_are_known(api: Api, server: ModelServer, make: Make) -> None:
    made = make(server, api)
    others = [route for other, route in ROUTES.items() if other != api]
    for route in (*others, "embeddings", "files", "../v1/" + others[0], "models/other", f"{ROUTES[api]}/"):
        assert made.client.post(route, json=gateways.body(api, "Go")).status_code == 404
    assert made.client.get(ROUTES[api]).status_code == 404
    assert made.client.get(f"http://127.0.0.1/{ROUTES[api]}").status_code == 404
    assert made.client.get("models").status_code == made.client.get(f"models/{MODEL}").status_code == 200
    assert server.asked == []


def test_counting_tokens_costs_nothing(server: ModelServer, make: Make) -> None:
    made = make(server, "anthropic_messages")
    message = {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "http://h/i.png"}}]}
    answer = made.client.post("messages/count_tokens", json={"model": MODEL, "messages": [message]})
    assert answer.status_code == 200 and answer.json()["input_tokens"] > 0
    assert server.counted == 1
    use = made.gateway.use()
    assert (use.calls, use.billed_usd, use.images_dropped) == (0, "0.000000", 1)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"model": NaN}', b"[" * 100_000, b'{"a":' * 50_000])
def test_a_malformed_body_is_refused(content: bytes, server: ModelServer, make: Make) -> None:
    answer = make(server).client.post("chat/completions", content=content)
    assert answer.status_code in (400, 404) and answer.json()["error"]["message"]
    assert server.asked == []


@pytest.mark.parametrize("most", [0, -1, 1.5, "9", True, [1]])
def test_a_limit_that_is_no_number_is_refused(most: Any, server: ModelServer, make: Make) -> None:
    assert make(server).ask(max_tokens=most).status_code == 400
    assert make(server).ask(n=most).status_code == 400
    assert server.asked == []


@pytest.mark.parametrize("api", APIS)
def test_a_request_without_a_limit_gets_the_pinned_one(api: Api, server: ModelServer, make: Make) -> None:
    make(server, api, max_tokens=77).ask(max_tokens=None, max_output_tokens=None)
    assert server.asked[0].max_tokens == 77


def test_a_body_that_is_too_large_is_refused(server: ModelServer, make: Make) -> None:
    answer = make(server).ask("x" * (17 << 20))
    assert answer.status_code == 413 and server.asked == []


def test_its_socket_is_its_owners_alone_and_gone_afterwards(server: ModelServer, make: Make) -> None:
    gateway = make(server).gateway
    path = gateway.access.socket
    assert path is not None and stat.S_IMODE(path.stat().st_mode) == 0o600
    gateway.close()
    gateway.close()
    assert not path.exists()


@pytest.mark.parametrize("api", APIS)
def test_every_exchange_is_written_down_once_and_without_a_key(api: Api, make: Make) -> None:
    def talk(asked: Asked) -> Reply:
        return Reply(f"Turn {asked.turn}; the key is {KEY}, the token is {token}.", usage=Usage(9, 3))

    made = make(talk, api)
    token = made.gateway.access.token
    field = "input" if api == "openai_responses" else "messages"
    said: list[dict[str, Any]] = []
    bodies = []
    for turn in range(4):
        said = [*said, {"role": "user", "content": f"Question {turn} " + "with many words " * 50 + token}]
        bodies.append({**gateways.body(api, ""), field: said, "temperature": 0.5})
        made.client.post(ROUTES[api], json={**bodies[-1], "stream": turn % 2 == 1})
        said = [*said, {"role": "assistant", "content": f"Turn {turn}"}]
    made.gateway.close()
    text = made.exchanges.read_text()
    assert KEY not in text and token not in text and "[token of the run]" in text and "[key]" in text
    assert [text.count(f"Question {turn} ") for turn in range(4)] == [1, 1, 1, 1]
    found = list(read(made.exchanges))
    for turn, (exchange, sent) in enumerate(zip(found, bodies, strict=True)):
        assert exchange.request[field] == json.loads(json.dumps(sent[field]).replace(token, "[token of the run]"))
        assert exchange.request["temperature"] == 0.5
        assert exchange.answer is not None and f"Turn {turn};" in json.dumps(exchange.answer["body"])
        assert exchange.answer["tokens"] == {"input": 9, "output": 3, "cached": 0, "kept": 0}


@pytest.mark.parametrize("api", APIS)
def test_a_stream_is_written_down_as_the_whole_answer(api: Api, server: ModelServer, make: Make) -> None:
    made = make(server, api)
    made.ask(stream=False)
    made.ask(stream=True)
    made.gateway.close()
    whole, streamed = (exchange.answer["body"] for exchange in read(made.exchanges) if exchange.answer)

    def essence(answer: dict[str, Any]) -> Any:
        if api == "openai_chat":
            message = dict(answer["choices"][0]["message"])
            message.pop("refusal", None)
            calls = [call["function"] for call in message.pop("tool_calls")]
            return message, calls, answer["choices"][0]["finish_reason"], answer["usage"]
        return answer["output" if api == "openai_responses" else "content"], answer["usage"]

    text = json.dumps(essence(streamed)).replace("000001", "000000").replace("signed-1", "signed-0")
    assert json.loads(text) == json.loads(json.dumps(essence(whole)))


def test_what_an_answer_repeats_of_the_request_is_not_written_down_again(make: Make) -> None:
    made = make(always(REPLY), "openai_responses")
    tools = [{"type": "function", "name": "shell", "description": "a shell", "parameters": {}}]
    for stream in (False, True):
        answer = made.ask(tools=tools, instructions="Be brief", stream=stream)
        assert "a shell" in answer.text and "Be brief" in answer.text
    made.gateway.close()
    text = made.exchanges.read_text()
    assert (text.count("a shell"), text.count("Be brief")) == (1, 1)


def test_asking_whether_anybody_is_there_tells_nothing_and_counts_for_nothing(server: ModelServer, make: Make) -> None:
    made = make(server)
    with gateways.client(made.gateway.access, "") as stranger:
        assert stranger.head("http://127.0.0.1/").content == b""
    assert made.gateway.use().refused == 0 and server.asked == []


def test_a_server_of_ones_own_needs_neither_key_nor_price(make: Make) -> None:
    with ModelServer(by_turn(REPLY)) as server:
        made = make(server, key=None, issuer="none", price=None, cap_usd=None)
        assert made.ask(max_tokens=1_000_000_000).status_code == 200
        assert "authorization" not in server.asked[0].headers
        use = made.gateway.use()
    assert (use.key, use.input_tokens, use.billed_usd, use.cap_usd) == ("none", 20, None, None)
