"""A small referee repository on a stand-in for GitHub, for each test its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argusic.database.database import Database
from tests.workflows.act.referee import Referee, refereeing


@pytest.fixture
def referee(tmp_path: Path, small_database: Callable[..., Database]) -> Iterator[Referee]:
    """Return a repository with one subject and one cycle, in which nothing has been run yet."""
    with refereeing(tmp_path / "github", small_database()) as made:
        yield made
