"""How the hub of the tests' own answers."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tests.hub_server.state import LARGE, Content, Fault, Repository, blob_of, read, sha256_of, size_of

if TYPE_CHECKING:
    from tests.hub_server.server import HubServer

_KINDS = {"models": "model", "spaces": "space"}


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"

    @property
    def hub(self) -> HubServer:
        """The hub."""
        hub: HubServer = self.server.hub  # type: ignore[attr-defined]
        return hub

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: `asked` has it."""

    def do_HEAD(self) -> None:
        self._go()

    def do_GET(self) -> None:
        self._go()

    def do_POST(self) -> None:
        self.close_connection = True
        self._go()

    def _go(self) -> None:
        path = urlsplit(self.path).path
        self.hub.asked.append(f"{self.command} {self.path}")
        self.hub.agents.add(self.headers.get("User-Agent", ""))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token:
            self.hub.tokens_seen.add(token)
        fault = next((one for one in self.hub.faults if one.strikes(self.command, path)), None)
        match fault and fault.does:
            case "status":
                assert fault is not None
                self._json({"error": "down"}, fault.status, {"Retry-After": "120"})
            case "stall":
                self.hub.over.wait(60)
                self.close_connection = True
            case "onwards":
                assert fault is not None
                self._head(302, {"Location": fault.location.replace("{path}", path), "Content-Length": "0"})
            case "nonsense":
                self._send(200, b"<html>no such thing</html>", {"Content-Type": "application/json"}, None)
            case _:
                self._answer([unquote(part) for part in path.strip("/").split("/")], token, fault)

    def _answer(self, parts: list[str], token: str, fault: Fault | None) -> None:
        match parts:
            case ["api", kinds, owner, name, *rest] if kinds in _KINDS:
                where, act = (_KINDS[kinds], f"{owner}/{name}"), rest
            case ["spaces", owner, name, "resolve", *rest]:
                where, act = ("space", f"{owner}/{name}"), ["resolve", *rest]
            case [owner, name, "resolve", *rest]:
                where, act = ("model", f"{owner}/{name}"), ["resolve", *rest]
            case _:
                return self._missing("EntryNotFound")
        repository = self.hub.repositories.get(where)
        let_in = token in self.hub.tokens
        if repository is None or (repository.private and not let_in):
            # A hub does not tell strangers whether there is one.
            status = 401 if repository is not None or not let_in else 404
            return self._json({"error": "Repository not found"}, status, {"X-Error-Code": "RepoNotFound"})
        named = act[1] if len(act) > 1 else "main"
        revision = repository.revision(named)
        if revision is None:
            return self._missing("RevisionNotFound")
        if act[:1] in ([], ["revision"]):
            return self._json(_info(where, repository, revision, fault), 200, {})
        if repository.gated and not let_in:
            status = 403 if token else 401
            return self._json({"error": "Access is restricted"}, status, {"X-Error-Code": "GatedRepo"})
        files = repository.revisions[revision]
        if act[0] == "tree":
            below = "".join(f"{part}/" for part in act[2:])
            listing = [_entry(path, files[path]) for path in sorted(files) if path.startswith(below)]
            return self._json(listing, 200, {}) if listing else self._missing("EntryNotFound")
        path = "/".join(act[2:])
        if path not in files:
            return self._missing("EntryNotFound", {"X-Repo-Commit": revision})
        self._file(files[path], _another(revision) if fault and fault.does == "another" else revision, fault)

    def _file(self, content: Content, revision: str, fault: Fault | None) -> None:
        data, size = read(content), size_of(content)
        etag = sha256_of(content) if size >= LARGE else blob_of(content)
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": revision, "Accept-Ranges": "bytes"}
        if size >= LARGE:
            headers |= {"X-Linked-ETag": f'"{etag}"', "X-Linked-Size": str(size)}
        status, asked = 200, self.headers.get("Range", "")
        if asked.startswith("bytes="):
            first, _, last = asked.removeprefix("bytes=").partition("-")
            begin, end = int(first), int(last) if last else size - 1
            status, data = 206, data[begin : end + 1]
            headers["Content-Range"] = f"bytes {begin}-{end}/{size}"
        self._send(status, data, headers, fault)

    def _missing(self, code: str, headers: dict[str, str] | None = None) -> None:
        self._json({"error": code}, 404, {"X-Error-Code": code, "X-Error-Message": code, **(headers or {})})

    def _json(self, says: object, status: int, headers: dict[str, str]) -> None:
        self._send(status, json.dumps(says).encode(), {"Content-Type": "application/json", **headers}, None)

    def _send(self, status: int, data: bytes, headers: dict[str, str], fault: Fault | None) -> None:
        does = fault.does if fault is not None else None
        if does == "packed":
            headers = {**headers, "Content-Encoding": "gzip"}
        if does == "more":
            self._head(status, {**headers, "Transfer-Encoding": "chunked"})
        else:
            self._head(status, {**headers, "Content-Length": str(len(data))})
        if self.command == "HEAD":
            return
        try:
            match does:
                case "cut":
                    self.wfile.write(data[: len(data) // 2])
                    self.close_connection = True
                case "wrong":
                    self.wfile.write(bytes(byte ^ 1 for byte in data))
                case "more":
                    piece = b"x" * 65536
                    while not self.hub.over.is_set():
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                case "trickle":
                    for byte in data:
                        self.wfile.write(bytes([byte]))
                        if self.hub.over.wait(0.2):
                            break
                    self.close_connection = True
                case _:
                    self.wfile.write(data)
        except OSError:
            self.close_connection = True

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def _info(where: tuple[str, str], repository: Repository, revision: str, fault: Fault | None) -> dict[str, Any]:
    files = repository.revisions[revision]
    return {
        "_id": "0" * 24,
        "id": where[1],
        "modelId": where[1],
        "sha": _another(revision) if fault is not None and fault.does == "another" else revision,
        "private": repository.private,
        "gated": "manual" if repository.gated else False,
        "disabled": False,
        "tags": [],
        "downloads": 0,
        "likes": 0,
        "cardData": repository.card,
        "siblings": [{"rfilename": path} for path in sorted(files)],
    }


def _entry(path: str, content: Content) -> dict[str, Any]:
    size = size_of(content)
    entry: dict[str, Any] = {"type": "file", "path": path, "size": size, "oid": blob_of(content)}
    if size >= LARGE:
        entry["lfs"] = {"oid": sha256_of(content), "size": size, "pointerSize": 134}
    return entry


def _another(revision: str) -> str:
    return revision[::-1] if revision[::-1] != revision else "0" * 40
