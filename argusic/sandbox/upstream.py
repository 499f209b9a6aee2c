"""The HTTP proxies that a host itself has to use, as the usual variables of its environment name them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote, urlsplit


class Hop(NamedTuple):
    """A proxy on the way."""

    host: str
    port: int
    login: str | None
    """What it wants for a login, encoded for its header."""


@dataclass(frozen=True)
class Upstream:
    """A host's proxies.

    Attributes:
        environment: Its environment variables.
    """

    environment: Mapping[str, str] = field(default_factory=dict)

    def hop(self, scheme: str, host: str) -> Hop | None:
        """Return the proxy through which a host is reached, or None where it is reached directly."""
        values = {name.lower(): value for name, value in self.environment.items()}
        proxy = values.get(f"{scheme}_proxy") or values.get("all_proxy")
        if not proxy or _is_excepted(host, values.get("no_proxy", "")):
            return None
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if parts.scheme != "http" or not parts.hostname:
            return None
        login = None
        if parts.username is not None:
            secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            login = base64.b64encode(secret.encode()).decode()
        return Hop(parts.hostname, parts.port or 80, login)


def _is_excepted(host: str, exceptions: str) -> bool:
    names = [name.strip().lower().removeprefix("*").lstrip(".") for name in exceptions.split(",")]
    host = host.lower()
    return "*" in exceptions.split(",") or any(name and (host == name or host.endswith(f".{name}")) for name in names)
