from __future__ import annotations

from typing import Any

import pytest

from argusic.site.build import Built

pytestmark = pytest.mark.browser


def test_board_to_subject_to_run_to_log_line(built: Built, served: Any, open_page: Any) -> None:
    with served(built.folder) as site, open_page() as page:
        page.goto(f"{site}/index.html")
        page.get_by_text("The whole board, with every set behind it").click()
        page.locator("#board").wait_for()
        page.locator("section table a", has_text="Runs").first.click()
        page.locator("#verdict").wait_for()
        assert "verified it running for real" in page.inner_text("#verdict")
        page.locator("#attempts + .ag-scroll tbody th a").last.click()
        run = page.locator("section.ag-run:target")
        run.wait_for()
        run.locator("summary", has_text="3 commands").click()
        run.get_by_role("link", name="line 4", exact=True).click()
        line = page.locator(".log div:target")
        line.wait_for()
        assert line.inner_text().strip() == "$ python -m demo"
        assert line.get_attribute("id") == "L4"


def test_a_recording_plays(built: Built, served: Any, open_page: Any) -> None:
    recording = min(built.folder.rglob("recording.cast")).parent / "recording.html"
    with served(built.folder) as site, open_page() as page:
        page.goto(f"{site}/{recording.relative_to(built.folder)}")
        page.locator("#player .ap-overlay-start").click()
        page.wait_for_function("document.getElementById('player').innerText.includes('Successfully installed')")
        page.wait_for_function("async () => (await argusicPlayer.player.getCurrentTime()) > 1")
        page.locator(".commands li.now").wait_for()


@pytest.mark.parametrize("place", ["?t=14.6", "#t=14.6"])
def test_a_link_to_a_second_starts_there(built: Built, served: Any, open_page: Any, place: str) -> None:
    recording = min(built.folder.rglob("recording.cast")).parent / "recording.html"
    with served(built.folder) as site, open_page() as page:
        # The pause before that second is long: a player that shortens pauses would be past the end.
        page.goto(f"{site}/{recording.relative_to(built.folder)}{place}")
        page.wait_for_function("document.getElementById('player').innerText.includes('$ python -m demo decode')")
        assert "42 frames" not in page.inner_text("#player")
        page.wait_for_function("document.getElementById('player').innerText.includes('usage: demo decode FILE')")
        page.wait_for_function(
            "document.querySelector('.commands li.now code')?.textContent.includes('decode out.bin')"
        )


def test_a_command_beside_the_player_seeks_to_it(built: Built, served: Any, open_page: Any) -> None:
    recording = min(built.folder.rglob("recording.cast")).parent / "recording.html"
    with served(built.folder) as site, open_page() as page:
        page.goto(f"{site}/{recording.relative_to(built.folder)}")
        page.locator(".commands li a").nth(4).click()
        page.wait_for_function("document.getElementById('player').innerText.includes('error: no file')")
        assert page.url.endswith("?t=14.5")


def test_a_recording_plays_on_the_page_of_its_run(built: Built, served: Any, open_page: Any) -> None:
    with served(built.folder) as site, open_page() as page:
        page.goto(f"{site}/subjects/package/mocks.html")
        page.locator("[data-play]").first.click()
        page.wait_for_function("document.querySelector('.ag-player').innerText.includes('Collecting demo')")


def test_a_recording_plays_from_a_disk(built: Built, open_page: Any) -> None:
    recording = min(built.folder.rglob("recording.cast")).parent / "recording.html"
    with open_page() as page:
        page.goto(f"{recording.as_uri()}?t=14.6")
        page.wait_for_function("document.getElementById('player').innerText.includes('usage: demo decode FILE')")
        page.goto(f"{(built.folder / 'subjects/package/mocks.html').as_uri()}")
        page.locator("[data-play]").first.click()
        page.wait_for_function("document.querySelector('.ag-player').innerText.includes('Collecting demo')")


def test_the_list_of_subjects_filters_sorts_and_keeps_its_address(built: Built, served: Any, open_page: Any) -> None:
    with served(built.folder) as site, open_page() as page:
        rows = page.locator("#subjects tbody tr:visible")
        page.goto(f"{site}/subjects/index.html?verdict=could_not_verify")
        assert rows.all_inner_texts()[0].startswith("fails") and rows.count() == 1
        page.get_by_role("checkbox", name="Could not verify").uncheck()
        page.fill("#q", "dam")
        assert rows.count() == 1 and page.url.endswith("?q=dam")
        page.fill("#q", "no such thing")
        assert rows.count() == 0 and page.locator("[data-none]").is_visible()
        page.fill("#q", "")
        head = page.get_by_role("columnheader", name="Attempts")
        head.get_by_role("button").click()
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        assert rows.first.inner_text().startswith("Runs")


def test_no_page_asks_another_host_for_anything(built: Built, served: Any, open_page: Any) -> None:
    with served(built.folder) as site, open_page() as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for path in ("index.html", "subjects/index.html", "subjects/package/runs.html", "methodology.html"):
            page.goto(f"{site}/{path}")
            page.wait_for_load_state("networkidle")
        assert [url for url in asked if not url.startswith((site, "data:", "blob:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast_in_both_schemes(built: Built, served: Any, open_page: Any, scheme: str) -> None:
    with served(built.folder) as site, open_page(color_scheme=scheme) as page:
        for path in ("index.html", "subjects/package/runs.html", "subjects/package/waits.html", "methodology.html"):
            page.goto(f"{site}/{path}")
            assert page.evaluate(LOW_CONTRAST) == [], path


@pytest.mark.parametrize(
    "path", ["index.html", "subjects/index.html", "subjects/package/runs.html", "boards/first/package.html"]
)
def test_no_page_is_wider_than_a_telephone(built: Built, served: Any, open_page: Any, path: str) -> None:
    with served(built.folder) as site, open_page(viewport={"width": 375, "height": 700}) as page:
        page.goto(f"{site}/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 375


#: Text of the content whose contrast with what lies behind it is below 4.5 to 1.
LOW_CONTRAST = """() => {
  const parse = (text) => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    return parts.length < 4 ? [...parts, 1] : parts;
  };
  const channel = (v) => v / 255 <= .03928 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4;
  const light = (c) => .2126 * channel(c[0]) + .7152 * channel(c[1]) + .0722 * channel(c[2]);
  const over = (top, under) => under.map((v, i) => top[i] * top[3] + v * (1 - top[3]));
  const behind = (el) => {
    const layers = [];
    for (let e = el; e; e = e.parentElement) layers.unshift(parse(getComputedStyle(e).backgroundColor));
    return layers.reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const found = [];
  const walk = document.createTreeWalker(document.querySelector('.md-content'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const el = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (!text || !el.checkVisibility() || el.closest('.headerlink, [aria-hidden]')) continue;
    const back = behind(el), fore = over(parse(getComputedStyle(el).color), back);
    const [a, b] = [light(fore), light(back)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) found.push(ratio.toFixed(2) + ' ' + el.className + ': ' + text.slice(0, 40));
  }
  return found;
}"""
