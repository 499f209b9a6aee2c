"""How often each result was reproduced, by how many and with what agreement, stands wherever the result stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from argusic.site.build import Built, build
from tests.site.conftest import silent
from tests.site.fixture_database import CYCLE, FAIL, PASS, FixtureDatabase
from tests.site.reading import ReadPage, dead_links, pages
from tests.site.reproduced import reproduce


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, dict[str, ReadPage]]:
    """Build a site of two subjects that two people reproduced three times; one came out otherwise once."""
    made = FixtureDatabase(tmp_path_factory.mktemp("reproduced") / "referee")
    first, second, third = made.subject("first", "First"), made.subject("second", "Second"), made.subject("third")
    for _ in range(3):
        made.run(first, PASS, purpose="board")
        made.run(second, FAIL, purpose="board")
    database = made.finish()
    reproduce(database, CYCLE, 2027, "Ada", otherwise=first)
    reproduce(database, CYCLE, 2028, "Kim")
    reproduce(database, CYCLE, 2029, "Ada")
    made.run(third, PASS, purpose="board")
    built = build(made.finish(), tmp_path_factory.mktemp("site") / "site", silent)
    return built, pages(built.folder)


def words(page: ReadPage) -> str:
    return " ".join(page.text.split())


def test_a_subject_says_how_often_it_was_reproduced_and_by_how_many(shown: tuple[Built, dict[str, ReadPage]]) -> None:
    for name, agreed in (("first", "6 of 9"), ("second", "9 of 9")):
        text = words(shown[1][f"subjects/package/{name}.html"])
        assert f"Newcomer in First cycle: 3 times, by 2 names; the same outcome in {agreed}." in text
        assert text.count(f"in this cycle were reproduced 3 times, by 2 names; the same outcome in {agreed}.") == 3
    assert "reproduced" not in words(shown[1]["subjects/package/third.html"])


def test_a_cycle_says_how_often_it_was_reproduced(shown: tuple[Built, dict[str, ReadPage]]) -> None:
    assert "were reproduced 3 times, by 2 names." in words(shown[1]["boards/first/package.html"])


def test_each_reproduction_has_a_page_with_its_tables(shown: tuple[Built, dict[str, ReadPage]]) -> None:
    built, read = shown
    found = sorted(name for name in read if name.startswith("reproductions/first/"))
    assert len(found) == 3
    text = words(read[found[0]])
    assert "run again by Ada" in text and "nothing here proves it" in text
    assert "1 of 2 subjects came out the same." in text and "3 of 6 attempts came out the same." in text
    assert "Cohen's kappa, which takes away what chance would give, is 0.00" in text
    assert "First, then again" in text and "outside" in text
    assert "1 of 2 middle scores lie no further away" in text
    assert "sandbox" in text and "bubblewrap 0.12" in text
    assert "is 1.00. It has no interval: No pair differs" in words(read[found[1]])
    assert dead_links(built.folder, read) == []


def test_a_repository_without_reproductions_says_so(built: Built) -> None:
    text = (built.folder / "reproductions" / "index.html").read_text(encoding="utf-8")
    assert "No reproduction has been recorded." in text
    assert not Path(built.folder / "reproductions" / CYCLE).exists()
