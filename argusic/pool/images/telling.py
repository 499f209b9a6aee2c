"""What an image is told to be: its description, from where its owner wrote it, and what an agent gets to read.

An image's interface has no place for a description. Some images carry a sentence in a label; most have a page with
their registry, which is no part of that interface. So a subject's own record may hold the description, word for word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from argusic.records.sources.container_image import Source

_LABEL = "org.opencontainers.image."
_MAX = 20_000
_RUNS = re.compile(r"\b(docker|podman) run\b")


def description_of(source: Source, labels: Mapping[str, str]) -> str | None:
    """Return an image's description: the one in its record, else what its labels say; None where they say nothing."""
    if source.description is not None:
        return source.description if source.description.endswith("\n") else f"{source.description}\n"
    said = _label(labels, "description")
    if said is None:
        return None
    lines = [f"# {_label(labels, 'title') or source.repository}", said]
    for name, called in (("documentation", "Documentation"), ("url", "Home"), ("source", "Source")):
        address = _label(labels, name)
        lines += [f"{called}: {address}"] if address else []
    return "\n\n".join(lines)[:_MAX] + "\n"


def names_a_command(description: str | None) -> bool:
    """Return whether a description says with which command the image is run."""
    return description is not None and _RUNS.search(description) is not None


def licence_of(labels: Mapping[str, str]) -> str | None:
    """Return the licence that an image's labels state."""
    return _label(labels, "licenses")


def summary_of(description: str | None) -> str | None:
    """Return the first sentence of a description that is no heading."""
    for block in re.split(r"\n\s*\n", description or ""):
        line = " ".join(block.split())
        if line and not line.startswith(("#", "```", "    ")):
            return re.split(r"(?<=[.!?])\s", line)[0][:300]
    return None


def _label(labels: Mapping[str, str], name: str) -> str | None:
    text = labels.get(f"{_LABEL}{name}", "").strip()
    return text or None
