"""One request and one answer, as the endpoints see them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Request:
    """A request. `parts` are those of its path below the repository's; `length` is what its head said of its body."""

    method: str
    path: str
    parts: tuple[str, ...]
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    length: int
    base: str
    repository: str
    login: str | None

    @property
    def here(self) -> str:
        """The repository's address."""
        return f"{self.base}/repos/{self.repository}"

    @property
    def elsewhere(self) -> str:
        """The same server by another host name, where content is handed out."""
        return f"http://localhost:{self.headers['host'].rpartition(':')[2]}"

    def json(self) -> dict[str, Any]:
        """Return what the body says."""
        return dict(json.loads(self.body)) if self.body else {}


@dataclass(frozen=True)
class Answer:
    """An answer."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


#: Somebody hung up before they had sent all; nothing is answered.
NOTHING = Answer(0)


def told(status: int, data: object, headers: dict[str, str] | None = None) -> Answer:
    """Return data as an answer."""
    kind = {"Content-Type": "application/json; charset=utf-8"}
    return Answer(status, json.dumps(data).encode(), {**kind, **(headers or {})})


def missing(message: str = "Not Found") -> Answer:
    """Return that something is not there."""
    return told(404, {"message": message, "documentation_url": "https://docs.github.com/rest", "status": "404"})


def refused(status: int, message: str, errors: Sequence[dict[str, str]] = ()) -> Answer:
    """Return that something cannot be."""
    return told(status, {"message": message, **({"errors": list(errors)} if errors else {}), "status": str(status)})


def page(request: Request, items: Iterable[Any], name: str | None = None) -> Answer:
    """Return one page of a list, below a name together with the number of all where it has one."""
    every = list(items)
    size, number = min(100, int(request.query.get("per_page", "30"))), int(request.query.get("page", "1"))
    links = []
    last = max(1, -(-len(every) // size))
    for word, there in (("next", number + 1), ("last", last)):
        if number < last:
            rest = "".join(f"&{key}={value}" for key, value in request.query.items() if key not in ("per_page", "page"))
            links.append(f'<{request.base}{request.path}?per_page={size}&page={there}{rest}>; rel="{word}"')
    shown = every[size * (number - 1) : size * number]
    data = shown if name is None else {"total_count": len(every), name: shown}
    return told(200, data, {"Link": ", ".join(links)} if links else {})


def person(request: Request, login: str) -> dict[str, Any]:
    """Return somebody, as every answer that names somebody does."""
    kind = "Bot" if login.endswith("[bot]") else "User"
    return {"login": login, "id": sum(login.encode()), "type": kind, "url": f"{request.base}/users/{login}"}
