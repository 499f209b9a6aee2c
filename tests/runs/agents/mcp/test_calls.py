"""What a server's tools are called with, and in which order."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.runs.agents.newcomer.mcp.answers import Answer, Judged, Tool, answers, named, shown
from argusic.runs.agents.newcomer.mcp.calls import calls

PLACES = {"folder": "/h/playground", "repository": "/h/playground/repository"}


def tool(name: str, about: str = "", /, **properties: Any) -> Tool:
    shapes = {key: {"type": value} if isinstance(value, str) else value for key, value in properties.items()}
    return Tool(name, about, {"type": "object", "properties": shapes, "required": list(shapes)}, False, False)


def handed(made: Tool) -> Any:
    (call,) = calls((made,), {}, PLACES)
    jsonschema.validate(call.arguments, made.input)
    return call.arguments


def test_what_makes_comes_first_and_what_removes_comes_last() -> None:
    names = ("read_query", "deleteEntities", "git_add", "move_file", "write_query", "create_table", "list-tables")
    made = calls(tuple(tool(name) for name in names), {}, PLACES)
    assert [call.tool for call in made] == [
        *("create_table", "write_query", "git_add", "read_query", "list-tables", "move_file", "deleteEntities"),
    ]


def test_a_tool_is_called_once_and_as_documented_where_that_is_documented() -> None:
    made = calls((tool("a", text="string"), tool("a", text="string")), {"a": {"text": "as shown"}}, PLACES)
    assert [(call.tool, call.arguments) for call in made] == [("a", {"text": "as shown"})]


@pytest.mark.parametrize(
    ("made", "arguments"),
    [
        (
            tool("create_table", "Create a new table", query="string"),
            {"query": "CREATE TABLE albatross (name TEXT, wingspan INTEGER)"},
        ),
        (
            tool("write_query", "Execute an INSERT query", query="string"),
            {"query": "INSERT INTO albatross VALUES ('wandering albatross', 351)"},
        ),
        (tool("read_query", "Execute a SELECT query", query="string"), {"query": "SELECT * FROM albatross"}),
        (tool("search_nodes", "Finds nodes", query="string"), {"query": "albatross"}),
        (
            tool("write_file", "Within directories", path="string", content="string"),
            {"path": "/h/playground/albatross.txt", "content": "The wandering albatross has a wingspan of 351 cm."},
        ),
        (tool("list_directory", "", path="string"), {"path": "/h/playground"}),
        (tool("create_directory", "", path="string"), {"path": "/h/playground/colony"}),
        (
            tool("move_file", "Moves", source="string", destination="string"),
            {"source": "/h/playground/albatross.txt", "destination": "/h/playground/moved-albatross.txt"},
        ),
        (
            tool("git_add", "", repo_path="string", files={"type": "array", "items": {"type": "string"}}),
            {"repo_path": "/h/playground/repository", "files": ["notes.txt"]},
        ),
        (
            tool("now", "", zone={"type": "string", "description": "A zone (e.g., 'Asia/Tokyo', 'Europe/Paris')"}),
            {"zone": "Asia/Tokyo"},
        ),
        (tool("at", "", time={"type": "string", "description": "24-hour format (HH:MM)"}), {"time": "16:30"}),
        (tool("sum", "", a="number", b="integer"), {"a": 351, "b": 351}),
        (tool("wait", "", duration="number", on="boolean"), {"duration": 1, "on": False}),
        (
            tool("few", "", many={"type": "integer", "maximum": 10}, some={"type": "integer", "minimum": 500}),
            {"many": 10, "some": 500},
        ),
        (
            tool("choose", "", of={"enum": ["tern", "gull"]}, by={"const": 7}, to={"type": "string", "default": "d"}),
            {"of": "tern", "by": 7, "to": "d"},
        ),
        (
            tool(
                "either", "", one={"anyOf": [{"type": "null"}, {"type": "integer"}]}, two={"type": ["null", "string"]}
            ),
            {"one": 351, "two": "albatross"},
        ),
        (tool("short", "", name={"type": "string", "maxLength": 4}), {"name": "alba"}),
    ],
)
def test_arguments_follow_from_the_schema_and_from_what_is_known(made: Tool, arguments: dict[str, Any]) -> None:
    assert handed(made) == arguments


def test_references_and_nested_objects_are_followed() -> None:
    schema = {
        "type": "object",
        "required": ["birds"],
        "properties": {"birds": {"type": "array", "items": {"$ref": "#/$defs/Bird"}}},
        "$defs": {"Bird": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
    }
    assert handed(Tool("create_birds", "", schema, False, False)) == {"birds": [{"name": "albatross"}]}


words = ("type", "properties", "required", "items", "enum", "minimum", "maximum", "minItems", "$ref", "anyOf", "a")
keys = st.sampled_from([*words, "default", "description", "maxLength", "format", "query"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(keys, json_values, max_size=6))
@settings(max_examples=40, deadline=None)
def test_whatever_a_schema_holds_a_call_comes_of_it(schema: dict[str, Any]) -> None:
    (call,) = calls((Tool("any", "", schema, False, False),), {}, PLACES)
    json.dumps(call.arguments)


def test_a_schema_that_refers_to_itself_a_hundred_times_over_takes_no_time() -> None:
    wide = {f"p{number}": {"$ref": "#"} for number in range(100)}
    (call,) = calls((Tool("wide", "", {"properties": wide, "required": list(wide)}, False, False),), {}, PLACES)
    assert len(json.dumps(call.arguments)) < 10_000


def test_what_is_no_line_of_the_probe_says_nothing() -> None:
    assert shown("") is None and shown("server: [1]\n tool: {}") is None and shown("server: {") is None
    found = shown(
        'noise\nserver: {"name": "x\\u001b[2J", "protocol": null}\ntool: {"name": 3, "input": []}\nleft out: 7\n'
    )
    assert found is not None and (found.server, found.left_out, len(found.tools)) == ("x [2J", 7, 1)
    assert answers('answer: {"tool": "a", "came_out": 3}\nanswer: nonsense\n') == (Answer("a", ""),)


def test_only_answers_that_were_compared_and_agreed_verify() -> None:
    plain = Answer("a", "answered", says="done")
    assert not Judged((plain,)).verified
    assert not Judged((Answer("a", "error", came_out=("albatross",)),)).verified
    assert Judged((plain, Answer("b", "answered", came_out=("albatross",)))).verified
    assert Judged((Answer("b", "answered", valid=True), Answer("c", "error", says="fetch failed"))).verified
    assert not Judged((Answer("b", "answered", valid=True), Answer("c", "contradicts"))).verified


def test_a_name_in_a_sentence_is_plain_and_short() -> None:
    assert named("read_file") == "`read_file`"
    assert named("`x`\n'; rm -rf ~ <b>\u202e") == "`?x?????rm?-rf????b??`"
    assert len(named("a" * 500)) == 62
