"""A disputed result says so on the page of its run, of its subject and of its board, with who said what and when."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from pathlib import Path

import pytest

from argusic.database import paths
from argusic.database.database import Database
from argusic.records.agent import Agent
from argusic.records.cycle import Cycle
from argusic.records.findings import Acceptance, Dispute, DisputeRevision, Moment, Resolution
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.records.run import Run
from argusic.site.build import build
from tests.site.conftest import silent
from tests.site.fixture_database import CYCLE, PASS, FixtureDatabase
from tests.site.test_traces import Bare

HOSTILE = '</dd><script>alert(1)</script> {{ 7 * 7 }} <!-- "\n# heading'


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Run]]:
    made = FixtureDatabase(tmp_path_factory.mktemp("disputed") / "referee")
    subject = made.subject("first", "First")
    runs = [made.run(subject, PASS, purpose="board") for _ in range(3)]
    stands = Resolution(
        result="evidence_stands",
        explanation="It starts.",
        moments=(Moment(seconds=14, shows="it decodes"),),
        by="ada",
        at=runs[2].finished,
    )
    corrected = Resolution(result="corrected", explanation="Ours was the fault.", by="ada", at=runs[2].finished)
    for number, (run, resolution) in enumerate(zip(runs, (stands, corrected, None), strict=True), start=7):
        dispute = Dispute(
            issue=number,
            run=run.run,
            cycle=CYCLE,
            by="kim",
            opened=run.finished,
            claim=f"It fails.{HOSTILE}",
            expected=f"A failure.{HOSTILE}",
            evidence=HOSTILE,
            url=f"https://github.example/o/r/issues/{number}",
            accepted=Acceptance(by="eve", at=run.finished) if number < 9 else None,
            resolution=resolution,
        )
        made.database.write(paths.dispute_path(CYCLE, number), dispute)
    for number, day in ((7, 3), (7, 4), (9, 5)):
        edited = runs[2].finished + timedelta(days=day)
        revision = DisputeRevision(
            issue=number, cycle=CYCLE, edited=edited, by="mel", claim=f"Day {day}.{HOSTILE}", expected=HOSTILE
        )
        made.database.write(paths.dispute_revision_path(CYCLE, number, edited), revision)
    base = made.finish()
    asked_for(base, runs[0])
    site = build(base, tmp_path_factory.mktemp("site") / "site", silent)
    return site.folder, runs


def asked_for(base: Database, run: Run) -> None:
    """Have the stronger agent asked for, and a run once more."""
    quiet = Agent(agent="quiet", title="Quiet", role="agent", program="none", implementation="newcomer")
    base.write(paths.agent_path("quiet"), quiet)
    cycle = {**base.cycle(CYCLE).model_dump(by_alias=True), "stronger_agent": "quiet"}
    base.write(paths.cycle_path(CYCLE), Cycle.model_validate(cycle), replace=True)
    facts = {"cycle": CYCLE, "reason": f"It works.{HOSTILE}", "by": "kim", "at": run.started}
    stronger = StrongerRequest.model_validate(facts | {"subject": run.subject, "issue": 9})
    base.write(paths.request_path(CYCLE, run.subject), stronger)
    again = ReproductionRequest.model_validate(facts | {"run": run.run})
    base.write(paths.reproduction_request_path(CYCLE, run.run), again)


def test_the_page_of_a_subject_says_what_was_asked_for(pages: tuple[Path, list[Run]]) -> None:
    page = (pages[0] / "subjects/package/first.html").read_text()
    start = page.index('id="requests"')
    panel = page[start - 5 : page.index("</div>", start)]
    text = words(panel)
    assert "A run of Quiet, the stronger agent, on 2026-11-01 by kim, issue 9. It was not made:" in text
    assert f"Run {pages[1][0].run} of Newcomer once more, on 2026-11-01 by kim. It is owed." in text
    assert "It works.</dd><script>alert(1)</script>" in text and "<script>alert(1)" not in page
    assert Bare(panel).found == []


def words(fragment: str) -> str:
    """Return the text of a piece of a page, spaces made one."""
    inner = re.sub(r"</?(?:span|a|code)\b[^>]*>", "", fragment)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", inner)).split())


def section(page: str, name: str) -> str:
    """Return what stands in the element of an id, up to the next heading or part of the page."""
    spelled = name.replace("-", "(?:-|&#45;)")
    found = re.search(rf'id="{spelled}".*?(?=</section>|</details>|<h2|</div>)', page, re.DOTALL)
    assert found is not None, name
    return found.group()


def test_the_page_of_a_run_shows_the_history_of_its_dispute(pages: tuple[Path, list[Run]]) -> None:
    page = (pages[0] / "subjects/package/first.html").read_text()
    for number, (run, says) in enumerate(
        zip(
            pages[1],
            ("Disputed; the evidence stands.", "Corrected after a dispute.", "Disputed, and not yet resolved."),
            strict=True,
        ),
        start=7,
    ):
        shown = section(page, f"dispute-{number}-{run.run}")
        text = words(shown)
        assert f'href="https://github.example/o/r/issues/{number}"' in html.unescape(shown)
        assert "It fails.</dd><script>alert(1)</script>" in text and "kim" in text
        assert ("ada" in text) == (number < 9) == ("eve" in text)
        assert text.count("Changed ") == {7: 2, 8: 0, 9: 1}[number] == text.count("by mel, to what follows")
        assert ("Day 3." in text) == ("Day 4." in text) == (number == 7)
        assert says in words(section(page, f"run-{run.run}"))
    assert "<script>alert(1)" not in page
    assert "?t=14" in page


@pytest.mark.parametrize("name", ["subjects/package/first.html", f"boards/{CYCLE}/package.html"])
def test_the_pages_of_subject_and_board_say_what_was_disputed(name: str, pages: tuple[Path, list[Run]]) -> None:
    shown = section((pages[0] / name).read_text(), "disputes")
    text = words(shown)
    for number, end in ((7, "the evidence stands."), (8, "Corrected after a dispute."), (9, "not yet resolved.")):
        assert re.search(rf"First, attempt {number - 6} by Newcomer, issue {number}: [^:]*{re.escape(end)}", text), text
    assert all(f"#run-{run.run}" in html.unescape(shown) for run in pages[1])
    day = r"\S+"
    whole = rf"Opened on {day} by kim, accepted on {day} by eve, changed on {day} by mel, changed on {day} by mel"
    assert re.search(rf"issue 7: .*?{whole}, resolved on {day} by ada\.", text), text
    assert re.search(rf"issue 9: .*?Opened on {day} by kim, changed on {day} by mel\.", text), text
