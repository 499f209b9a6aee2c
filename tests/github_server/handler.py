"""Reads requests off the socket, knows who asks and how often, lets go wrong what is to go wrong, and sends answers."""

from __future__ import annotations

from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from tests.github_server import actions, admin, issues, pulls, releases, smart_http
from tests.github_server.exchange import NOTHING, Answer, Request, missing, person, refused, told
from tests.github_server.state import Hub


def handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    """Return what answers for a repository."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            self.close_connection = True
            request = self._request()
            if request.path.startswith("/_admin"):
                with hub.lock:
                    return self._send(admin.answer(hub, request))
            with hub.lock:
                hub.requests.append((self.command, self.path))
                fault = hub.fault(self.command, self.path)
            if fault is None:
                return self._send(answer(hub, request))
            if fault.kind == "refuse":
                return None
            if fault.kind == "answer":
                return self._send(refused(fault.status, fault.message), fault.headers)
            done = answer(hub, request)
            if fault.kind == "late":
                return self._send(refused(fault.status, fault.message), fault.headers)
            return self._send(done, cut=True)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _any

        def _request(self) -> Request:
            url = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            length = int(headers.get("content-length") or 0)
            body = self._pieces() if headers.get("transfer-encoding") == "chunked" else self.rfile.read(length)
            query = {key: values[0] for key, values in parse_qs(url.query, keep_blank_values=True).items()}
            prefix = f"/repos/{hub.repository}"
            inside = url.path == prefix or url.path.startswith(f"{prefix}/")
            parts = tuple(url.path.removeprefix(prefix).strip("/").split("/")) if inside else ("outside",)
            base = f"http://{headers['host']}"
            return Request(self.command, url.path, parts, query, headers, body, length, base, hub.repository, None)

        def _pieces(self) -> bytes:
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _send(self, done: Answer, more: dict[str, str] | None = None, *, cut: bool = False) -> None:
            if done is NOTHING:
                return
            self.send_response(done.status)
            for name, value in {**_limits(hub), **done.headers, **(more or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(done.body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(done.body[: len(done.body) // 2] if cut else done.body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def answer(hub: Hub, request: Request) -> Answer:
    """Answer one request."""
    if request.path.startswith("/content/"):
        return _content(hub, request)
    if request.path.endswith(("/info/refs", "/git-upload-pack", "/git-receive-pack")):
        return smart_http.answer(hub, request)
    said = request.headers.get("authorization", "").split(" ")[-1]
    if said and said not in hub.people:
        return refused(401, "Bad credentials")
    asking = replace(request, login=hub.people.get(said))
    with hub.lock:
        if len(hub.requests) > hub.allowance:
            return refused(403, "API rate limit exceeded for installation ID 1.")
        if request.path == "/user":
            return _self(asking)
        if request.parts == ("outside",) or (hub.private and asking.login is None):
            return missing()
        if request.method != "GET" and asking.login is None:
            return refused(403, "Resource not accessible")
        return _of_the_repository(hub, asking)


def _of_the_repository(hub: Hub, request: Request) -> Answer:
    if request.parts == ("",):
        owner, _, name = hub.repository.partition("/")
        shown = {"id": 1, "name": name, "full_name": hub.repository, "url": request.here, "private": hub.private}
        licence = None if hub.licence is None else {"key": hub.licence.lower(), "spdx_id": hub.licence}
        reported = {"size": hub.size_kb, "license": licence, "language": hub.language}
        return told(200, {**shown, **reported, "default_branch": "main", "owner": person(request, owner)})
    answers = (issues.answer, pulls.answer, actions.answer, releases.answer)
    found = (answer(hub, request) for answer in answers)
    return next((one for one in found if one is not None), missing())


def _self(request: Request) -> Answer:
    if request.login is None:
        return refused(401, "Requires authentication")
    if request.login.endswith("[bot]"):
        return refused(403, "Resource not accessible by integration")
    return told(200, person(request, request.login))


def _content(hub: Hub, request: Request) -> Answer:
    if token := request.headers.get("authorization"):
        hub.tokens_at_content.append(token)
    kind, _, number = request.path.removeprefix("/content/").rpartition("/")
    return actions.content(hub, int(number)) if kind == "artifacts" else releases.content(hub, request, int(number))


def _limits(hub: Hub) -> dict[str, str]:
    left = max(0, hub.allowance - len(hub.requests))
    return {
        "X-RateLimit-Limit": str(hub.allowance),
        "X-RateLimit-Remaining": str(left),
        "X-RateLimit-Reset": str(hub.resets),
    }
