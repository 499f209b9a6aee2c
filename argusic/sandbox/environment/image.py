"""An image of one layer as a folder: what Docker loads and what the Open Container Initiative specifies, in one."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from argusic.sandbox.environment.planning import Plan

#: Where it lies in the folder of a kept image.
FOLDER = "image"
_BLOCK = 1 << 20
_OCI = "application/vnd.oci.image"


class Built(NamedTuple):
    """The digests of an image."""

    image: str
    """What an engine knows it by: `sha256:` and the digest of its configuration."""
    manifest: str
    """The digest of its manifest, likewise."""


def tag(content: str) -> str:
    """Return the name that an image is loaded under."""
    return f"argusic/environment:{content[:16]}"


def finish(folder: Path, plan: Plan, created: str, layer: str, size: int) -> Built:
    """Write everything of an image beside its layer, which already lies at `blobs/sha256/<layer>`.

    Args:
        folder: The image's folder.
        plan: What it is made from.
        created: The time that it states.
        layer: The digest of the layer.
        size: The layer's size in bytes.
    """
    digest = f"sha256:{layer}"
    config = {
        "created": created,
        "architecture": plan.architecture,
        "os": "linux",
        "config": {
            "Env": [f"{name}={value}" for name, value in sorted(plan.variables.items())],
            "Cmd": ["/bin/bash"],
            "WorkingDir": "/root",
        },
        "rootfs": {"type": "layers", "diff_ids": [digest]},
        "history": [{"created": created, "created_by": "argusic environment build"}],
    }
    config_digest, config_size = _blob(folder, config)
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{_OCI}.manifest.v1+json",
        "config": {"mediaType": f"{_OCI}.config.v1+json", "digest": config_digest, "size": config_size},
        "layers": [{"mediaType": f"{_OCI}.layer.v1.tar", "digest": digest, "size": size}],
    }
    manifest_digest, manifest_size = _blob(folder, manifest)
    name = tag(plan.content)
    entry = {
        "mediaType": f"{_OCI}.manifest.v1+json",
        "digest": manifest_digest,
        "size": manifest_size,
        "annotations": {"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name},
    }
    _write(folder / "index.json", {"schemaVersion": 2, "manifests": [entry]})
    _write(folder / "oci-layout", {"imageLayoutVersion": "1.0.0"})
    # The form that engines before Docker 25 load.
    old = {"Config": _path(config_digest), "RepoTags": [name], "Layers": [_path(digest)]}
    _write(folder / "manifest.json", [old])
    return Built(config_digest, manifest_digest)


def layer_path(folder: Path, layer: str) -> Path:
    """Return where the layer of an image's folder lies: a tar archive of its root folder."""
    return folder / _path(f"sha256:{layer}")


def stream(folder: Path) -> Iterator[bytes]:
    """Yield an image's folder as the tar archive that `docker load` reads, a block at a time."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        member = tarfile.TarInfo(path.relative_to(folder).as_posix())
        member.size, member.mode = path.stat().st_size, 0o644
        yield member.tobuf(tarfile.PAX_FORMAT)
        with path.open("rb") as content:
            while block := content.read(_BLOCK):
                yield block
        if rest := member.size % tarfile.BLOCKSIZE:
            yield bytes(tarfile.BLOCKSIZE - rest)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _path(digest: str) -> str:
    return "blobs/" + digest.replace(":", "/")


def _blob(folder: Path, value: Any) -> tuple[str, int]:
    data = _encoded(value)
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    path = folder / _path(digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return digest, len(data)


def _write(path: Path, value: Any) -> None:
    path.write_bytes(_encoded(value))


def _encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
