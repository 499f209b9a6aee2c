"""A small referee repository on a stand-in for GitHub, for each test its own copy of one that is made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import make_small
from tests.workflows.act.referee import Referee, lay_out, refereeing


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory, greeter: tuple[Path, str]) -> Path:
    """Return the folder of a repository with one subject and one cycle, in which nothing has been run yet."""
    folder = tmp_path_factory.mktemp("empty")
    lay_out(folder, make_small(folder, greeter, "database"))
    return folder


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory, greeter: tuple[Path, str]) -> Path:
    """Return the folder of one whose cycle has been run: by the newcomer three times, and by the controls."""
    folder = tmp_path_factory.mktemp("full")
    lay_out(folder, make_small(folder, greeter, "database"), measured=True)
    return folder


@pytest.fixture(scope="session")
def seen() -> set[tuple[str, str, str]]:
    """Return the steps of workflows that ran in any test: workflow, job and name."""
    return set()


@pytest.fixture
def referee(tmp_path: Path, empty: Path, seen: set[tuple[str, str, str]]) -> Iterator[Referee]:
    """Serve a repository in which nothing has been run yet."""
    with refereeing(empty, tmp_path / "github", seen) as made:
        yield made


@pytest.fixture
def measured(tmp_path: Path, full: Path, seen: set[tuple[str, str, str]]) -> Iterator[Referee]:
    """Serve a repository whose cycle has been run."""
    with refereeing(full, tmp_path / "github", seen) as made:
        yield made
