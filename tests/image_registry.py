"""A registry of images on the loopback that speaks the OCI's distribution interface, and images to put into it.

It can be told to go wrong in one place: to be away, to stall, to break off, to send other bytes or more of them, to
lead elsewhere, or to want a token.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.loopback import OnLoopback

OCI = "application/vnd.oci.image"
MANIFEST, INDEX, CONFIG = f"{OCI}.manifest.v1+json", f"{OCI}.index.v1+json", f"{OCI}.config.v1+json"
LAYER = f"{OCI}.layer.v1.tar+gzip"


def digest(content: bytes) -> str:
    """Return the digest of content as registries write it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def layer(*entries: tuple[str, bytes] | tarfile.TarInfo) -> bytes:
    """Return a layer, unpacked: files by name and content, or entries as they are."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry)
                continue
            info = tarfile.TarInfo(entry[0])
            info.size, info.mode = len(entry[1]), 0o755
            archive.addfile(info, io.BytesIO(entry[1]))
    return out.getvalue()


def entry(name: str, kind: bytes, leads: str = "") -> tarfile.TarInfo:
    """Return an entry without content."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, leads, 0o755
    return info


@dataclass
class AnImage:
    """An image of one platform."""

    manifest: bytes
    config: bytes
    layers: tuple[bytes, ...]


def an_image(
    *layers: bytes,
    settings: Mapping[str, Any] | None = None,
    architecture: str = "amd64",
    kinds: tuple[str, str, str] = (MANIFEST, CONFIG, LAYER),
    contents: list[str] | None = None,
    change: Callable[[dict[str, Any]], None] = lambda manifest: None,
) -> AnImage:
    """Return an image of layers that are packed here.

    Args:
        layers: They, unpacked.
        settings: How it is run.
        architecture: What it runs on.
        kinds: What its manifest, configuration and layers say that they are.
        contents: What its configuration says that the layers hold, where that is not what they do.
        change: Changes its manifest before it is written.
    """
    packed = tuple(gzip.compress(one, 6, mtime=0) for one in layers)
    config = {
        "os": "linux",
        "architecture": architecture,
        "config": dict(settings or {}),
        "rootfs": {"type": "layers", "diff_ids": contents or [digest(one) for one in layers]},
    }
    written = json.dumps(config).encode()
    manifest: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": kinds[0],
        "config": {"mediaType": kinds[1], "digest": digest(written), "size": len(written)},
        "layers": [{"mediaType": kinds[2], "digest": digest(one), "size": len(one)} for one in packed],
    }
    change(manifest)
    return AnImage(json.dumps(manifest).encode(), written, packed)


def an_index(**platforms: AnImage) -> bytes:
    """Return a list of the images of some architectures."""
    entries = [
        {
            "mediaType": MANIFEST,
            "digest": digest(image.manifest),
            "size": len(image.manifest),
            "platform": {"os": "linux", "architecture": architecture},
        }
        for architecture, image in platforms.items()
    ]
    return json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).encode()


@dataclass
class Wrong:
    """What goes wrong with requests whose path ends in something.

    Attributes:
        end: How the path ends.
        status: The status to answer with instead.
        instead: Changes the body.
        cut: After how many bytes to break off.
        stall: Seconds to wait before the body.
        leads: Where to lead.
    """

    end: str
    status: int | None = None
    instead: Callable[[bytes], bytes] | None = None
    cut: int | None = None
    stall: float = 0
    leads: str | None = None


@dataclass
class Held:
    """What a registry holds, and how it behaves.

    Attributes:
        found: Bodies by path, with what each says that it is.
        wrong: What goes wrong.
        token: The token that it wants, if any.
        service: What its token service answers; None for the token.
        challenge: What it says to whoever has no token, where that is not how to get one.
        asked: The paths that were asked for, and the token that came along.
    """

    found: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    wrong: Wrong | None = None
    token: str | None = None
    service: bytes | None = None
    challenge: str | None = None
    asked: list[tuple[str, str | None]] = field(default_factory=list)


class ImageRegistry(OnLoopback):
    """A registry."""

    def __init__(self) -> None:
        self.held = Held()
        held = self.held

        class Handler(_Handler):
            registry = held

        super().__init__(ThreadingHTTPServer(("127.0.0.1", 0), Handler))

    @property
    def host(self) -> str:
        """Its host, as a name of an image has it."""
        return f"127.0.0.1:{self.port}"

    def put(self, repository: str, reference: str, image: AnImage, kind: str = MANIFEST) -> str:
        """Hold an image under a tag and its digest, and return the digest."""
        for part in (image.config, *image.layers):
            self.held.found[f"/v2/{repository}/blobs/{digest(part)}"] = (part, "application/octet-stream")
        return self.name(repository, reference, image.manifest, kind)

    def name(self, repository: str, reference: str, manifest: bytes, kind: str) -> str:
        """Hold a manifest under a tag and its digest, and return the digest."""
        for name in (reference, digest(manifest)):
            self.held.found[f"/v2/{repository}/manifests/{name}"] = (manifest, kind)
        return digest(manifest)


class _Handler(BaseHTTPRequestHandler):
    registry: Held

    def do_GET(self) -> None:
        held, path = self.registry, urlsplit(self.path).path
        token = self.headers.get("Authorization")
        held.asked.append((self.path, token))
        wrong = held.wrong if held.wrong is not None and path.endswith(held.wrong.end) else Wrong("")
        if wrong.leads is not None:
            self.answer(307, b"", {"Location": wrong.leads.replace("PATH", path)})
        elif wrong.status is not None:
            self.answer(wrong.status, b"")
        elif path == "/token":
            assert parse_qs(urlsplit(self.path).query)["scope"][0].endswith(":pull")
            self.answer(200, held.service or json.dumps({"token": held.token}).encode())
        elif held.token is not None and token != f"Bearer {held.token}":
            port = self.connection.getsockname()[1]
            usual = f'Bearer realm="http://127.0.0.1:{port}/token",service="images"'
            self.answer(401, b"", {"WWW-Authenticate": held.challenge or usual})
        elif path in held.found:
            body, kind = held.found[path]
            self.answer(200, wrong.instead(body) if wrong.instead else body, {"Content-Type": kind}, wrong)
        else:
            self.answer(404, b"")

    def answer(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, wrong: Wrong | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if wrong is not None and wrong.stall:
            self.wfile.flush()
            time.sleep(wrong.stall)
        with suppress(ConnectionError):  # Whoever has had enough hangs up.
            self.wfile.write(body[: wrong.cut] if wrong is not None else body)
        if wrong is not None and wrong.cut is not None:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass
