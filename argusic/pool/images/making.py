"""Images made of published builds: the same recipe makes the same bytes, whoever follows it and when.

What has no fixed place in a recipe is fixed here: times, owners, the order of files, and that layers are not packed,
since what packs them differs from machine to machine.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from argusic.pool.archives import Member, members
from argusic.pool.images.manifests import CONFIG_TYPES, LAYER_TYPES, MANIFEST_TYPES, ImageUnusable
from argusic.records.image import ImageLayer, MadeImage
from argusic.records.published import PublishedSource

#: When everything in such an image was made: a change would move the pin of every image made this way.
_WHEN, _CREATED = 946684800, "2000-01-01T00:00:00Z"
_MAX_LAYER = 1_000_000_000


class Made(NamedTuple):
    """An image that was made: its manifest, and every other part by its digest."""

    manifest: bytes
    config: bytes
    layers: tuple[bytes, ...]


class _Entry(NamedTuple):
    """One thing in a layer."""

    kind: bytes
    mode: int
    content: bytes = b""
    leads: str = ""


def make(recipe: MadeImage, published: Callable[[PublishedSource], Path]) -> Made:
    """Return the image of a recipe.

    Args:
        recipe: The recipe.
        published: Returns a published file, proved.

    Raises:
        ImageUnusable: A published file has not what the recipe takes of it.
        ArchiveUnusable: A published file cannot be read.
    """
    layers = tuple(_packed(_entries(layer, published)) for layer in recipe.layers)
    system, architecture, *variant = recipe.platform.split("/")
    settings = recipe.settings
    running: dict[str, Any] = {
        "Entrypoint": list(settings.entrypoint),
        "Cmd": list(settings.command),
        "Env": list(settings.environment),
        "WorkingDir": settings.folder or "",
        "User": settings.user or "",
        "ExposedPorts": {port: {} for port in settings.ports},
        "Volumes": {volume: {} for volume in settings.volumes},
        "Labels": settings.labels,
    }
    config = _written(
        {
            "architecture": architecture,
            "os": system,
            **({"variant": variant[0]} if variant else {}),
            "created": _CREATED,
            "config": {name: value for name, value in running.items() if value},
            "rootfs": {"type": "layers", "diff_ids": [digest_of(layer) for layer in layers]},
            "history": [{"created": _CREATED, "created_by": "argusic"} for _ in layers],
        }
    )
    plain = next(kind for kind, packed in LAYER_TYPES.items() if not packed)
    manifest = _written(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPES[0],
            "config": {"mediaType": CONFIG_TYPES[0], "digest": digest_of(config), "size": len(config)},
            "layers": [{"mediaType": plain, "digest": digest_of(layer), "size": len(layer)} for layer in layers],
        }
    )
    return Made(manifest, config, layers)


def digest_of(content: bytes) -> str:
    """Return the digest of a part of an image, as registries write it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _entries(layer: ImageLayer, published: Callable[[PublishedSource], Path]) -> dict[str, _Entry]:
    """Return what a layer holds, by path."""
    found: dict[str, _Entry] = {}
    if layer.published is not None:
        found |= _taken(layer, published(layer.published))
    for text in layer.texts:
        found[text.to] = _Entry(tarfile.REGTYPE, 0o755 if text.executable else 0o644, text.text.encode())
    for link in layer.links:
        found[link.at] = _Entry(tarfile.SYMTYPE, 0o777, leads=link.leads)
    for folder in layer.folders:
        found[folder] = _Entry(tarfile.DIRTYPE, 0o1777)
    above = {str(parent) for path in found for parent in Path(path).parents} - {".", *found}
    return {**found, **{path: _Entry(tarfile.DIRTYPE, 0o755) for path in above}}


def _taken(layer: ImageLayer, archive: Path) -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    met: set[str] = set()
    size = 0
    for member in members(archive):
        for take, to, executable in _wanted(layer, member):
            met.add(take)
            size += member.size
            if size > _MAX_LAYER:
                raise ImageUnusable(f"a layer of it has more than {_MAX_LAYER} bytes, the most that is made")
            found[to] = _Entry(tarfile.REGTYPE, 0o755 if executable else 0o644, member.content.read())
    missing = sorted({file.take for file in layer.files} - met)
    if missing:
        raise ImageUnusable(f"{archive.name} has no {missing[0]}")
    return found


def _wanted(layer: ImageLayer, member: Member) -> Iterator[tuple[str, str, bool]]:
    """Yield what a layer takes a member for, and where it puts it."""
    for file in layer.files:
        if file.take == member.path:
            yield file.take, file.to, file.executable
        elif file.take.endswith("/") and member.path.startswith(file.take):
            inside = member.path[len(file.take) :]
            if ".." not in inside.split("/"):
                yield file.take, f"{file.to}/{inside}", file.executable


def _packed(entries: Mapping[str, _Entry]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(entries):
            entry = entries[path]
            info = tarfile.TarInfo(path)
            info.type, info.mode, info.mtime, info.linkname = entry.kind, entry.mode, _WHEN, entry.leads
            info.size = len(entry.content)
            archive.addfile(info, io.BytesIO(entry.content))
    return out.getvalue()


def _written(says: Mapping[str, Any]) -> bytes:
    return json.dumps(says, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
