"""The pages of a made-up index, written once for several tests, and a whole site with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.site.build import Built, build
from argusic.site.index.contents import Contents
from argusic.site.index.gathering import gathered
from argusic.site.index.pages import IndexPages
from tests.site.conftest import silent
from tests.site.index.made_site import write_repository
from tests.site.reading import ReadPage, pages


@pytest.fixture(scope="session")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return a repository that ranks models with hostile names."""
    return write_repository(tmp_path_factory.mktemp("ranked") / "referee")


@pytest.fixture(scope="session")
def contents(ranked: Database) -> Contents:
    """Return what its pages show."""
    found = gathered(ranked)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def index_site(ranked: Database, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Return its built site."""
    return build(ranked, tmp_path_factory.mktemp("ranked-site") / "site", silent)


@pytest.fixture(scope="session")
def written(contents: Contents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sources of the pages."""
    folder = tmp_path_factory.mktemp("written")
    IndexPages(contents, [("Models", "models/index.md")]).write(folder, silent)
    return folder


@pytest.fixture(scope="session")
def plain(written: Path) -> dict[str, ReadPage]:
    """Return the pages of models and benchmarks by their paths."""
    return pages(written)
