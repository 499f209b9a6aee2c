"""What a registry says of an image: lists of platforms, manifests and configurations, read as what a stranger says.

Both shapes are read that registries give out: the OCI's, and Docker's second. Everything that an image is made of must
be content of the registry under a digest; what lies elsewhere, or is packed in a way that is not read here, is refused.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from argusic.records.image import MAX_IMAGE_BYTES, MAX_LAYERS

#: Bytes that a manifest or a list of them may have, and a configuration.
MAX_MANIFEST, MAX_CONFIG = 4_000_000, 8_000_000

_OCI = "application/vnd.oci.image"
_DOCKER = "application/vnd.docker"
MANIFEST_TYPES = (f"{_OCI}.manifest.v1+json", f"{_DOCKER}.distribution.manifest.v2+json")
INDEX_TYPES = (f"{_OCI}.index.v1+json", f"{_DOCKER}.distribution.manifest.list.v2+json")
#: What is asked for, the lists first.
ACCEPTED = ", ".join((*INDEX_TYPES, *MANIFEST_TYPES))

CONFIG_TYPES = (f"{_OCI}.config.v1+json", f"{_DOCKER}.container.image.v1+json")
#: Layers that are read, by whether they are packed with gzip.
LAYER_TYPES = {
    f"{_OCI}.layer.v1.tar": False,
    f"{_OCI}.layer.v1.tar+gzip": True,
    f"{_DOCKER}.image.rootfs.diff.tar": False,
    f"{_DOCKER}.image.rootfs.diff.tar.gzip": True,
}
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class ImageUnusable(Exception):
    """An image is not one, or is of a kind that is not run here."""


class Described(NamedTuple):
    """What a manifest says of something that the registry keeps."""

    media_type: str
    digest: str
    size: int


class Manifest(NamedTuple):
    """What an image of one platform is made of."""

    media_type: str
    config: Described
    layers: tuple[Described, ...]
    annotations: dict[str, str]


class Config(NamedTuple):
    """What an image's configuration says."""

    platform: str
    contents: tuple[str, ...]
    """The digests of its layers unpacked, the lowest first."""
    labels: dict[str, str]


def media_type(body: bytes, said: str) -> str:
    """Return what a manifest or list is: what it says itself, else what the registry said of it.

    Raises:
        ImageUnusable: It is neither of an image nor a list of them.
    """
    own = _object(body).get("mediaType", said.partition(";")[0].strip())
    if own not in (*MANIFEST_TYPES, *INDEX_TYPES):
        raise ImageUnusable(f"its manifest is of the type {str(own)[:100]!r}, which is not read here")
    return str(own)


def read_index(body: bytes) -> dict[str, str]:
    """Return the digests of the manifests that a list names, by platform. The first of a platform counts.

    Raises:
        ImageUnusable: It is no such list.
    """
    found: dict[str, str] = {}
    for entry in _list(_object(body), "manifests", 1000):
        platform = entry.get("platform")
        if not isinstance(platform, dict) or entry.get("mediaType") not in MANIFEST_TYPES:
            continue
        found.setdefault(_platform(platform), _described(entry, MAX_MANIFEST).digest)
    return found


def choose(found: dict[str, str], platform: str) -> str | None:
    """Return the digest for a platform; where none is named so exactly, that of another variant of it."""
    near = sorted(name for name in found if name.startswith(f"{platform}/"))
    return found.get(platform) or next((found[name] for name in near), None)


def read_manifest(body: bytes, kind: str) -> Manifest:
    """Return what a manifest of one platform says.

    Raises:
        ImageUnusable: It is no image's, or a layer of it is not kept by the registry.
    """
    says = _object(body)
    config = _described(_inner(says, "config"), MAX_CONFIG)
    if config.media_type not in CONFIG_TYPES:
        raise ImageUnusable(f"it is no image but something of the type {config.media_type[:100]!r}")
    layers = []
    for entry in _list(says, "layers", MAX_LAYERS):
        if entry.get("urls"):
            raise ImageUnusable("a layer of it is to be fetched from elsewhere, not from its registry")
        layer = _described(entry, MAX_IMAGE_BYTES)
        if layer.media_type not in LAYER_TYPES:
            raise ImageUnusable(f"a layer of it is of the type {layer.media_type[:100]!r}, which is not read here")
        layers.append(layer)
    if sum(layer.size for layer in layers) > MAX_IMAGE_BYTES:
        raise ImageUnusable(f"it has more than {MAX_IMAGE_BYTES} bytes, the most that is tested")
    return Manifest(kind, config, tuple(layers), _texts(says.get("annotations")))


def read_config(body: bytes) -> Config:
    """Return what a configuration says.

    Raises:
        ImageUnusable: It is none.
    """
    says = _object(body)
    contents = _inner(says, "rootfs").get("diff_ids")
    if not isinstance(contents, list) or not all(isinstance(one, str) and _DIGEST.fullmatch(one) for one in contents):
        raise ImageUnusable("its configuration names no layers by digest")
    settings = says.get("config")
    labels = settings.get("Labels") if isinstance(settings, dict) else None
    return Config(_platform(says), tuple(contents), _texts(labels))


def _platform(says: dict[str, Any]) -> str:
    parts = [says.get("os"), says.get("architecture"), says.get("variant") or None]
    return "/".join(
        part if isinstance(part, str) and re.fullmatch(r"[a-z0-9_.]{1,30}", part) else "unknown"
        for part in parts
        if part is not None or part is parts[0]
    )


def _described(entry: dict[str, Any], most: int) -> Described:
    kind, digest, size = entry.get("mediaType"), entry.get("digest"), entry.get("size")
    if not isinstance(kind, str) or not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ImageUnusable("its manifest names something without a type and a sha256 digest")
    if type(size) is not int or not 0 <= size <= most:
        raise ImageUnusable(f"its manifest names something of the size {str(size)[:30]}, where {most} is the most")
    return Described(kind, digest, size)


def _object(body: bytes) -> dict[str, Any]:
    try:
        says = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ImageUnusable("what describes it cannot be read") from error
    if not isinstance(says, dict):
        raise ImageUnusable("what describes it cannot be read")
    return says


def _inner(says: dict[str, Any], name: str) -> dict[str, Any]:
    inner = says.get(name)
    if not isinstance(inner, dict):
        raise ImageUnusable(f"what describes it has no {name}")
    return inner


def _list(says: dict[str, Any], name: str, most: int) -> list[dict[str, Any]]:
    entries = says.get(name)
    if not isinstance(entries, list) or len(entries) > most or not all(isinstance(one, dict) for one in entries):
        raise ImageUnusable(f"what describes it has no list of at most {most} {name}")
    return entries


def _texts(value: Any) -> dict[str, str]:
    """Return a table of texts. JSON can say halves of characters, which no file can hold: they are replaced."""
    if not isinstance(value, dict):
        return {}
    return {_whole(name): _whole(text) for name, text in value.items() if isinstance(text, str)}


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
