"""The few endpoints of GitHub that a store needs, in memory, behind a server on the loopback.

An upload that is cut off leaves an unfinished asset under its name, as GitHub's own does. The content of an asset is
handed out at another host name, without asking for a token there.
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.evidence.stores.between import Between

TOKEN = "a-token"


@dataclass
class Hub:
    """A repository with releases."""

    private: bool = True
    immutable: bool = False
    releases: dict[str, int] = field(default_factory=dict)
    assets: dict[int, dict[str, Any]] = field(default_factory=dict)
    content: dict[int, bytes] = field(default_factory=dict)
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    ignores_ranges: bool = False
    tokens_at_content: list[str] = field(default_factory=list)

    def names(self) -> list[str]:
        return [asset["name"] for asset in self.assets.values()]


def handler(hub: Hub, between: Between) -> type[BaseHTTPRequestHandler]:
    """Return what answers for `hub`."""

    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            self.close_connection = True
            between.seen.append((self.command, self.path, dict(self.headers.items())))
            url = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(url.query).items()}
            if match := re.fullmatch(r"/content/(\d+)", url.path):
                return self._content(int(match[1]))
            token = self.headers.get("authorization", "").split(" ")[-1]
            if token not in ("", TOKEN):
                return self._json(401, {"message": "Bad credentials"})
            if hub.private and not token:
                return self._json(404, {"message": "Not Found"})
            path = url.path.removeprefix("/repos/ada/evidence")
            if path == url.path:
                return self._json(404, {"message": "Not Found"})
            return self._repository(path, query, token)

        do_GET = do_POST = do_DELETE = _any

        def _repository(self, path: str, query: dict[str, str], token: str) -> None:
            here = f"http://{self.headers['host']}/repos/ada/evidence"
            if self.command != "GET" and not token:
                return self._json(403, {"message": "Resource not accessible"})
            match self.command, path.strip("/").split("/"):
                case "GET", [""]:
                    return self._json(200, {"url": here, "full_name": "ada/evidence", "private": hub.private})
                case "GET", ["releases"]:
                    return self._page(here, path, query, [self._release(here, tag) for tag in hub.releases])
                case "GET", ["releases", "tags", tag]:
                    known = tag in hub.releases
                    return self._json(*((200, self._release(here, tag)) if known else (404, {"message": "Not Found"})))
                case "POST", ["releases"]:
                    tag = json.loads(self._body())["tag_name"]
                    if tag in hub.releases:
                        return self._json(422, {"message": "Validation Failed", "errors": [{"code": "already_exists"}]})
                    hub.releases[tag] = next(hub.ids)
                    return self._json(201, self._release(here, tag))
                case "GET", ["releases", number, "assets"]:
                    own = [self._asset(here, one) for one in hub.assets.values() if one["release"] == int(number)]
                    return self._page(here, path, query, own)
                case "POST", ["releases", number, "assets"]:
                    return self._upload(here, int(number), query["name"])
                case "GET", ["releases", "assets", number] if int(number) in hub.content:
                    self.send_response(302)
                    port = self.headers["host"].rpartition(":")[2]
                    self.send_header("Location", f"http://localhost:{port}/content/{number}")
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                case "DELETE", ["releases", "assets", number] if int(number) in hub.assets:
                    if hub.immutable:
                        return self._json(422, {"message": "Cannot delete asset from an immutable release"})
                    hub.assets.pop(int(number))
                    hub.content.pop(int(number), None)
                    self.send_response(204)
                    return self.end_headers()
            return self._json(404, {"message": "Not Found"})

        def _upload(self, here: str, release: int, name: str) -> None:
            length = int(self.headers["content-length"])
            if any(one["name"] == name and one["release"] == release for one in hub.assets.values()):
                self._body()
                return self._json(422, {"message": "Validation Failed", "errors": [{"code": "already_exists"}]})
            number = next(hub.ids)
            asset = {"id": number, "name": name, "size": length, "state": "starter", "release": release}
            hub.assets[number] = asset
            body = self._body()
            if len(body) < length:
                return None
            hub.content[number] = body
            asset["state"] = "uploaded"
            return self._json(201, self._asset(here, asset))

        def _content(self, number: int) -> None:
            if token := self.headers.get("authorization"):
                hub.tokens_at_content.append(token)
            data = hub.content.get(number)
            if data is None:
                return self._json(404, {"message": "Not Found"})
            found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("range", ""))
            if found is None or hub.ignores_ranges:
                return self._send(200, data)
            return self._send(206, data[int(found[1]) : int(found[2]) + 1])

        def _release(self, here: str, tag: str) -> dict[str, Any]:
            number = hub.releases[tag]
            url = f"{here}/releases/{number}"
            return {"id": number, "tag_name": tag, "url": url, "upload_url": f"{url}/assets{{?name,label}}"}

        def _asset(self, here: str, asset: dict[str, Any]) -> dict[str, Any]:
            number = asset["id"]
            public = f"{here.replace('/repos/ada/evidence', '')}/content/{number}"
            return {**asset, "url": f"{here}/releases/assets/{number}", "browser_download_url": public}

        def _page(self, here: str, path: str, query: dict[str, str], items: list[Any]) -> None:
            size, number = int(query.get("per_page", "30")), int(query.get("page", "1"))
            more = len(items) > size * number
            link = {"Link": f'<{here}{path}?per_page={size}&page={number + 1}>; rel="next"'} if more else {}
            self._json(200, items[size * (number - 1) : size * number], link)

        def _body(self) -> bytes:
            return self.rfile.read(int(self.headers["content-length"]))

        def _json(self, status: int, data: object, headers: dict[str, str] | None = None) -> None:
            self._send(status, json.dumps(data).encode(), {"Content-Type": "application/json", **(headers or {})})

        def _send(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
