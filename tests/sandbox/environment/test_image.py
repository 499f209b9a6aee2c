"""The form of an image: the same bytes each time, and what both old and new engines load."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path

from argusic.records.environment import Wheel, WheelFile
from argusic.sandbox.environment import image as images
from argusic.sandbox.environment.fetching import Files
from argusic.sandbox.environment.planning import PinnedWheel, plan
from argusic.sandbox.environment.repository import wheel_archive
from tests.sandbox.environment.made import packages, recipe

LAYER = b"the root folder" * 1000
DIGEST = hashlib.sha256(LAYER).hexdigest()


def made(folder: Path) -> images.Built:
    path = images.layer_path(folder, DIGEST)
    path.parent.mkdir(parents=True)
    path.write_bytes(LAYER)
    return images.finish(folder, plan(recipe(), packages(), "small"), "2026-11-30T00:00:00Z", DIGEST, len(LAYER))


def test_the_same_layer_makes_the_same_image_to_the_byte(tmp_path: Path) -> None:
    assert made(tmp_path / "one") == made(tmp_path / "two")
    assert b"".join(images.stream(tmp_path / "one")) == b"".join(images.stream(tmp_path / "two"))


def test_both_forms_lead_from_their_index_to_the_layer_by_digests_that_hold(tmp_path: Path) -> None:
    built = made(tmp_path)
    with tarfile.open(fileobj=io.BytesIO(b"".join(images.stream(tmp_path)))) as archive:
        held = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    for name, content in held.items():
        if name.startswith("blobs/sha256/"):
            assert name.removeprefix("blobs/sha256/") == hashlib.sha256(content).hexdigest()
    (entry,) = json.loads(held["index.json"])["manifests"]
    assert entry["digest"] == built.manifest
    manifest = json.loads(held["blobs/" + entry["digest"].replace(":", "/")])
    assert manifest["config"]["digest"] == built.image
    assert manifest["layers"][0] == {
        "mediaType": "application/vnd.oci.image.layer.v1.tar",
        "digest": f"sha256:{DIGEST}",
        "size": len(LAYER),
    }
    (old,) = json.loads(held["manifest.json"])
    assert hashlib.sha256(held[old["Config"]]).hexdigest() == built.image.removeprefix("sha256:")
    assert held[old["Layers"][0]] == LAYER


def test_a_wheel_becomes_files_of_root_and_links_without_its_python_modules(tmp_path: Path) -> None:
    wheel = tmp_path / "node.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, mode in (("bin/node", 0o755), ("bin/npm", 0o755), ("lib/npm.js", 0o600), ("lib/for-others", 0o644)):
            entry = zipfile.ZipInfo(f"node/{name}")
            entry.external_attr = mode << 16
            archive.writestr(entry, name)
        archive.writestr("node/__init__.py", "")
        archive.writestr("node-24.0.dist-info/METADATA", "")
    files = Files(tmp_path / "kept")
    sha256 = files.take(wheel)
    assert sha256 is not None
    pinned = PinnedWheel(
        WheelFile(name="node", version="24.0", file="node.whl", sha256=sha256),
        Wheel(name="node", version="24.0", folder="node", without=("lib/for-*",), commands={"npm": "lib/npm.js"}),
    )
    wheel_archive(pinned, files, tmp_path / "node.tar", 1_000)
    with tarfile.open(tmp_path / "node.tar") as unpacked:
        members = {member.name: (member.mode, member.uid, member.mtime, member.linkname) for member in unpacked}
    assert members == {
        "bin/node": (0o755, 0, 1000, ""),
        "lib/npm.js": (0o644, 0, 1000, ""),
        "bin/npm": (0o777, 0, 1000, "../lib/npm.js"),
    }
