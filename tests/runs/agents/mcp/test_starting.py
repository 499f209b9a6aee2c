"""How a documented server is started: what documents write, and what becomes of it on this machine."""

from __future__ import annotations

import json

import pytest

from argusic.runs.agents.newcomer.blocks import blocks
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.mcp.configured import Entry, entries, loosely, objects
from argusic.runs.agents.newcomer.mcp.starting import Launch, Places, launches

PLACES = Places("/h/playground", "/h/playground/repository")
PYTHON = Installed("", "~", "~", programs=("mcp-birds",), modules=("mcp_birds",))
NODE = Installed("", "~", "~", programs=("birds-server",), packages=("@flock/birds",))


def started(document: str, installed: Installed = PYTHON, transport: str = "stdio") -> list[str]:
    return [launch.line for launch in launches(entries(blocks(document)), installed, PLACES, transport)]


def configured(command: str, *args: str) -> str:
    return f"```json\n{json.dumps({'mcpServers': {'birds': {'command': command, 'args': args}}})}\n```\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("uvx", "mcp-birds"), "mcp-birds"),
        (("uvx", "mcp-birds@latest", "--fast"), "mcp-birds --fast"),
        (("uvx", "--from", "git+https://host.invalid/x", "mcp-birds"), "mcp-birds"),
        (
            ("uv", "--directory", "/somewhere/of/mine", "run", "mcp-birds", "--db", "~/test.db"),
            "mcp-birds --db /h/playground/test.db",
        ),
        (("uv", "tool", "run", "mcp-birds"), "mcp-birds"),
        (("pipx", "run", "mcp-birds"), "mcp-birds"),
        (
            ("python", "-m", "mcp_birds", "--repository", "path/to/git/repo"),
            "python -m mcp_birds --repository /h/playground/repository",
        ),
        (("/usr/local/bin/mcp-birds", "--store=/var/lib/birds.json"), "mcp-birds --store=/h/playground/birds.json"),
        (
            ("docker", "run", "-i", "--rm", "-v", "x:/data", "--mount=type=bind", "birds/mcp", "--db", "/data/b.db"),
            "mcp-birds --db /h/playground/b.db",
        ),
        (("mcp-birds", "--at", "https://host.invalid/api"), "mcp-birds --at https://host.invalid/api"),
    ],
)
def test_what_documents_write_becomes_a_command_of_this_machine(words: tuple[str, ...], line: str) -> None:
    assert started(configured(*words)) == [line]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("npx", "-y", "@flock/birds"), "birds-server"),
        (("npx", "-y", "@flock/birds@1.2.3", "/Users/you/Desktop", "/path/to/other"), "birds-server /h/playground"),
        (("cmd", "/c", "npx", "-y", "@flock/birds"), "birds-server"),
        (("node", "/path/to/birds/dist/index.js", "--quick"), "birds-server --quick"),
        (("bunx", "@flock/birds"), "birds-server"),
        (("pnpm", "dlx", "@flock/birds", "${workspaceFolder}"), "birds-server /h/playground"),
    ],
)
def test_and_so_does_what_documents_of_node_write(words: tuple[str, ...], line: str) -> None:
    assert started(configured(*words), NODE) == [line]


@pytest.mark.parametrize(
    "words",
    [
        ("npx", "@modelcontextprotocol/inspector", "uvx", "mcp-birds"),
        ("python", "-m", "pip"),
        ("pip", "install", "mcp-birds"),
        ("npm", "run", "start"),
        ("uv", "sync"),
        ("uvx",),
        ("docker", "build", "-t", "x", "."),
        ("",),
    ],
)
def test_what_starts_something_else_is_left_alone_and_the_own_program_is_tried(words: tuple[str, ...]) -> None:
    assert started(configured(*words)) == ["mcp-birds"]
    assert launches((Entry(words),), PYTHON, PLACES, "stdio")[0].documented == ""


def test_containers_come_last_and_nothing_comes_twice() -> None:
    document = (
        configured("docker", "run", "-i", "-e", "DEPTH=3", "birds", "/data")
        + configured("uvx", "mcp-birds", "/data/x")
        + "```shell\nmcp-birds /path/to/dir\n```\n"
        + configured("uvx", "mcp-birds")
    )
    assert started(document) == ["mcp-birds /h/playground", "mcp-birds"]


def test_json_is_read_as_people_write_it() -> None:
    fragment = '# Add this\n"mcpServers": {\n  "birds": {"command": "uvx", "args": ["mcp-birds",],},\n},'
    assert [one.get("command") for one in objects(loosely(fragment)) if "command" in one] == ["uvx"]
    older = '{"context_servers": {"x": {"command": {"path": "uvx", "args": ["mcp-birds"], "env": {"A": "1"}}}}}'
    found = launches(entries(blocks(f"```json\n{older}\n```")), PYTHON, PLACES, "stdio")
    assert found == (Launch(("mcp-birds",), "stdio", {"A": "1"}, "uvx mcp-birds"),)
    for nothing in ("", "{", "[" * 100_000, '{"a": }', "curl x", '"' * 9):
        assert loosely(nothing) is None


def test_what_a_user_is_asked_for_is_filled_by_its_default_or_by_what_it_is() -> None:
    asking = {
        "inputs": [
            {"type": "promptString", "id": "db", "description": "Path", "default": "${workspaceFolder}/b.sqlite"},
            {"type": "promptString", "id": "key", "description": "Your key"},
        ],
        "servers": {"x": {"command": "uvx", "args": ["mcp-birds", "--db", "${input:db}", "${input:key}"]}},
    }
    document = f"```json\n{json.dumps({'mcp': asking})}\n```"
    assert started(document) == ["mcp-birds --db /h/playground/b.sqlite '<key Your key>'"]


def test_a_transport_has_its_own_commands() -> None:
    document = (
        configured("npx", "-y", "@flock/birds")
        + "```shell\nnpx @flock/birds sse\n```\n\n```shell\nnpx @flock/birds streamableHttp\n```\n"
    )
    assert started(document, NODE) == ["birds-server"]
    assert started(document, NODE, "sse") == ["birds-server sse"]
    assert started(document, NODE, "streamable-http") == ["birds-server streamableHttp"]


def test_hostile_configurations_do_no_harm() -> None:
    odd = {"command": "mcp-birds", "args": ["$(reboot)", 7, None, {"a": []}], "env": {"A;B": "x", "C": "`reboot`"}}
    found = launches(entries(blocks(f"```json\n{json.dumps({'x': odd})}\n```")), PYTHON, PLACES, "stdio")
    assert found[0].line == "mcp-birds '$(reboot)' 7 None '{'\"'\"'a'\"'\"': []}'"
    assert found[0].assignments == "C='`reboot`' "
    deep = "[" * 5_000 + "]" * 5_000
    assert entries(blocks(f"```json\n{deep}\n```")) == ()
    for args in ("--x", {"a": 1}, None):
        assert started(f"```json\n{json.dumps({'x': {'command': 'mcp-birds', 'args': args}})}\n```") == ["mcp-birds"]
