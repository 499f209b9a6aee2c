"""An image of a registry: looked up by a tag, or fetched by the digests of its pin, part by part, each proved."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from argusic.pool.images.layers import Room, content_of
from argusic.pool.images.layout import blob, hold_config, hold_manifest, write
from argusic.pool.images.manifests import (
    INDEX_TYPES,
    LAYER_TYPES,
    Config,
    ImageUnusable,
    Manifest,
    choose,
    media_type,
    read_config,
    read_index,
    read_manifest,
)
from argusic.pool.images.registry import Registry
from argusic.pool.kinds.protocol import PinMismatch
from argusic.records.image import PinnedLayer
from argusic.records.sources.container_image import Pin


class Named(NamedTuple):
    """An image as a registry has it under a tag or digest."""

    body: bytes
    """Its manifest."""
    manifest: Manifest
    digest: str
    """The manifest's digest."""
    listed: str | None
    """The digest of the list that named it, where there is one."""


class Pulled(NamedTuple):
    """An image that was fetched, and what it says of itself."""

    pin: Pin
    config: Config
    manifest: Manifest


def name_of(registry: Registry, repository: str, reference: str, platform: str) -> Named:
    """Return the manifest that a tag or digest leads to, for a platform.

    Raises:
        Missing: There is none.
        ImageUnusable: It is none that is run here, or there is none for the platform.
        PinMismatch: What a digest leads to has another digest.
        SubjectUnavailable: The registry cannot be reached, or sends nonsense.
    """
    fetched = registry.manifest(repository, reference)
    kind, index = media_type(fetched.body, fetched.media_type), None
    if kind in INDEX_TYPES:
        found = read_index(fetched.body)
        chosen, index = choose(found, platform), fetched.digest
        if chosen is None:
            raise ImageUnusable(f"there is none for {platform}, only for {', '.join(sorted(found)) or 'nothing'}")
        fetched = registry.manifest(repository, chosen)
        kind = media_type(fetched.body, fetched.media_type)
    return Named(fetched.body, read_manifest(fetched.body, kind), fetched.digest, index)


def pull(registry: Registry, repository: str, named: Named, folder: Path) -> Pulled:
    """Fetch the parts of an image into a layout at `folder`, and read every layer to its end.

    Raises:
        ImageUnusable: A layer of it must not be unpacked, or holds something else than the configuration lists.
        Missing, PinMismatch, SubjectUnavailable: As `Registry` does.
    """
    manifest = named.manifest
    write(folder, named.body, manifest.media_type, named.digest)
    registry.blob(repository, manifest.config, blob(folder, manifest.config.digest))
    config = read_config(blob(folder, manifest.config.digest).read_bytes())
    if len(config.contents) != len(manifest.layers):
        raise ImageUnusable("its configuration lists another number of layers than its manifest")
    room = Room()
    for layer, content in zip(manifest.layers, config.contents, strict=True):
        file = blob(folder, layer.digest)
        if not file.exists():
            registry.blob(repository, layer, file)
        found = content_of(file, packed=LAYER_TYPES[layer.media_type], room=room)
        if found != content:
            raise ImageUnusable(f"the layer {layer.digest} holds {found}, where its configuration lists {content}")
    pin = Pin(
        manifest=named.digest,
        index=named.listed,
        platform=config.platform,
        config=manifest.config.digest,
        layers=tuple(
            PinnedLayer(digest=layer.digest, size=layer.size, content=content.removeprefix("sha256:"))
            for layer, content in zip(manifest.layers, config.contents, strict=True)
        ),
    )
    return Pulled(pin, config, manifest)


def pull_pinned(registry: Registry, repository: str, pin: Pin, folder: Path) -> None:
    """Fetch the pinned image into a layout at `folder`. What does not fit the pin stops it as soon as that is seen.

    Raises:
        PinMismatch: It is another image, or one that must not be unpacked.
        Missing, SubjectUnavailable: As `Registry` does.
    """
    try:
        if pin.index is not None:
            listed = registry.manifest(repository, pin.index)
            if media_type(listed.body, listed.media_type) not in INDEX_TYPES:
                raise PinMismatch(f"{pin.index} is no list of platforms, as was pinned")
            if pin.manifest not in read_index(listed.body).values():
                raise PinMismatch(f"the list {pin.index} does not name {pin.manifest}")
        named = name_of(registry, repository, pin.manifest, pin.platform)
        if named.digest != pin.manifest:
            raise PinMismatch(f"{pin.manifest} is a list of platforms, and no image")
        hold_manifest(named.manifest, pin)
        pulled = pull(registry, repository, named, folder)
    except ImageUnusable as error:
        raise PinMismatch(f"the pinned image cannot be used: {error}") from error
    hold_config(blob(folder, pulled.manifest.config.digest).read_bytes(), pin)


def text_digest(text: str) -> str:
    """Return the digest of a description."""
    return hashlib.sha256(text.encode()).hexdigest()
