"""Every figure of every page has an address, and every address is traced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from argusic.database import paths
from argusic.errors import CheckFailed
from argusic.records.findings import Dispute, Invalidation, Moment, Resolution, Withdrawal, WithdrawnFile
from argusic.records.manifest import Manifest
from argusic.records.run import Ending, Run
from argusic.referee.tracing.tracing import Tracer
from argusic.site.build import Built, build
from argusic.site.templates import environment
from tests.site.conftest import silent
from tests.site.fixture_database import COMMANDS, CYCLE, FAIL, PASS, Command, FixtureDatabase
from tests.site.reading import pages
from tests.site.reproduced import reproduce

#: A figure: digits that are no part of a name.
FIGURE = re.compile(r"(?<![\w.#-])\d[\d.,:]*(?![\w-])")
#: What has digits and is no figure: ids of runs and of editions.
NAMES = re.compile(r"\d{8}T\d{6}Z-[a-z2-7]{6}|\bv\d+\.\d+\b")
#: Elements that hold other people's words, code, or what browsers show in no page.
QUOTED = {"code", "pre", "blockquote", "script", "style", "title"}
QUOTED_CLASSES = {"ag-command", "log"}
VOID = {"br", "img", "input", "link", "meta", "hr", "path"}


class Bare(HTMLParser):
    """Collects the figures of a page that stand in no element with an address."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._covered = [False]
        self.found: list[str] = []
        self.traced: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        given = dict(attrs)
        quoted = tag in QUOTED or bool(QUOTED_CLASSES & set((given.get("class") or "").split()))
        self._covered.append(self._covered[-1] or quoted or "data-trace" in given)
        if (address := given.get("data-trace")) is not None:
            self.traced.append((address, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self._covered.pop()

    def handle_data(self, data: str) -> None:
        if not self._covered[-1]:
            # A rule says 0 in words that no figure fills in, as the templates do.
            found = (figure.rstrip(".,:") for figure in FIGURE.findall(NAMES.sub("", data)))
            self.found += [figure for figure in found if figure != "0"]
        elif self.traced and not self.traced[-1][1]:
            self.traced[-1] = (self.traced[-1][0], data)


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[FixtureDatabase, Built]:
    """Build a site with every sort of result whose evidence is whole."""
    made = FixtureDatabase(tmp_path_factory.mktemp("traced") / "referee")
    made.agent("pilot", "Pilot")
    made.board_agents = ["newcomer", "pilot"]
    first, second, third = made.subject("first", "First"), made.subject("second"), made.subject("third")
    for agent in made.board_agents:
        for report in (PASS, {**PASS, "verified_how": "not verified"}, {**PASS, "test_depth": "tier2_mock"}, PASS):
            made.run(first, report, agent=agent, purpose="board")
    counts = {**FAIL, "errors": None, "errors_encountered": 3, "errors_fixed": 1}
    made.run(second, counts)
    made.run(second, FAIL, ending=Ending(how="time_limit"))
    made.run(second, None)
    made.run(third, FAIL, ending=Ending(how="harness_error", detail="The recorder ended early."))
    made.run(third, FAIL, ending=Ending(how="withheld"))
    made.run(third, None, agent="nop", purpose="control", commands=())
    fourth, fifth = made.subject("fourth"), made.subject("fifth")
    for agent in made.board_agents:
        made.run(fourth, FAIL, agent=agent, purpose="board")
    later = made.run(fifth, PASS)
    gone = made.run(fifth, PASS, commands=(Command("demo withdrawn"), *COMMANDS))
    held = made.run(fifth, {**PASS, "verified_how": {"command": "demo never", "result": "ran"}}, audited=True)
    assert held.audit is not None and held.audit.contradicted
    learn(made, later, gone)
    database = made.finish()
    reproduce(database, CYCLE, 2027, "Ada", otherwise="package/first")
    reproduce(database, CYCLE, 2028, "Kim")
    return made, build(database, tmp_path_factory.mktemp("site") / "site", silent)


def learn(made: FixtureDatabase, later: Run, gone: Run) -> None:
    """Write down what was learnt later: one run counts nowhere and was disputed, and a recording was withdrawn."""
    database, said = made.database, {"cycle": CYCLE, "by": "ada", "at": later.finished}
    invalidation = Invalidation(run=later.run, reason="A mirror was down.", **said)  # type: ignore[arg-type]
    database.write(paths.invalidation_path(CYCLE, later.run), invalidation)
    moment = Moment(seconds=2.5, shows="the mirror answers nothing")
    dispute = Dispute(
        issue=7,
        run=later.run,
        cycle=CYCLE,
        by="kim",
        opened=later.finished,
        claim="It works with 2 mirrors.",
        expected="A pass.",
        evidence="Line 3 of the log.",
        url="https://github.example/o/r/issues/7",
        resolution=Resolution(
            result="evidence_stands", explanation="See 2 places.", moments=(moment,), by="ada", at=later.finished
        ),
    )
    database.write(paths.dispute_path(CYCLE, 7), dispute)
    open_one = dispute.model_copy(update={"issue": 8, "resolution": None, "evidence": None, "url": None})
    database.write(paths.dispute_path(CYCLE, 8), open_one)
    folder = paths.run_folder(CYCLE, gone.subject, gone.agent, gone.run)
    manifest = database.read(folder / paths.MANIFEST_FILE, Manifest)
    file = next(file for file in manifest.files if file.role == "recording")
    withdrawn = (WithdrawnFile(name=file.name, sha256=file.sha256),)
    withdrawal = Withdrawal(run=gone.run, files=withdrawn, reason="A name stood in it.", **said)  # type: ignore[arg-type]
    database.write(paths.withdrawal_path(CYCLE, gone.run), withdrawal)
    (database.root / folder / file.name).unlink()


def own_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the pages that templates make, without what the theme adds around them."""
    for path in sorted(folder.rglob("*.html")):
        name = str(path.relative_to(folder))
        text = path.read_text(encoding="utf-8")
        if name == "404.html" or name.startswith("guides/"):
            continue
        article = re.search(r"<article.*?</article>|<main id=\"main\">.*?</main>", text, re.DOTALL)
        assert article is not None, name
        yield name, article.group()


def test_no_page_prints_a_figure_without_an_address(traced: tuple[FixtureDatabase, Built]) -> None:
    bare = {name: found for name, text in own_pages(traced[1].folder) if (found := Bare(text).found)}
    # The steps of the page on checking are numbered by hand.
    assert bare.pop("evidence.html") == ["1", "2", "3", "4", "5", "6"]
    assert bare == {}


@pytest.mark.parametrize("printed", ["{{ n }}", "{{ n | number }}", "{{ n | duration }}", "{{ [n] | length }}"])
def test_a_template_that_prints_a_figure_without_its_address_is_refused(printed: str) -> None:
    with pytest.raises(TypeError, match="without its address"):
        environment().from_string(f"<p>{printed}</p>").render(n=3)


def test_figures_are_printed_without_an_address_in_attributes_alone() -> None:
    for path in sorted((Path(environment.__code__.co_filename).parent / "templates").rglob("*.j2")):
        for found in re.finditer(r"\{\{[^}]*\| bare \}\}", path.read_text(encoding="utf-8")):
            before = path.read_text(encoding="utf-8")[: found.start()]
            tag = before[before.rfind("<") :]
            assert ">" not in re.sub(r"\{[%{].*?[%}]\}", "", tag), f"{path.name}: {found.group()}"


def test_every_address_on_every_page_is_traced(traced: tuple[FixtureDatabase, Built]) -> None:
    made, built = traced
    shown: dict[str, str] = {}
    for page in pages(built.folder).values():
        shown |= {attributes["data-trace"]: "" for _, attributes in page.tags if "data-trace" in attributes}
    assert len(shown) > 500
    tracer = Tracer(made.database)
    for address in shown:
        chain = tracer.trace(address)
        assert chain.address is not None
        assert all(re.fullmatch(r"[0-9a-f]{64}", link.sha256) for link in chain.walk())


def test_what_a_page_prints_is_what_the_chain_states(traced: tuple[FixtureDatabase, Built]) -> None:
    made, built = traced
    tracer = Tracer(made.database)
    compared = 0
    for name, text in own_pages(built.folder):
        for address, shown in Bare(text).traced:
            value = tracer.trace(address).value
            read = re.fullmatch(r"([\d,]+)(?: [a-z]+){0,2}", shown)
            if isinstance(value, int) and read and not address.endswith("/size"):
                assert read[1].replace(",", "") == str(value), f"{name}: {address}"
                compared += 1
    assert compared > 200


def test_a_second_that_a_chain_ends_in_has_its_page(traced: tuple[FixtureDatabase, Built]) -> None:
    made, built = traced
    chain = Tracer(made.database).trace("leaderboards/boards/first/package.yaml#pilot/rank")
    played = [link.play for link in chain.walk() if link.second is not None]
    assert played
    for play in played:
        assert play is not None and (built.folder / play.partition("?")[0]).is_file()


def test_a_chain_through_a_withdrawn_recording_ends_in_its_tombstone(traced: tuple[FixtureDatabase, Built]) -> None:
    database = traced[0].database
    run = next(stored for stored in database.runs() if stored.run.run in database.withdrawals(CYCLE))
    chain = Tracer(database).trace(f"{run.path}#total")
    ends = {link.file for link in chain.walk() if not link.below} - {str(paths.edition_path("v1.5"))}
    assert ends == {str(paths.withdrawal_path(CYCLE, run.run.run))}


def test_lost_evidence_breaks_every_chain_through_it_and_no_other(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    kept, lost = made.subject("kept"), made.subject("lost")
    whole = made.run(kept, PASS)
    gone = made.run(lost, PASS, keep=False, commands=(Command("pip install lost"), *COMMANDS))
    built = build(made.finish(), tmp_path / "site", silent)
    addresses = {
        tags["data-trace"] for page in pages(built.folder).values() for _, tags in page.tags if "data-trace" in tags
    }
    tracer = Tracer(made.database)

    def said(address: str) -> str:
        try:
            tracer.trace(address)
        except CheckFailed as error:
            return str(error)
        return ""

    broken = {address: what for address in addresses if (what := said(address))}
    assert all(gone.run in what and "evidence store" in what for what in broken.values())
    assert {address for address in addresses if gone.run in address} <= broken.keys()
    assert not any(whole.run in address for address in broken)
    assert "runs#attempts" in broken and "runs#controls" not in broken


@pytest.mark.browser
def test_a_click_on_a_figure_names_the_command_that_traces_it(
    traced: tuple[FixtureDatabase, Built], served: Callable[..., Any], open_page: Callable[..., Any]
) -> None:
    with served(traced[1].folder) as site, open_page() as page:
        page.goto(f"{site}/boards/first/package.html")
        bar = page.locator(".ag-trace")
        page.locator("td [data-trace$='#newcomer/score']").first.click()
        assert bar.locator("code").inner_text() == "argusic trace leaderboards/boards/first/package.yaml#newcomer/score"
        page.keyboard.press("Escape")
        assert not bar.is_visible()
        run = next(iter(traced[0].database.runs())).run
        page.goto(f"{site}/runs/first/{run.run}/recording.html")
        page.locator("[data-trace$='recording.cast#seconds']").click()
        assert "recording.cast#seconds" in page.locator(".ag-trace code").inner_text()
        page.locator(".commands a [data-trace]").first.click()
        assert "recording.cast#seconds" in page.locator(".ag-trace code").inner_text()
