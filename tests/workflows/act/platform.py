"""The stand-in for GitHub, told what each token may do: a job whose `permissions` lack something is refused."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

from tests.github_server import GitHubServer
from tests.github_server.exchange import refused
from tests.github_server.handler import handler
from tests.workflows.act.preparing import Granted

#: Who a job's token speaks for.
ROBOT = "github-actions[bot]"
#: The machine's own token: actions use another one for artifacts than the job's.
RUNTIME = "token-of-the-machine"

_WRITES = ("POST", "PATCH", "PUT", "DELETE")


class Platform(GitHubServer):
    """A public repository on GitHub whose jobs may do what their `permissions` say."""

    def __init__(self, remote: Path, folder: Path, repository: str) -> None:
        super().__init__(remote, folder, repository=repository)
        self.hub.private = False
        self.hub.allowance = 100_000
        self.before_push: Callable[[], object] | None = None
        self.granted: dict[str, Mapping[str, str]] = {RUNTIME: {"actions": "read"}}
        self.add_person(RUNTIME, ROBOT)
        self._server.RequestHandlerClass = _guarded(self, handler(self.hub))

    def grant(self, granted: Granted) -> None:
        """Let a job's token be known."""
        self.granted[granted.token] = granted.permissions
        self.add_person(granted.token, ROBOT)

    def names(self, folder: str) -> list[str]:
        """Return the files below a folder of main."""
        return self.bare.git("ls-tree", "-r", "--name-only", "main", f"{folder}/").splitlines()

    def refusal(self, method: str, path: str, token: str | None) -> str | None:
        """Return why a token may not do something; None where it may, or where it is nobody's of a job."""
        needed = needs(method, path)
        permissions = self.granted.get(token or "")
        if needed is None or permissions is None:
            return None
        for what, how in needed:
            if permissions.get(what) == "write" or permissions.get(what) == how:
                return None
        return f"Resource not accessible by integration: {' or '.join(f'{what}: {how}' for what, how in needed)}"


def needs(method: str, path: str) -> tuple[tuple[str, str], ...] | None:
    """Return what a token must be permitted for a request, any one of it; None where nothing is asked."""
    url = urlsplit(path)
    writes = method in _WRITES
    if url.path.endswith("/git-receive-pack") or "service=git-receive-pack" in url.query:
        return (("contents", "write"),)
    if "/actions/" in url.path:
        return (("actions", "write" if writes else "read"),)
    if not writes or not url.path.startswith("/repos/"):
        return None
    if "/pulls" in url.path:
        return (("pull-requests", "write"),)
    if "/issues" in url.path or "/labels" in url.path:
        return (("issues", "write"), ("pull-requests", "write"))
    if "/statuses" in url.path:
        return (("statuses", "write"),)
    return (("contents", "write"),)


def _guarded(platform: Platform, answers: type[BaseHTTPRequestHandler]) -> type[BaseHTTPRequestHandler]:
    """Return what asks whether it may be, before it is answered."""

    class Guarded(answers):  # type: ignore[misc, valid-type]
        def _ask(self) -> None:
            why = platform.refusal(self.command, self.path, _token(self.headers.get("authorization", "")))
            if why is not None:
                self.rfile.read(int(self.headers.get("content-length") or 0))
                self._send(refused(403, why))
                return
            if self.command == "POST" and self.path.endswith("/git-receive-pack") and platform.before_push:
                racing, platform.before_push = platform.before_push, None
                racing()
            self._any()

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _ask

    return Guarded


def _token(said: str) -> str:
    kind, _, value = said.partition(" ")
    if kind.lower() == "basic":
        return base64.b64decode(value).decode().partition(":")[2]
    return value
