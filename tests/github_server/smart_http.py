"""Git's own protocol over HTTP, answered by git's own program for it."""

from __future__ import annotations

import base64
import gzip
import os
import subprocess

from tests.github_server.exchange import Answer, Request
from tests.github_server.state import Hub


def login(hub: Hub, request: Request) -> str | None:
    """Return who a request of git's is from, by the password it states."""
    kind, _, said = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return None
    return hub.people.get(base64.b64decode(said).decode().partition(":")[2])


def answer(hub: Hub, request: Request) -> Answer:
    """Answer one request of git's: who reads what is public needs no token, who pushes needs one."""
    pushes = "git-receive-pack" in request.path or request.query.get("service") == "git-receive-pack"
    if login(hub, request) is None and (pushes or hub.private or "authorization" in request.headers):
        return Answer(401, b"Authentication required", {"WWW-Authenticate": 'Basic realm="GitHub"'})
    if not request.path.startswith(f"/{request.repository}.git/") and not request.path.startswith(
        f"/{request.repository}/"
    ):
        return Answer(404, b"Repository not found.")
    body = request.body
    if request.headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_PROJECT_ROOT": str(hub.remote.path),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
        "PATH_INFO": "/" + "/".join(request.path.split("/")[3:]),
        "QUERY_STRING": "&".join(f"{key}={value}" for key, value in request.query.items()),
        "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "REMOTE_USER": login(hub, request) or "",
        "REMOTE_ADDR": "127.0.0.1",
    }
    done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=False)
    head, _, data = done.stdout.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
    return Answer(int(fields.pop("Status", "200").split()[0]), data, fields)
