"""The image that was handed in: its names, how it says that it is run, and its layers, read from its OCI layout."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from .wrong import Wrong

_NAMES = ("io.containerd.image.name", "org.opencontainers.image.ref.name")


@dataclass(frozen=True)
class Image:
    """An image.

    Attributes:
        name: Its name, without a tag.
        digest: The digest of its manifest.
        settings: What its configuration says of how it is run.
        platform: What it runs on.
        layers: The files of its layers, the lowest first.
    """

    name: str
    digest: str
    settings: dict[str, Any]
    platform: str
    layers: tuple[str, ...]

    def texts(self, name: str) -> list[str]:
        """Return a list of texts of its settings; empty where it says nothing."""
        return [str(one) for one in self.settings.get(name) or ()]

    def names(self, name: str) -> list[str]:
        """Return the names in a table of its settings, such as its ports, sorted."""
        return sorted(str(one) for one in self.settings.get(name) or {})


def read(layout: str) -> Image:
    """Return the image of an OCI layout.

    Raises:
        Wrong: There is none.
    """
    try:
        entry = _json(os.path.join(layout, "index.json"))["manifests"][0]
        manifest = _json(_blob(layout, entry["digest"]))
        config = _json(_blob(layout, manifest["config"]["digest"]))
        layers = tuple(_blob(layout, layer["digest"]) for layer in manifest["layers"])
        notes = entry.get("annotations", {})
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise Wrong(f"there is no image in {layout}: {error}.") from error
    name = next((notes[key] for key in _NAMES if key in notes), "image")
    platform = f"{config.get('os')}/{config.get('architecture')}"
    return Image(name, entry["digest"], config.get("config") or {}, platform, layers)


def is_meant(image: Image, said: str) -> bool:
    """Return whether `said` names an image: by its name with any tag, by its digest, or by the start of that."""
    plain, _, digest = said.partition("@")
    head, slash, last = plain.rpartition("/")
    name = f"{head}{slash}{last.partition(':')[0]}"
    if digest:
        return digest == image.digest
    hexadecimal = image.digest.partition(":")[2]
    return _whole(name) == _whole(image.name) or (len(said) >= 6 and hexadecimal.startswith(said))


def _whole(name: str) -> str:
    """Return a name as an engine completes it."""
    first = name.partition("/")[0]
    if "/" not in name:
        name = f"library/{name}"
    return name if "." in first or ":" in first or first == "localhost" else f"docker.io/{name}"


def _blob(layout: str, digest: str) -> str:
    return os.path.join(layout, "blobs", *str(digest).split(":", 1))


def _json(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)
