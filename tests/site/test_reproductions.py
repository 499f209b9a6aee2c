"""How often each result was reproduced, by how many and with what agreement, stands wherever the result stands."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from argusic.site.render import Renderer
from argusic.site.signatures import Signatures
from argusic.site.survey import survey
from argusic.site.templates import environment
from argusic.site.views import view
from tests.site.fixture_database import CYCLE, FAIL, PASS, FixtureDatabase
from tests.site.reproduced import reproduce


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the words of the pages of two subjects that two people reproduced three times, one otherwise once."""
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
    database = made.finish()
    everything, signatures = survey(database), Signatures(database)
    renderer, cycle = Renderer(environment(), everything), everything.cycles[0]
    found = {
        results.subject.slug: renderer.subject(
            results, [view(database, run, cycle, signatures) for run in results.runs], []
        )
        for results in everything.subjects
    }
    found |= {"board": renderer.board(everything.boards[0]), "list": renderer.reproductions()}
    for one in everything.reproductions.standings:
        found[one.reproduction.reproduction[:4]] = renderer.reproduction(one)
    return {name: words(text) for name, text in found.items()}


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def test_a_subject_says_how_often_it_was_reproduced_and_by_how_many(pages: dict[str, str]) -> None:
    for name, agreed in (("first", "6 of 9"), ("second", "9 of 9")):
        text = pages[name]
        assert f"Newcomer in First cycle: 3 times, by 2 names; the same outcome in {agreed}." in text
        assert text.count(f"in this cycle were reproduced 3 times, by 2 names; the same outcome in {agreed}.") == 3
    assert "reproduced" not in pages["third"]


def test_a_cycle_says_how_often_it_was_reproduced(pages: dict[str, str]) -> None:
    assert "were reproduced 3 times, by 2 names." in pages["board"]


def test_each_reproduction_has_a_page_with_its_tables(pages: dict[str, str]) -> None:
    text = pages["2027"]
    assert "run again by Ada" in text and "nothing here proves it" in text
    assert "1 of 2 subjects came out the same." in text and "3 of 6 attempts came out the same." in text
    assert "Cohen's kappa, which takes away what chance would give, is 0.00" in text
    assert "First, then again" in text and "outside" in text
    assert "1 of 2 middle scores lie no further away" in text
    assert "sandbox" in text and "bubblewrap 0.12" in text
    assert "is 1.00. It has no interval: No pair differs" in pages["2028"]


def test_the_list_says_result_by_result_how_far_it_agrees(pages: dict[str, str]) -> None:
    text = pages["list"]
    assert text.count("2027-") == 0 and "2028-01-01" in text and "2030-01-01" in text
    assert "FirstNewcomer3 times, by 2 names6 of 9" in text
    assert "SecondNewcomer3 times, by 2 names9 of 9" in text


def test_a_repository_without_reproductions_says_so(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    made.run(made.subject("first"), PASS)
    renderer = Renderer(environment(), survey(made.finish()))
    assert "No reproduction has been recorded." in words(renderer.reproductions())
    assert "reproduced" not in words(renderer.board(renderer.survey.boards[0]))
