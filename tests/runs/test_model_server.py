"""The scripted model server speaks its protocols on a real socket, as clients of the host will hear it."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.model_server import Call, ModelServer, Reply, Usage, always, by_turn, in_order

REPLY = Reply("I look around.", (Call("shell", {"command": "ls -l"}),), "Where am I?", Usage(20, 7, cached=5))
ASKED: dict[str, dict[str, Any]] = {
    "chat/completions": {"messages": [{"role": "user", "content": "Go"}], "max_tokens": 9},
    "responses": {"input": "Go"},
    "messages": {"messages": [{"role": "user", "content": [{"type": "text", "text": "Go"}]}], "max_tokens": 9},
}


def ask(server: ModelServer, route: str, **more: Any) -> httpx.Response:
    body = {"model": "m", **ASKED[route], **more}
    return httpx.post(f"{server.url}/{route}", json=body, headers={"x-api-key": "k"}, timeout=10)


def heard(answer: httpx.Response) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def test_a_chat_and_its_stream_say_the_same() -> None:
    with ModelServer(always(REPLY), key="k") as server:
        whole = ask(server, "chat/completions").json()
        chunks = heard(ask(server, "chat/completions", stream=True, stream_options={"include_usage": True}))
    message = whole["choices"][0]["message"]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks[:-2]]
    assert "".join(delta.get("content", "") for delta in deltas) == message["content"] == REPLY.text
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == message["reasoning_content"]
    arguments = [c["function"].get("arguments", "") for delta in deltas for c in delta.get("tool_calls", ())]
    assert json.loads("".join(arguments)) == {"command": "ls -l"}
    assert chunks[-2]["usage"] == whole["usage"] and chunks[-1] == "[DONE]"


def test_a_response_and_its_stream_say_the_same() -> None:
    with ModelServer(always(REPLY), key="k") as server:
        whole = ask(server, "responses").json()
        events = heard(ask(server, "responses", stream=True))
    assert [item["type"] for item in whole["output"]] == ["reasoning", "message", "function_call"]
    assert events[-1]["type"] == "response.completed"
    assert json.loads(json.dumps(events[-1]["response"]).replace("_000001", "_000000")) == whole
    said = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
    assert said == REPLY.text


def test_a_message_and_its_stream_say_the_same() -> None:
    with ModelServer(always(REPLY), key="k") as server:
        whole = ask(server, "messages").json()
        events = heard(ask(server, "messages", stream=True))
    assert [block["type"] for block in whole["content"]] == ["thinking", "text", "tool_use"]
    assert whole["usage"]["input_tokens"] == 15 and whole["usage"]["cache_read_input_tokens"] == 5
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert "".join(delta.get("text", "") for delta in deltas) == REPLY.text
    assert json.loads("".join(delta.get("partial_json", "") for delta in deltas)) == {"command": "ls -l"}
    assert events[-1]["type"] == "message_stop" and events[-2]["usage"] == {"output_tokens": 7}


@pytest.mark.parametrize("route", list(ASKED))
@pytest.mark.parametrize("stream", [False, True])
def test_a_cut_connection_is_an_error_at_the_client(route: str, stream: bool) -> None:
    with ModelServer(always(Reply("A long answer " * 20, cut_after=3))) as server, pytest.raises(httpx.TransportError):
        ask(server, route, stream=stream)


def test_errors_and_a_wrong_key_have_the_shape_of_the_protocol() -> None:
    with ModelServer(in_order(Reply(status=429, headers={"retry-after": "1"})), key="k") as server:
        limited = ask(server, "messages")
        done = ask(server, "chat/completions")
        wrong = httpx.post(f"{server.url}/responses", json=ASKED["responses"])
    assert (limited.status_code, limited.headers["retry-after"]) == (429, "1")
    assert limited.json()["error"]["type"] == "rate_limit_error"
    assert (done.status_code, done.json()["error"]["type"]) == (500, "server_error")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (401, "invalid_api_key")
    assert len(server.asked) == 2 and server.served == []


def test_a_script_by_turn_answers_a_conversation() -> None:
    with ModelServer(by_turn(Reply("one"), Reply("two"))) as server:
        said = [{"role": "user", "content": "Go"}]
        for expected in ("one", "one", "two", "two"):
            answer = ask(server, "chat/completions", messages=said).json()["choices"][0]["message"]
            assert answer["content"] == expected
            if len(server.asked) > 1:
                said = [*said, answer, {"role": "user", "content": "And?"}]
    assert server.asked[-1].turn == 2 and server.asked[-1].last == "And?"
