"""The attempts of a small cycle, made once for all tests of the ladder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.github.ladder.handing import Elsewhere, make_elsewhere


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory, greeter: tuple[Path, str]) -> Iterator[Elsewhere]:
    """Return where they were made."""
    yield from make_elsewhere(tmp_path_factory.mktemp("elsewhere"), greeter)
