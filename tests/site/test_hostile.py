from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argusic.records.run import Ending
from argusic.site.build import Built, build
from tests.site.conftest import silent
from tests.site.fixture_database import CYCLE, FAIL, PASS, Command, FixtureDatabase
from tests.site.reading import ReadPage, dead_links, pages
from tests.site.reproduced import reproduce
from tests.site.stating import state_change

#: One payload a way of breaking out: elements, attributes, Markdown, its extensions, templates, terminals, ends.
PAYLOAD = (
    " <script>window.pwned=1</script><img src=x onerror=window.pwned=2>"
    "\"'><svg/onload=window.pwned=3></title></textarea></noscript><style>*{display:none}</style>"
    '[l](javascript:window.pwned=4) ![i](x"onerror=window.pwned=5) <javascript:window.pwned=6> [r][r]\n'
    "\n[r]: javascript:window.pwned=7\n# heading {: onmouseover=window.pwned=8 }\n"
    "{{ 7*7 }}{% include '/etc/passwd' %}{{ config }} `code` **bold** | cell | :smile: ~~x~~ &lt;b&gt; <!-- "
    "--> ]]> \x1b[31mred\x1b]0;title\x07 \u202eover\u202c \x02klzzwxh:0001\x03 -->\n---\ntitle: x\n---\n"
)
#: The same for a record that takes one short line alone.
LINE = (
    "<script>window.pwned=1</script><img src=x onerror=window.pwned=2> [l](javascript:window.pwned=4) `c` | {{ 7*7 }}"
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build a site of a database in which every field that outsiders write holds the payload."""
    made = FixtureDatabase(tmp_path_factory.mktemp("hostile") / "referee", hidden=PAYLOAD)
    made.agent("pilot", "Pilot")
    made.board_agents = ["newcomer", "pilot"]
    first, second = made.subject("first", "First"), made.subject("second", "Second")
    for agent in ("newcomer", "pilot"):
        for _ in range(3):
            made.run(first, PASS, agent=agent, purpose="board")
    made.run(first, {**PASS, "verified_how": "by looking"})
    made.run(second, FAIL)
    made.run(second, FAIL, ending=Ending(how="time_limit", detail="It ran out." + PAYLOAD))
    made.run(second, None, ending=Ending(how="harness_error", detail="Cut." + PAYLOAD))
    made.run(second, None, agent="nop", purpose="control", commands=(Command("true"),))
    database = made.finish()
    reproduce(database, CYCLE, 2027, LINE[:100], hidden=LINE)
    state_change(database.root, PAYLOAD)
    return build(database, tmp_path_factory.mktemp("site") / "site", silent)


@pytest.fixture(scope="module")
def read(hostile: Built) -> dict[str, ReadPage]:
    return pages(hostile.folder)


def _own_scripts(page: ReadPage) -> Iterator[dict[str, str]]:
    yield from (attributes for tag, attributes in page.tags if tag == "script" and "src" in attributes)


def test_no_page_has_an_element_that_the_templates_did_not_write(read: dict[str, ReadPage], built: Built) -> None:
    """The hostile site has the same elements, by name, as a harmless one has."""
    known = {tag for page in pages(built.folder).values() for tag, _ in page.tags}
    for name, page in read.items():
        assert {tag for tag, _ in page.tags} <= known, name


def test_no_attribute_holds_a_script(read: dict[str, ReadPage]) -> None:
    for name, page in read.items():
        for tag, attributes in page.tags:
            assert not [key for key in attributes if key.startswith("on")], (name, tag)
            for key in ("href", "src", "action", "formaction"):
                assert "javascript:" not in attributes.get(key, "").lower(), (name, tag)


def test_no_script_is_the_payloads(hostile: Built) -> None:
    for path in hostile.folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for script in re.findall(r"<script\b[^>]*>(.*?)</script", text, re.DOTALL | re.IGNORECASE):
            assert "pwned" not in script, path
        assert "<style>*" not in text, path


def test_no_template_or_reference_was_evaluated(read: dict[str, ReadPage]) -> None:
    page = read["subjects/package/first.html"]
    assert "{{ 7*7 }}" in page.text and "{% include" in page.text
    assert "&lt;b&gt;" in page.text
    assert "root:x:0" not in "".join(other.text for other in read.values())


def test_no_control_or_override_reaches_a_page(hostile: Built) -> None:
    for path in hostile.folder.rglob("*.html"):
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069]", path.read_text()), path


def test_the_payload_is_readable_as_text_on_the_pages_that_quote_it(read: dict[str, ReadPage]) -> None:
    for name in ("subjects/package/first.html", "subjects/package/second.html", "boards/first/package.html"):
        assert "<script>window.pwned=1</script>" in read[name].text, name
    reproductions = [page for name, page in read.items() if name.startswith("reproductions/")]
    assert len(reproductions) == 2 and all("<script>window.pwned=1</script>" in page.text for page in reproductions)
    logs = [page for name, page in read.items() if name.endswith("/log.html")]
    assert all("<script>window.pwned=1</script>" in page.text for page in logs)


def test_links_still_lead_somewhere(hostile: Built, read: dict[str, ReadPage]) -> None:
    assert dead_links(hostile.folder, read) == []


def test_the_search_index_holds_no_live_markup(hostile: Built) -> None:
    index = json.loads((hostile.folder / "search" / "search_index.json").read_text())
    for entry in index["docs"]:
        assert not re.search(r"<(?!/?(p|code|pre|li|ol|ul|sub|sup)>)", entry["title"] + entry["text"]), entry[
            "location"
        ]


@pytest.mark.browser
def test_nothing_runs_in_a_real_browser(hostile: Built, served: Any, open_page: Any) -> None:
    with served(hostile.folder) as site, open_page() as page:
        said: list[str] = []
        page.on("dialog", lambda dialog: dialog.dismiss())
        page.on("pageerror", lambda error: said.append(str(error)))
        for path in sorted(hostile.folder.rglob("*.html")):
            if path.name == "404.html":
                continue
            page.goto(f"{site}/{path.relative_to(hostile.folder)}")
            assert page.evaluate("window.pwned") is None, path
        page.goto(f"{site}/subjects/package/first.html")
        page.locator("[data-play]").first.click()
        page.locator(".ap-terminal, .ap-term").first.wait_for()
        page.goto(f"{site}/index.html?q=script")
        page.locator(".md-search-result__item").first.wait_for()
        page.wait_for_timeout(300)
        assert page.evaluate("window.pwned") is None
        assert said == []


def test_a_hostile_recording_file_is_served_as_it_is(hostile: Built) -> None:
    sidecars: list[Path] = list(hostile.folder.rglob("recording.cast.js"))
    assert sidecars
    for path in sidecars:
        text = path.read_text()
        assert text.startswith('window.argusicRecording = "') and text.count("\n") == 1
