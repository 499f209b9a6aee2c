"""The pages of the index in a real browser: filters by keyboard, without scripts, on a phone, in the dark; refits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from argusic.leaderboards.index.fitting import fit, shown
from argusic.site.build import Built
from argusic.site.index.contents import Contents
from tests.site.index.made_site import HOSTILE
from tests.site.reading import dead_links, pages

pytestmark = pytest.mark.browser


def visible(page: Any) -> list[str]:
    """Return the texts of the rows that are shown."""
    rows = "Array.from(document.querySelectorAll('#leaderboard tbody tr'))"
    return list(page.evaluate(f"{rows}.filter(row => row.offsetParent).map(row => row.innerText)"))


def test_the_leaderboard_is_filtered_by_keyboard(
    index_site: Built, contents: Contents, served: Any, open_page: Any
) -> None:
    with served(index_site.folder) as site, open_page() as page:
        page.goto(f"{site}/models/index.html")
        assert len(visible(page)) == len(contents.ranked)
        page.locator("#q").focus()
        page.keyboard.type("model 1")
        named = [one for one in contents.ranked if "Model 1" in one.model.model]
        assert len(visible(page)) == len(named) and page.inner_text("[data-shown]") == f"{len(named)} models"
        page.locator("#q").fill("")
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        openly = [one for one in contents.ranked if one.model.open_weights]
        assert len(visible(page)) == len(openly)
        assert page.url.endswith("?weights=open")
        assert page.locator("#leaderboard .ix-all:visible").count() == 0
        page.goto(f"{site}/models/index.html?category=coding")
        first = max(
            (one for one in contents.ranked if "coding" in one.domains), key=lambda one: one.domains["coding"].score
        )
        assert first.model.model in visible(page)[0].replace("\n", " ")
        page.goto(f"{site}/models/index.html?q=nobody")
        assert visible(page) == [] and page.get_by_text("No model matches.").is_visible()


def test_both_ranges_are_shown_on_demand(index_site: Built, open_page: Any) -> None:
    with open_page() as page:
        page.goto((index_site.folder / "models/index.html").as_uri())
        other = page.locator("#leaderboard tbody .ix-other-words").first
        assert not other.is_visible()
        page.locator("#both").press("Space")
        assert other.is_visible()


def test_without_scripts_it_is_a_plain_table(index_site: Built, contents: Contents, open_page: Any) -> None:
    with open_page(java_script_enabled=False) as page:
        page.goto((index_site.folder / "models/index.html").as_uri())
        assert len(visible(page)) == len(contents.ranked)
        assert not page.locator("#q").is_visible()
        page.locator("#both").check()
        assert page.locator("#leaderboard tbody .ix-other-words").first.is_visible()
        page.goto((index_site.folder / "models/drop.html").as_uri())
        assert page.get_by_text("This page needs JavaScript.").is_visible()


@pytest.mark.parametrize(
    ("mode", "drop"), [("held", "bench-03"), pytest.param("free", "bench-05", marks=pytest.mark.endurance)]
)
def test_dropping_a_benchmark_moves_each_score_as_the_program_says(
    index_site: Built, contents: Contents, open_page: Any, mode: str, drop: str
) -> None:
    made = contents.index.fit
    responses = made.responses
    left = responses.where(responses.benchmark != responses.benchmarks.index(drop))
    anchors = {name: made.item(name) for name in left.benchmarks} if mode == "held" else {}
    expected = dict(zip(left.models, shown(fit(left, made.options, anchors=anchors).at.theta), strict=True))
    with open_page() as page:
        # From a disk, without any server.
        page.goto((index_site.folder / "models/drop.html").as_uri())
        page.locator(f"input[name=mode][value={mode}]").check()
        page.locator("label", has_text=drop.upper()).locator("input").uncheck()
        page.get_by_text("1 benchmark is dropped").wait_for()
        assert "by 0.000" in page.inner_text("[data-check]")
        rows = {
            row.locator("th").inner_text(): row.locator("td").all_inner_texts()
            for row in page.locator("[data-rows] tr").all()
        }
    assert len(rows) == len(contents.ranked)
    for one in contents.ranked:
        if one.model.model in rows:
            assert float(rows[one.model.model][1]) == pytest.approx(expected[one.model.model], abs=0.051 + 0.05)
    changes = [float(cells[2].replace("\u2212", "-")) for cells in rows.values()]
    assert np.max(np.abs(changes)) > 0


def look(site: str, page: Any, name: str, scheme: str) -> None:
    """Look at a page on a phone: it is no wider, nothing of a name ran, and the scheme is the reader's."""
    page.goto(f"{site}/{name}")
    wide, pwned, back = page.evaluate(
        "[document.documentElement.scrollWidth, window.pwned, getComputedStyle(document.body).backgroundColor]"
    )
    assert (wide <= 360, pwned) == (True, None), name
    assert (sum(map(int, back.removeprefix("rgb(").rstrip(")").split(", "))) < 200) == (scheme == "dark"), name


def test_pages_fit_a_phone_in_both_schemes(index_site: Built, contents: Contents, served: Any, open_page: Any) -> None:
    longest = f"models/of/{contents.model_slugs[HOSTILE[-1]]}.html"
    with served(index_site.folder) as site, open_page(viewport={"width": 360, "height": 800}) as page:
        for name, scheme in (
            ("models/index.html", "light"),
            (longest, "light"),
            ("models/benchmarks/old.html", "dark"),
        ):
            page.emulate_media(color_scheme=scheme)
            look(site, page, name, scheme)


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(index_site: Built) -> None:
    read = pages(index_site.folder)
    assert dead_links(index_site.folder, read) == []
    loaded = [
        attributes.get("src") or attributes.get("href", "")
        for name, page in read.items()
        for tag, attributes in page.tags
        if name.startswith("models/") and tag in ("script", "link", "img") and attributes.get("rel") != "canonical"
    ]
    assert loaded and not [address for address in loaded if "//" in address or address.startswith("/")]
    assert "models/index.html" in read["index.html"].addresses()


@pytest.mark.endurance
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_phone_and_nothing_of_a_name_runs(
    index_site: Built, served: Any, open_page: Any, scheme: str
) -> None:
    said: list[str] = []
    written = sorted(
        str(path.relative_to(index_site.folder)) for path in (index_site.folder / "models").rglob("*.html")
    )
    options = {"viewport": {"width": 360, "height": 800}, "color_scheme": scheme}
    with served(index_site.folder) as site, open_page(**options) as page:
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: dialog.dismiss())
        for name in written:
            look(site, page, name, scheme)
    assert said == []


@pytest.mark.endurance
def test_a_point_of_a_curve_leads_to_its_model(index_site: Built, open_page: Any) -> None:
    with open_page() as page:
        page.goto((index_site.folder / "models/benchmarks/bench-00.html").as_uri())
        link = page.locator("svg a").first
        title = link.locator("title").text_content()
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/models/of/*.html")
        assert title.rpartition(": score")[0] == page.inner_text("h1")


@pytest.mark.endurance
def test_a_curve_is_shown_alone_at_the_keyboard(index_site: Built, open_page: Any) -> None:
    with open_page() as page:
        page.goto((index_site.folder / "models/curves.html").as_uri())
        link = page.locator("[data-curve]").nth(2)
        link.focus()
        assert page.locator(".ix-shown").get_attribute("id") == link.get_attribute("data-curve")
