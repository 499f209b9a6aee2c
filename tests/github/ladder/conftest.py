"""The attempts of a small cycle, made once for all tests of the ladder; and what was collected and signed of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.github.ladder.handing import Elsewhere, make_elsewhere
from tests.github.ladder.staging import Signing


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory, greeter: tuple[Path, str]) -> Elsewhere:
    """Return where they were made."""
    return make_elsewhere(tmp_path_factory.mktemp("elsewhere"), greeter)


@pytest.fixture(scope="session")
def signing(tmp_path_factory: pytest.TempPathFactory, elsewhere: Elsewhere) -> Signing:
    """Return what was collected and signed."""
    return Signing.make(elsewhere, tmp_path_factory.mktemp("signing"))
