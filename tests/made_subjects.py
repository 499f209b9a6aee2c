"""One made-up subject of each kind, valid in every field, for tests of what holds for all kinds alike."""

from __future__ import annotations

from typing import Any

from argusic.records.base import Part
from argusic.records.sources import source_models
from argusic.records.subject import Subject

_SHA256 = "5" * 64
_COMMIT = "c" * 40
_ARCHIVE = {"ecosystem": "pypi", "name": "carrier", "version": "1.2", "file": "carrier-1.2.tar.gz", "sha256": _SHA256}
_PACKAGE = {"version": "6.1", "file": "wingspan-6.1-py3-none-any.whl", "sha256": _SHA256}
_FILES = [
    {"path": "README.md", "size": 351, "sha256": "1" * 64},
    {"path": "model.safetensors", "size": 90_000_000, "sha256": "2" * 64},
]
_DIGEST = f"sha256:{_SHA256}"

#: Of each kind: the fields of a source, and those of a pin.
MADE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "repository": ({"published": _ARCHIVE, "folder": "birds/wing"}, {"commit": _COMMIT, "pointers": 7}),
    "hugging-face-model": (
        {"name": "ornith/wingspan", "published": _ARCHIVE, "folder": "carrier/model"},
        {"files": _FILES},
    ),
    "hugging-face-space": ({"name": "ornith/aviary"}, {"revision": _COMMIT, "files": _FILES}),
    "package": ({"ecosystem": "pypi", "name": "wingspan"}, _PACKAGE),
    "vendor-tool": ({"channel": "debian", "name": "wingspan", "suite": "trixie"}, {
        "version": "1:6.1-2", "file": "wingspan_6.1-2_amd64.deb", "sha256": _SHA256, "architecture": "amd64",
    }),
    "cloud-template": (
        {"flavour": "cloudformation", "published": _ARCHIVE, "path": "stacks/nest.yaml"},
        {"commit": _COMMIT, "files": [{"path": "stacks/nest.yaml", "sha256": _SHA256}]},
    ),
    "container-image": (
        {
            "repository": "ornith/nest",
            "description": "Serves a nest.\nRun it with docker run.",
            "made": {
                "layers": [
                    {"published": _ARCHIVE, "files": [{"take": "bin/", "to": "usr/bin"}]},
                    {"folders": ["tmp"]},
                ],
                "settings": {"command": ["nest"]},
            },
        },
        {
            "manifest": _DIGEST,
            "platform": "linux/amd64",
            "config": _DIGEST,
            "layers": [{"digest": _DIGEST, "size": 351, "content": _SHA256}],
            "description": _SHA256,
        },
    ),
    "mcp-server": ({"ecosystem": "npm", "name": "@ornith/wingspan", "transport": "streamable-http"}, _PACKAGE),
}  # fmt: skip


def made_subject(kind: str) -> tuple[Subject, Part]:
    """Return a subject of a kind, and a pin of it."""
    source, pin = MADE[kind]
    subject = Subject.model_validate(
        {
            "kind": kind,
            "slug": f"wingspan-of-{kind}",
            "name": f"Wingspan {list(MADE).index(kind)}",
            "source": {"kind": kind, **source},
            "licence": "MIT",
        }
    )
    return subject, source_models()[kind].pin.model_validate({"kind": kind, **pin})
