"""Reads what a Workers template promises and binds. Pure reading of text."""

from __future__ import annotations

import re

#: Services of the vendor's that the local runtime only simulates.
_BINDINGS = (
    "ai",
    "analytics_engine_datasets",
    "browser",
    "containers",
    "d1_databases",
    "dispatch_namespaces",
    "durable_objects",
    "hyperdrive",
    "images",
    "kv_namespaces",
    "mtls_certificates",
    "pipelines",
    "queues",
    "r2_buckets",
    "secrets_store_secrets",
    "send_email",
    "services",
    "vectorize",
    "workflows",
)
_BINDING = re.compile(
    rf"^\s*(?:\"(?P<json>{'|'.join(_BINDINGS)})\"\s*:|\[+(?P<toml>{'|'.join(_BINDINGS)})[\].])", re.MULTILINE
)
_LITERAL = re.compile(r"`([^`$\\]{3,200})`|\"([^\"\\\n]{3,200})\"|'([^'\\\n]{3,200})'")
#: Where a promise stands: what a test expects, what a response is made of, what a document shows.
_PROMISES = re.compile(r"\b(expect|to(?:Be|Equal|Match|Contain)\w*|assert\w*|Response|text|json|html|returns?)\b")


def blanks(text: str) -> bool:
    """Return whether a file has blanks to fill in, such as `<WORKER_NAME>`."""
    return bool(re.search(r"[\"']<[A-Z][A-Z_]*>[\"']", text))


def binds(configuration: str) -> tuple[str, ...]:
    """Return the services that a configuration binds and the local runtime only simulates."""
    return tuple(sorted({match["json"] or match["toml"] for match in _BINDING.finditer(configuration)}))


def literals(text: str) -> tuple[str, ...]:
    """Return the texts in quotes on lines that promise something, the longest first: the more telling ones."""
    found: dict[str, None] = {}
    for line in text.splitlines():
        if _PROMISES.search(line):
            for match in _LITERAL.finditer(line):
                inner = next(group for group in match.groups() if group is not None).strip("\"'` ")
                if re.search(r"\w{3}", inner) and "://" not in inner:
                    found[inner] = None
    return tuple(sorted(found, key=len, reverse=True))
