"""What the model is sent: text alone, tools that run where the agent does, nothing that nobody could account for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from argusic.records.configuration import Api, ModelUsed
from argusic.runs.keys.apis.cleaning import NOTE
from argusic.runs.keys.apis.dialect import Refusal
from argusic.runs.keys.apis.registry import DIALECTS
from argusic.runs.keys.preparing import Prepared, prepare
from tests.model_server import Asked, Reply
from tests.runs.keys.gateways import APIS, ROUTES, Make

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
URL = f"data:image/png;base64,{PIXEL}"
SOURCE = {"type": "base64", "media_type": "image/png", "data": PIXEL}

#: For each protocol, messages with images and other parts that are no text, and how many those are.
CONVERSATIONS: dict[Api, tuple[list[dict[str, Any]], int]] = {
    "openai_chat": (
        [
            {"role": "system", "content": "Look"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is this?"},
                    {"type": "image_url", "image_url": {"url": URL}},
                    {"type": "input_audio", "input_audio": {"data": PIXEL, "format": "wav"}},
                    {"type": "file", "file": {"file_data": PIXEL}},
                ],
            },
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {}}]},
            {"role": "tool", "tool_call_id": "c", "content": [{"type": "image_url", "image_url": {"url": URL}}]},
            {"role": "assistant", "content": "Heard", "audio": {"id": "audio_1"}},
        ],
        5,
    ),
    "openai_responses": (
        [
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "?"}, {"type": "input_image", "image_url": URL}],
            },
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_image", "image_url": URL}]},
            {"type": "custom_tool_call_output", "call_id": "d", "output": [{"type": "input_file", "file_id": "f"}]},
            {"type": "image_generation_call", "id": "i", "result": PIXEL},
            {
                "type": "computer_call_output",
                "call_id": "e",
                "output": {"type": "computer_screenshot", "image_url": URL},
            },
            {
                "type": "reasoning",
                "id": "r",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "x",
            },
        ],
        5,
    ),
    "anthropic_messages": (
        [
            {"role": "user", "content": [{"type": "text", "text": "?"}, {"type": "image", "source": SOURCE}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"type": "image"}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t",
                        "content": [{"type": "text", "text": "a picture"}, {"type": "image", "source": SOURCE}],
                    },
                    {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PIXEL}},
                    {"type": "container_upload", "file_id": "f"},
                ],
            },
        ],
        4,
    ),
}


def request(api: Api, **more: Any) -> Prepared:
    field = DIALECTS[api].conversation
    body = {"model": "m", field: [{"role": "user", "content": "Go"}], **more}
    return prepare(DIALECTS[api], ModelUsed(name="m", url="http://h/v1"), ROUTES[api], json.dumps(body).encode())


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [False, True])
def test_no_image_reaches_the_model_and_a_sentence_says_so(api: Api, stream: bool, make: Make) -> None:
    seen: list[Asked] = []

    def note(asked: Asked) -> Reply:
        seen.append(asked)
        return Reply("Fine")

    messages, images = CONVERSATIONS[api]
    made = make(note, api)
    conversation: dict[str, Any] = {DIALECTS[api].conversation: messages}
    assert made.ask(stream=stream, **conversation).status_code == 200
    text = json.dumps(seen[0].body)
    assert PIXEL not in text and "audio_1" not in text
    assert text.count(NOTE) == images - (api == "openai_chat")
    assert len(seen[0].messages) == len(messages)
    made.gateway.close()
    assert made.gateway.use().images_dropped == images
    assert PIXEL not in made.exchanges.read_text()


@pytest.mark.parametrize("api", APIS)
def test_a_conversation_of_text_is_forwarded_as_it_is(api: Api) -> None:
    messages = [message for message in CONVERSATIONS[api][0] if "audio" not in message]
    once = request(api, **{DIALECTS[api].conversation: messages})
    again = request(api, **{DIALECTS[api].conversation: once.body[DIALECTS[api].conversation]})
    assert again.body == once.body and again.dropped.images == 0


TOOLS: dict[Api, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "openai_chat": (
        [{"type": "function", "function": {"name": "f"}}, {"type": "custom", "custom": {"name": "g"}}],
        [{"type": "web_search"}, {"type": "openrouter:web_search"}, {}],
    ),
    "openai_responses": (
        [
            {"type": "function", "name": "f", "parameters": {}},
            {"type": "custom", "name": "apply_patch"},
            {"type": "local_shell"},
            {"type": "shell", "environment": {"type": "local"}},
            {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "g"}]},
        ],
        [
            {"type": "web_search"},
            {"type": "code_interpreter", "container": {"type": "auto"}},
            {"type": "file_search", "vector_store_ids": ["v"]},
            {"type": "mcp", "server_url": "http://h"},
            {"type": "image_generation"},
            {"type": "shell", "environment": {"type": "container_auto"}},
            {"type": "namespace", "name": "n", "tools": [{"type": "web_search"}]},
        ],
    ),
    "anthropic_messages": (
        [
            {"name": "f", "input_schema": {}},
            {"type": "custom", "name": "g", "input_schema": {}},
            {"type": "bash_20250124", "name": "bash"},
            {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        ],
        [
            {"type": "web_search_20250305", "name": "web_search"},
            {"type": "web_fetch_20250910", "name": "web_fetch"},
            {"type": "code_execution_20250825", "name": "code_execution"},
        ],
    ),
}


@pytest.mark.parametrize("api", APIS)
def test_tools_that_the_server_would_run_are_taken_out_and_counted(api: Api) -> None:
    ours, theirs = TOOLS[api]
    made = request(api, tools=[*theirs, *ours], tool_choice="auto")
    assert made.body["tools"] == ours and made.dropped.tools == len(theirs) and made.body["tool_choice"] == "auto"
    none = request(api, tools=theirs, tool_choice="required")
    assert "tools" not in none.body and "tool_choice" not in none.body


NOT_FORWARDED: dict[Api, dict[str, Any]] = {
    "openai_chat": {
        "service_tier": "priority",
        "models": ["dear"],
        "provider": {"order": ["x"]},
        "plugins": [{"id": "web"}],
        "web_search_options": {},
        "modalities": ["audio"],
        "audio": {"voice": "x"},
        "prediction": {"type": "content", "content": "x"},
        "store": True,
        "api_key": "x",
        "user_config": {},
    },
    "openai_responses": {"service_tier": "priority", "store": True, "context_management": [{"type": "compaction"}]},
    "anthropic_messages": {
        "service_tier": "auto",
        "speed": "fast",
        "inference_geo": "us",
        "mcp_servers": [{"url": "http://h"}],
        "container": "c",
        "context_management": {"edits": [{"type": "compact_20260112"}]},
    },
}


@pytest.mark.parametrize("api", APIS)
def test_what_costs_more_than_the_price_list_says_is_not_forwarded(api: Api) -> None:
    body = request(api, **NOT_FORWARDED[api]).body
    assert {name: value for name, value in body.items() if name in NOT_FORWARDED[api]} in ({}, {"store": False})


def test_edits_that_only_take_away_are_forwarded() -> None:
    edits = [{"type": "clear_tool_uses_20250919"}, {"type": "compact_20260112"}]
    body = request("anthropic_messages", context_management={"edits": edits}).body
    assert body["context_management"] == {"edits": edits[:1]}


@pytest.mark.parametrize(
    "more",
    [
        {"previous_response_id": "resp_1"},
        {"conversation": "conv_1"},
        {"prompt": {"id": "pmpt_1"}},
        {"background": True},
        {"input": [{"type": "item_reference", "id": "rs_1"}]},
        {"input": [7]},
        {"input": None},
        {"tools": "x"},
        {"tools": [7]},
    ],
)
def test_what_lies_on_the_server_is_refused_because_nobody_knows_how_long_it_is(more: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        request("openai_responses", **more)
    assert refused.value.reason == "request"


@pytest.mark.parametrize("api", APIS)
def test_the_bound_of_a_prompt_is_its_bytes_and_never_more_than_the_model_reads(api: Api) -> None:
    field = DIALECTS[api].conversation
    short = request(api, **{field: [{"role": "user", "content": "é" * 100}]})
    assert 200 + 4096 < short.prompt < 500 + 4096
    assert request(api, **{field: [{"role": "user", "content": "x" * 100_000}]}).prompt == 32768


@pytest.mark.parametrize("text", ["\ud800", "a\u0000b", "\u2028", "𝄞"])
def test_any_text_that_json_can_say_is_forwarded(text: str) -> None:
    made = request("openai_chat", messages=[{"role": "user", "content": text}])
    assert json.loads(made.data)["messages"][0]["content"] == text
