"""Statements of `rules/changes/` stand on the page of the changelog."""

from __future__ import annotations

from pathlib import Path

import pytest

from argusic.site.build import build
from tests.site.conftest import silent
from tests.site.fixture_database import PASS, FixtureDatabase
from tests.site.reading import pages
from tests.site.stating import state_change


@pytest.mark.parametrize("stated", [True, False])
def test_a_change_without_effect_is_on_the_changelog_with_its_files(tmp_path: Path, stated: bool) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    made.run(made.subject("first", "First"), PASS)
    database = made.finish()
    if stated:
        digest = state_change(database.root, "A word was misspelt.")
    build(database, tmp_path / "site", silent)
    text = pages(tmp_path / "site")["changelog.html"].text
    assert ("Changes without effect" in text) is stated
    if stated:
        shown = " ".join(text.split())
        assert "A word was misspelt. states: A word was misspelt." in shown
        assert "1 file A word was misspelt., removed" in shown
        html = (tmp_path / "site/changelog.html").read_text()
        assert f'data-trace="rules/changes/{digest}.yaml#at"' in html
