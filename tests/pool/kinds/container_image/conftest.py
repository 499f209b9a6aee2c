"""What the tests of container images share: a registry, and a workshop whose sandboxes say that they have PRoot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argusic.pool.images.asking import Patience
from argusic.pool.kinds.container_image import ContainerImageKind
from argusic.pool.kinds.protocol import Workshop
from argusic.sandbox.protocol import Completed
from tests.image_registry import ImageRegistry


class Says:
    """A sandbox that answers every command with one status."""

    def __init__(self, status: int) -> None:
        self._status = status

    def run(self, argv: list[str], **options: Any) -> Completed:
        return Completed(self._status, b"", False, False)

    def destroy(self) -> None:
        pass


@pytest.fixture
def registry() -> Iterator[ImageRegistry]:
    with ImageRegistry() as served:
        yield served


def a_workshop(cache: Path, *, status: int = 0, **environment: str) -> Workshop:
    """Return a workshop with a cache of its own."""
    return Workshop(cache, lambda: Says(status), lambda doing: None, environment)  # type: ignore[arg-type,return-value]


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return a_workshop(tmp_path / "cache")


@pytest.fixture
def images() -> ContainerImageKind:
    """The kind, with little patience."""
    return ContainerImageKind(pauses=(), patience=Patience(connect=2, silence=0.5, grace=3))
