"""What somebody asked for stands on the page of the subject, with who asked, why, and what became of it."""

from __future__ import annotations

from pathlib import Path

from argusic.database import paths
from argusic.records.cycle import Cycle
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.site.build import build
from tests.site.conftest import silent
from tests.site.fixture_database import CYCLE, FAIL, OPENS, FixtureDatabase
from tests.site.test_disputes import HOSTILE, words
from tests.site.test_traces import Bare


def test_the_page_of_a_subject_says_what_was_asked_for(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee", board_agents=[])
    subject = made.subject("first", "First")
    runs = [made.run(subject, FAIL) for _ in range(2)]
    made.agent("quiet", "Quiet")
    base = made.finish()
    cycle = {**base.cycle(CYCLE).model_dump(by_alias=True), "stronger_agent": "quiet"}
    base.write(paths.cycle_path(CYCLE), Cycle.model_validate(cycle), replace=True)
    asked = StrongerRequest(cycle=CYCLE, subject=subject, reason=f"It works.{HOSTILE}", by="kim", at=OPENS, issue=9)
    base.write(paths.request_path(CYCLE, subject), asked)
    again = ReproductionRequest(run=runs[0].run, cycle=CYCLE, reason="Again.", by="mel", at=OPENS)
    base.write(paths.reproduction_request_path(CYCLE, runs[0].run), again)
    page = (build(base, tmp_path / "site", silent).folder / "subjects/package/first.html").read_text()
    start = page.index('id="requests"')
    panel = page[start - 5 : page.index("</div>", start)]
    text = words(panel)
    assert "A run of Quiet, the stronger agent, on 2026-11-01 by kim, issue 9. It is owed." in text
    assert f"Run {runs[0].run} of Newcomer once more, on 2026-11-01 by mel. It is owed." in text
    assert "It works.</dd><script>alert(1)</script>" in text and "<script>alert(1)" not in page
    assert Bare(panel).found == []
