"""The newcomer's probe of an MCP server: it connects with the official client and writes down what it is shown.

It runs inside the sandbox, in the client's own environment, and is sent there as it is here. What it prints is lines of
JSON after a word each, so that nothing that a server says can be taken for a line of the probe's own:

    server: {...}   who answered, and by which version of the protocol
    tool: {...}     one tool that it advertises, cut to what fits
    left out: N     tools that were not written down
    answer: {...}   what a call came to
        ...         the end of what the server wrote beside the protocol, where connecting failed

Usage: probe.py [--transport stdio|sse|streamable-http] [--seconds N] [--env NAME=VALUE]... [--url URL]
                tools|CALLS.json [COMMAND ...]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import re
import resource
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jsonschema import ValidationError
from jsonschema.validators import validator_for
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

#: Calls are made for so long, and each of them may take a part of what connecting may take.
CALLING_SECONDS, CALL_PART = 150, 0.4
#: Tools that do not answer, after which no more are called.
SILENT = 3
#: What is read of a list of tools that never ends.
PAGES, MANY = 50, 1_000
TOOLS, TOOL_CHARS, ALL_CHARS, ANSWER_CHARS, STDERR_BYTES = 60, 3_000, 30_000, 400, 4_000
#: The most memory that the client may take for what a server sends.
MEMORY = 3_000_000_000
#: What a server gets of this machine's environment: the way out, without which it reaches no network.
WAY_OUT = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_USE_ENV_PROXY")
CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
REGISTRY = re.compile(r"[^\s()<>\"]*(npmjs|pypi|pythonhosted|debian|crates|rubygems)[.a-z-]*\.(org|com|io)[^\s()<>\"]*")
#: What a text quotes, and figures in it: a statement's values come out again where the statement does not.
QUOTED = re.compile(r"'([^']{3,60})'|(?<![\w.])(\d{3,9})(?![\w.])")


def say(word: str, value: object) -> None:
    """Print one line of JSON after a word."""
    print(f"{word}: {json.dumps(value)}", flush=True)


def cut(text: str, limit: int) -> str:
    """Return a text no longer than `limit`, without the addresses of package registries."""
    text = REGISTRY.sub("(a registry)", text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


class Tail:
    """The end of what is written into a pipe, however much that is."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        self.file = os.fdopen(writing, "w")
        self._kept = b""
        self._thread = threading.Thread(target=self._read, args=(reading,), daemon=True)
        self._thread.start()

    def _read(self, reading: int) -> None:
        while piece := os.read(reading, 65_536):
            self._kept = (self._kept + piece)[-STDERR_BYTES:]

    def show(self) -> None:
        """Print the end of what was written."""
        self.file.close()
        self._thread.join(3)
        for line in self._kept.decode("utf-8", "replace").splitlines():
            print("   ", cut("".join(c if c.isprintable() else " " for c in line), 300))


@asynccontextmanager
async def connected(given: argparse.Namespace, tail: Tail) -> AsyncIterator[Client]:
    """Start the server, or reach it at its address, and greet it."""
    if given.transport == "stdio":
        around = {name: os.environ[name] for name in (*WAY_OUT, *CERTIFICATES) if name in os.environ}
        env = {**around, **dict(pair.split("=", 1) for pair in given.env)}
        parameters = StdioServerParameters(command=given.command[0], args=given.command[1:], env=env)
        transport = stdio_client(parameters, errlog=tail.file)
    elif given.transport == "sse":
        transport = sse_client(given.url)
    else:
        transport = streamable_http_client(given.url)
    async with Client(bounded(transport), read_timeout_seconds=given.seconds) as client:
        yield client


@asynccontextmanager
async def bounded(transport: Any) -> AsyncIterator[Any]:
    """Enter a transport; from then on this process is held to its memory, and the server that it started is not."""
    async with transport as streams:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        yield streams


async def advertised(client: Client) -> list[Any]:
    """Return the tools of all pages, up to a bound."""
    found: list[Any] = []
    cursor = None
    for _ in range(PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor or len(found) >= MANY:
            break
    return found


def write_down(tools: list[Any]) -> None:
    """Print the tools, as many as there is room for."""
    room = ALL_CHARS
    for number, tool in enumerate(tools):
        line = {
            "name": cut(tool.name, 128),
            "about": cut(tool.description or "", 300),
            "input": tool.input_schema,
            "output": tool.output_schema is not None,
            "task": getattr(tool.execution, "task_support", None) == "required",
        }
        if len(json.dumps(line)) > TOOL_CHARS:
            line["input"] = {"required": (tool.input_schema or {}).get("required", []), "properties": {}, "cut": True}
        room -= len(json.dumps(line))
        if number == TOOLS or room < 0:
            say("left out", len(tools) - number)
            return
        say("tool", line)


async def call(client: Client, tool: Any, arguments: dict[str, Any], put: list[str], seconds: float) -> dict[str, Any]:
    """Call one tool and return what came of it; `put` is what went into earlier calls."""
    try:
        validator_for(tool.input_schema)(tool.input_schema).validate(arguments)
    except ValidationError as error:
        return {"end": "unfit", "says": cut(error.message, 200)}
    except Exception as error:
        return {"end": "unfit", "says": cut(f"its schema cannot be used: {error}", 200)}
    try:
        async with asyncio.timeout(seconds + 1):
            result = await client.call_tool(tool.name, arguments, read_timeout_seconds=seconds)
    except TimeoutError:
        return {"end": "silent"}
    except RuntimeError as error:
        # The client's own word on an answer that is not what the tool's output schema declares.
        return {"end": "contradicts", "says": cut(str(error), 300)}
    except Exception as error:
        late = "timed out" in str(error).lower()
        gone = "closed" in str(error).lower()
        return {"end": "silent" if late else "gone" if gone else "refused", "says": cut(str(error), 300)}
    texts = [getattr(part, "text", None) or f"<{part.type}>" for part in result.content]
    structured = json.dumps(result.structured_content) if result.structured_content is not None else ""
    whole = "\n".join([*texts, json.dumps(result.structured_content, ensure_ascii=False)])
    own = dict.fromkeys(given_in(arguments))
    return {
        "end": "error" if result.is_error else "answered",
        "valid": bool(structured and tool.output_schema and not result.is_error),
        "came_out": [given for given in own if given in whole],
        "came_back": [given for given in dict.fromkeys(put) if given not in own and given in whole][:5],
        "says": cut(structured or "\n".join(texts), ANSWER_CHARS),
    }


def given_in(value: Any) -> list[str]:
    """Return the texts and numbers of arguments that can be recognised when they come out again."""
    if isinstance(value, dict):
        return [text for one in value.values() for text in given_in(one)]
    if isinstance(value, list):
        return [text for one in value for text in given_in(one)]
    if isinstance(value, bool) or value is None:
        return []
    inner = [part for parts in QUOTED.findall(value) for part in parts] if isinstance(value, str) else []
    return [text for text in (str(value), *inner) if len(text) >= 3]


async def probe(given: argparse.Namespace, tail: Tail) -> None:
    """Connect, and print the tools or make the calls."""
    async with asyncio.timeout(given.seconds + CALLING_SECONDS + 30):
        async with asyncio.timeout(given.seconds) as greeting, connected(given, tail) as client:
            server = client.server_info
            name, version = (server.name, server.version) if server else ("", "")
            say("server", {"name": cut(name, 80), "version": cut(version, 80), "protocol": client.protocol_version})
            tools = await advertised(client)
            greeting.reschedule(None)
            greeting_over = asyncio.get_running_loop().time()
            if given.what == "tools":
                write_down(tools)
                return
            known = {tool.name: tool for tool in tools}
            put: list[str] = []
            silent = 0
            for one in json.loads(Path(given.what).read_text(encoding="utf-8")):
                if silent == SILENT or greeting_over + CALLING_SECONDS < asyncio.get_running_loop().time():
                    return
                tool = known.get(one["tool"])
                came = (
                    {"end": "gone"}
                    if tool is None
                    else await call(client, tool, one["arguments"], put, given.seconds * CALL_PART)
                )
                say("answer", {**one, **came})
                put += given_in(one["arguments"]) if came["end"] == "answered" else []
                silent += came["end"] == "silent"


def main() -> int:
    """Do what the command line says; return 0 where the server could be spoken to."""
    reading = argparse.ArgumentParser()
    reading.add_argument("what")
    reading.add_argument("--transport", default="stdio")
    reading.add_argument("--seconds", type=float, default=45)
    reading.add_argument("--env", action="append", default=[])
    reading.add_argument("--url")
    reading.add_argument("command", nargs=argparse.REMAINDER)
    given = reading.parse_args()
    logging.disable(logging.CRITICAL)
    tail = Tail()
    try:
        asyncio.run(probe(given, tail))
    except BaseException as error:
        tail.show()
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        late = isinstance(error, TimeoutError)
        print("it did not answer in time" if late else f"{type(error).__name__}: {cut(str(error), 300)}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
