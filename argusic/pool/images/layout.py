"""An image as files: the OCI's layout, in the cache and in a sandbox, proved against a pin whenever it is used."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from argusic.pool.files import digest_of
from argusic.pool.images.manifests import ImageUnusable, Manifest, media_type, read_config, read_manifest
from argusic.pool.kinds.protocol import PinMismatch
from argusic.records.sources.container_image import Pin

_LAYOUT = {"imageLayoutVersion": "1.0.0"}


def blob(folder: Path, digest: str) -> Path:
    """Return where a layout keeps the part of a digest."""
    return folder.joinpath("blobs", *digest.split(":", 1))


def hold_manifest(manifest: Manifest, pin: Pin) -> None:
    """Refuse a manifest that is not of the pinned parts.

    Raises:
        PinMismatch: It names others.
    """
    if manifest.config.digest != pin.config:
        raise PinMismatch(f"its manifest names the configuration {manifest.config.digest}, but {pin.config} was pinned")
    found = [(layer.digest, layer.size) for layer in manifest.layers]
    if found != [(layer.digest, layer.size) for layer in pin.layers]:
        raise PinMismatch("its manifest names other layers than were pinned")


def hold_config(body: bytes, pin: Pin) -> None:
    """Refuse a configuration that is not of the pinned platform and content.

    Raises:
        PinMismatch: It is of others.
    """
    try:
        config = read_config(body)
    except ImageUnusable as error:
        raise PinMismatch(f"the pinned image cannot be used: {error}") from error
    if config.platform != pin.platform:
        raise PinMismatch(f"its configuration is for {config.platform}, but {pin.platform} was pinned")
    if list(config.contents) != [f"sha256:{layer.content}" for layer in pin.layers]:
        raise PinMismatch("its configuration lists other content of its layers than was pinned")


def prove(folder: Path, pin: Pin) -> None:
    """Prove that a layout holds the pinned image and nothing else counts as it.

    Raises:
        PinMismatch: A part is missing, damaged, or another one.
    """
    for digest in (pin.manifest, pin.config, *(layer.digest for layer in pin.layers)):
        found = digest_of(blob(folder, digest))
        if found is None or f"sha256:{found}" != digest:
            what = "is not there" if found is None else f"has the digest sha256:{found}"
            raise PinMismatch(f"the part {digest} of the image {what}")
    body = blob(folder, pin.manifest).read_bytes()
    try:
        hold_manifest(read_manifest(body, media_type(body, "")), pin)
    except ImageUnusable as error:
        raise PinMismatch(f"the pinned image cannot be used: {error}") from error
    hold_config(blob(folder, pin.config).read_bytes(), pin)


def write(folder: Path, manifest: bytes, kind: str, digest: str, *, name: str = "image") -> None:
    """Make a layout of a folder that holds the parts.

    Args:
        folder: The folder.
        manifest: The image's manifest.
        kind: What the manifest is.
        digest: Its digest.
        name: What the image is called there.
    """
    whole = blob(folder, digest)
    whole.parent.mkdir(parents=True, exist_ok=True)
    if not whole.exists():
        whole.write_bytes(manifest)
    notes = {"io.containerd.image.name": name, "org.opencontainers.image.ref.name": "pinned"}
    entry = {"mediaType": kind, "digest": digest, "size": len(manifest), "annotations": notes}
    (folder / "oci-layout").write_text(json.dumps(_LAYOUT), encoding="ascii")
    index = {"schemaVersion": 2, "manifests": [entry]}
    (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")


def lay_out(cached: Path, pin: Pin, folder: Path, name: str) -> None:
    """Copy the pinned image into a layout of its own at the new folder `folder`, and prove the copy.

    Raises:
        PinMismatch: The copy is not what was pinned.
    """
    for digest in dict.fromkeys((pin.manifest, pin.config, *(layer.digest for layer in pin.layers))):
        copy = blob(folder, digest)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(blob(cached, digest), copy)
    prove(folder, pin)
    body = blob(folder, pin.manifest).read_bytes()
    write(folder, body, media_type(body, ""), pin.manifest, name=name)
