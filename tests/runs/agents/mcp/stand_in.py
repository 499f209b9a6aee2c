"""An MCP server of the tests' own, in the standard library alone: it speaks the protocol's JSON-RPC, well or badly.

Usage: stand_in.py MODE, over its pipes; with --port N over streamable HTTP, where a session's messages are posted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
COUNT = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
#: Names and words that would do harm where they were taken for more than names and words.
BREAKS_OUT = 'x\'; touch ~/broken-out; echo "$(touch ~/broken-out)"`touch ~/broken-out`\nEND\nanswer: {}'
MARKUP = '</code><script>alert(1)</script>\x1b[2J\u202e" installed: true'

kept: list[str] = []


def tool(
    name: str, about: str, takes: dict[str, Any], gives: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "description": about,
        "inputSchema": takes,
        **({"outputSchema": gives} if gives else {}),
        **more,
    }


NOTES = [
    tool("read_notes", "Reads the notes", NOTHING),
    tool("add_note", "Adds a note", TEXT),
    tool("count_notes", "Counts the notes", NOTHING, COUNT),
]
OPEN = {"type": "object", "required": ["'; rm"], "properties": {"'; rm": {"default": BREAKS_OUT}}}
ODD = [
    tool(BREAKS_OUT, MARKUP, OPEN),
    tool("loops", "Refers to itself", {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}),
    tool("nowhere", "Refers to nothing", {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/x/y"}}}),
    tool("infinite", "Has odd figures", {**COUNT, "properties": {"count": {"type": "integer", "minimum": 1e400}}}),
    tool("picky", "Matches for ever", {**TEXT, "properties": {"text": {"pattern": "(a+)+$", "type": "string"}}}),
]
#: What the protocol does not allow: the client itself refuses it.
MALFORMED = [{"name": "no_schema", "inputSchema": {"type": "object", "properties": 7, "required": "all"}}]
TASK = [tool("research", "Takes long", TEXT, execution={"taskSupport": "required"})]
TOOLS: dict[str, list[dict[str, Any]]] = {
    "breaks": [*NOTES, tool("delete_notes", "Takes the server down", NOTHING), tool("drop_notes", "Too late", NOTHING)],
    "odd": [*NOTES, *ODD],
    "thousand": [tool(f"tool_{number}", "One of many. " * 40, TEXT) for number in range(1000)],
    "only_tasks": TASK,
    "malformed": MALFORMED,
    "some": [*NOTES, *TASK, tool("waits", "Never answers", NOTHING), tool("fetch_page", "Fetches a page", NOTHING)],
}


def called(mode: str, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a tool answers; None where it never does."""
    structured = None
    text = "done"
    if name == "add_note":
        kept.append(str(arguments.get("text")))
    elif name == "read_notes":
        text = json.dumps(kept)
    elif name == "count_notes":
        structured = {"count": "many" if mode == "breaks" else len(kept)}
        text = json.dumps(structured)
    elif name == "waits":
        return None
    elif name == "fetch_page":
        return {"content": [{"type": "text", "text": "fetch failed: getaddrinfo ENOTFOUND"}], "isError": True}
    elif name == BREAKS_OUT:
        text = f"answer: {{}}\nEND\n{MARKUP}"
    elif name.startswith("tool_"):
        text = f"{name} was given {arguments.get('text')}"
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False}
    return {**result, **({"structuredContent": structured} if structured else {})}


def answer(mode: str, message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the answer to a message; None for a notification, and where there never is one."""
    if "id" not in message:
        return None
    head = {"jsonrpc": "2.0", "id": message["id"]}
    match message.get("method"):
        case "initialize":
            result: dict[str, Any] | None = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": MARKUP if mode == "odd" else "stand-in", "version": "1.0"},
            }
        case "tools/list":
            result = {"tools": TOOLS.get(mode, NOTES)}
            if mode == "thousand":  # Its list never ends either.
                result["nextCursor"] = "more"
        case "tools/call":
            result = called(mode, message["params"]["name"], message["params"].get("arguments") or {})
        case "ping":
            result = {}
        case _:
            return {**head, "error": {"code": -32601, "message": "Method not found"}}
    return None if result is None else {**head, "result": result}


def over_pipes(mode: str) -> None:
    if mode == "never":
        time.sleep(600)
    for line in sys.stdin:
        message = json.loads(line)
        if mode == "garbage":
            os.write(1, b"\x00\xff\x1b[2J{]\n" * 50 + b'{"jsonrpc": "2.0", "id": "?", "result": [[[[\n')
            continue
        if mode == "floods":
            while True:
                os.write(
                    1, b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info"}}\n' * 500
                )
                os.write(2, b"noise " * 5_000)
        if mode == "endless_line":
            while True:
                os.write(1, b"x" * 65_536)
        if message.get("params", {}).get("name") == "delete_notes":
            sys.exit("Segmentation fault, or so")
        found = answer(mode, message)
        if found is not None:
            sys.stdout.write(json.dumps(found) + "\n")
            sys.stdout.flush()


class Posted(BaseHTTPRequestHandler):
    """Streamable HTTP: one message a request, one JSON document in answer."""

    mode = "notes"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/mcp":
            self.send_error(404)
            return
        found = answer(self.mode, message)
        body = json.dumps(found).encode() if found else b""
        self.send_response(200 if found else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_error(405)

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    if "--port" in sys.argv:
        Posted.mode = sys.argv[1]
        server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Posted)
        print(f"listening on {server.server_address[1]}", flush=True)
        server.serve_forever()
    over_pipes(sys.argv[1] if len(sys.argv) > 1 else "notes")
