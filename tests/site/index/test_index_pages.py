"""What the pages of the index say, that nothing of it is live, and that each of its figures is traced."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.referee.tracing.tracing import Tracer
from argusic.site.escape import plain as escaped
from argusic.site.generate import generate
from argusic.site.index import numbers
from argusic.site.index.contents import Contents
from argusic.site.index.pages import NAVIGATION, IndexPages
from tests.leaderboards.index.made_index import made, write_index
from tests.site.conftest import silent
from tests.site.index.made_site import HOSTILE, PAST, THIN, rank
from tests.site.reading import ReadPage
from tests.site.test_traces import Bare

#: Pages whose figures are computed when they are built, or in the browser; each names the command that prints them.
COMPUTED = {"models/compare.md": "argusic index compare", "models/drop.md": "argusic index validate"}


def page_of(contents: Contents, plain: dict[str, ReadPage], name: str) -> ReadPage:
    return plain[f"models/of/{contents.model_slugs[name]}.html"]


def content(path: Path) -> str:
    """Return the part of a page that templates of the index make."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text.split("---\n", 2)[2]
    found = re.search(r"<main.*</main>", text, re.DOTALL)
    assert found is not None
    return found.group()


def rank_cells(written: Path) -> list[str]:
    return re.findall(
        r'<td class="ag-rank".*?</td>', (written / "models/index.md").read_text(encoding="utf-8"), re.DOTALL
    )


def test_a_place_stands_only_where_the_data_tell_it(contents: Contents, written: Path) -> None:
    cells = rank_cells(written)
    alone = [one.ranks["all"].known for one in contents.ranked]
    assert len(cells) == len(contents.ranked) and any(alone) and not all(alone)
    for cell, one in zip(cells, contents.ranked, strict=True):
        for field, name in (("all", "ix-all"), ("open", "ix-open-field")):
            if field not in one.ranks:
                assert f'class="{name}"' not in cell
                continue
            shown = cell.split(f'class="{name}"')[1]
            shown = shown.split('class="ix-open-field"')[0] if field == "all" else shown
            known = one.ranks[field]  # type: ignore[index]
            assert (f"<b>{known.place}</b>" in shown) == known.known
            assert (f"group {known.group}<" in shown) != known.known


def test_below_the_gate_a_page_says_what_is_lacking_and_shows_no_score(
    contents: Contents, plain: dict[str, ReadPage]
) -> None:
    thin = page_of(contents, plain, THIN)
    assert "Not enough current evidence for a score." in thin.said()
    assert "results on 1 benchmark that count, and 4 are needed" in thin.said()
    assert "weak" not in thin.said()
    standing = contents.by_model[THIN]
    assert f"{standing.score:.1f}" not in thin.said() and "Expected" not in thin.said() and "Pull" not in thin.said()
    past = page_of(contents, plain, PAST).said()
    assert "None of its published results is on a benchmark that counts today." in past
    assert "Results that do not count" in past and "the best of 2 published results" in past


def test_a_model_s_page_states_its_score_ranges_results_and_their_rows(
    contents: Contents, plain: dict[str, ReadPage]
) -> None:
    standing = next(one for one in contents.ranked if one.model.model == "Model 12")
    said = page_of(contents, plain, "Model 12").said()
    for text in (
        f"{standing.score:.1f} score",
        f"is {standing.joint.low:.1f} to {standing.joint.high:.1f}",
        f"held: {standing.conditional.low:.1f} to {standing.conditional.high:.1f}",
        "Among all models:",
        f"{standing.counted} results, from what pulls the score up most",
        "made-2.csv, line 2; CC0",
        "Model 12, high run on 2026-11-01",
    ):
        assert text in said, text
    pulls = [one.pull for one in standing.results if one.counts]
    assert all(f"{abs(pull):.1f}" in said for pull in pulls if pull is not None)


def test_a_benchmark_s_page_has_its_curve_with_each_ranked_model_as_a_point(
    contents: Contents, written: Path, plain: dict[str, ReadPage]
) -> None:
    text = (written / "models/benchmarks/bench-00.html").read_text(encoding="utf-8")
    having = [one for one in contents.ranked if any(p.result.benchmark == "bench-00" for p in one.results)]
    assert text.count("<circle") == len(having) and '<path class="ix-curve"' in text
    said = plain["models/benchmarks/bench-00.html"].said()
    standing = contents.by_benchmark["bench-00"]
    assert standing.difficulty is not None and f"difficulty b = {numbers.parameter(standing.difficulty)}" in said
    assert "keeps it" in said and "Made, as of" in said
    free = standing.free_difficulty
    assert free is not None and f"a difference of {numbers.points(25 * (free - standing.difficulty))} points" in said
    old = plain["models/benchmarks/old.html"].said()
    assert (
        "It does not count today." in old and "Past" in old and "<b>one</b>" in plain["models/benchmarks/old.html"].text
    )


def test_ratings_by_votes_have_a_page_and_no_part_in_the_scores(contents: Contents, written: Path) -> None:
    page = ReadPage(written / "models/preference.md").said()
    assert "Arena <i>text</i>" in page and "1402.5" in page and "Model 13" in page
    assert "arena" not in contents.index.fit.responses.benchmarks
    board = ReadPage(written / "models/index.md").said()
    assert "Arena" not in board


def test_the_changelog_names_every_model_that_moved_and_why(contents: Contents, written: Path) -> None:
    said = ReadPage(written / "models/changes.md").said()
    (change,) = contents.changes
    moved = next(one for one in change.moved if one.model == "Model 12")
    assert moved.before is not None and moved.after is not None
    assert f"Model 12 {moved.before:.1f} {moved.after:.1f} +{moved.after - moved.before:.1f} new result: BENCH-" in said
    assert "1 model moved" in said and f"{len(contents.ranked) - 1} models have the same score" in said


def test_the_method_states_the_options_in_force(contents: Contents, written: Path) -> None:
    said = ReadPage(written / "models/method.md").said()
    options = contents.inputs.options
    for text in (
        f"a standard deviation of {options.sigma} on the scale from nought to one",
        "at most 365 days old",
        "40 times, each result",
        "held by the reference 2026-Q4 (sha256 " + str(contents.index.reference_sha256),
        f"{len(contents.index.fit.responses)} results count",
        "4 benchmarks in 2 categories, one of them reasoning or coding",
        "behind the first model of the group before in at least 95.0 % of the draws",
        "Made <b>up</b>.",
    ):
        assert text in said, text


def test_no_element_is_made_by_a_name(contents: Contents, written: Path, tmp_path: Path) -> None:
    """The hostile pages have the same elements, by name, as harmless ones have."""
    harmless = write_index(tmp_path / "referee", made(16, 8))
    rank(harmless, contents.index.date)
    from argusic.site.index.gathering import gathered

    found = gathered(harmless)
    assert found is not None
    IndexPages(found).write(tmp_path / "pages", silent)
    paths = [
        path
        for folder in (tmp_path / "pages", written)
        for path in folder.rglob("*")
        if path.suffix in (".md", ".html")
    ]
    known = {tag for path in paths if tmp_path in path.parents for tag, _ in ReadPage(path).tags}
    for path in paths:
        page = ReadPage(path)
        assert {tag for tag, _ in page.tags} <= known, path
        for tag, attributes in page.tags:
            assert not [key for key in attributes if key.startswith("on")], (path, tag)
            assert "javascript:" not in attributes.get("href", "").lower(), (path, tag)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_readable_as_text(
    contents: Contents, plain: dict[str, ReadPage], written: Path, name: str
) -> None:
    assert " ".join(name.split()) in page_of(contents, plain, name).said()
    assert " ".join(name.split()) in ReadPage(written / "models/index.md").said()


def test_the_data_for_the_browser_end_no_script_and_are_ascii(contents: Contents, written: Path) -> None:
    text = (written / "models/data.js").read_text(encoding="ascii")
    assert "<" not in text and text.count("\n") == 1
    data = json.loads(text.removeprefix("window.argusicIndex = ").rstrip().removesuffix(";"))
    assert set(HOSTILE) <= set(data["models"]["name"])
    assert sum(len(pairs) for pairs in data["results"]) == 2 * len(contents.index.fit.responses)


def test_no_figure_stands_without_an_address(contents: Contents, written: Path) -> None:
    named = [one.name for one in contents.facts.benchmarks.values()]
    names = sorted({str(escaped(name)) for name in (*contents.model_slugs, *named)}, key=len, reverse=True)
    bare = {}
    for path in sorted(written.rglob("*")):
        name = str(path.relative_to(written))
        if path.suffix in (".md", ".html") and name not in COMPUTED:
            text = content(path)
            for other in names:
                text = text.replace(f">{other}<", "><")
            bare[name] = Bare(text).found
    assert len(bare) > 30
    assert {name: found for name, found in bare.items() if found} == {}


@pytest.mark.parametrize("name", COMPUTED)
def test_figures_that_are_computed_for_a_page_name_the_command_that_prints_them(written: Path, name: str) -> None:
    assert COMPUTED[name] in ReadPage(written / name).said()


def test_every_address_is_traced(ranked: Database, written: Path) -> None:
    addresses: set[str] = set()
    for path in written.rglob("*"):
        if path.suffix in (".md", ".html"):
            addresses.update(a["data-trace"] for _, a in ReadPage(path).tags if "data-trace" in a)
    assert len(addresses) > 150
    tracer = Tracer(ranked)
    for address in addresses:
        chain = tracer.trace(address)
        assert all(re.fullmatch(r"[0-9a-f]{64}", link.sha256) for link in chain.walk())


def test_a_score_s_chain_comes_down_to_the_rows_of_its_results(ranked: Database, contents: Contents) -> None:
    number = [one.model.model for one in contents.ranked].index("Model 12") + 1
    chain = Tracer(ranked).trace(f"leaderboards/index/derived/2026-11-22.yaml#models/{number}/score")
    standing = contents.by_model["Model 12"]
    assert chain.value == pytest.approx(standing.score, abs=1e-4)
    assert "derived again" in chain.checked[0]
    rows = [link for link in chain.walk() if link.what.startswith("published result")]
    assert {link.value for link in rows} == {one.result.score for one in standing.results if one.counts}
    lines = (ranked.root / "leaderboards/index/data/results/made-2.csv").read_text().splitlines()
    newest = next(link for link in rows if link.file.endswith("made-2.csv"))
    assert newest.line is not None and "0.9" in lines[newest.line - 1]


def test_a_repository_without_a_ranking_has_no_page_of_models(tmp_path: Path) -> None:
    for folder in ("pool", "runs", "rules"):
        (tmp_path / "referee" / folder).mkdir(parents=True)
    generate(Database(tmp_path / "referee"), tmp_path / "sources", tmp_path / "site", silent)
    assert (
        not (tmp_path / "sources/docs/models").exists()
        and not (tmp_path / "sources/docs/assets/argusic/index").exists()
    )
    assert "Models" not in (tmp_path / "sources/mkdocs.yml").read_text()


def test_the_navigation_has_the_pages_and_the_theme_makes_no_page_of_a_model(ranked: Database, tmp_path: Path) -> None:
    generate(ranked, tmp_path / "sources", tmp_path / "site", silent)
    text = (tmp_path / "sources/mkdocs.yml").read_text()
    assert all(f'"{path}"' in text for _, path in NAVIGATION)
    markdown = {
        path.relative_to(tmp_path / "sources/docs").as_posix()
        for path in (tmp_path / "sources/docs/models").rglob("*.md")
    }
    assert markdown == {path for _, path in NAVIGATION}
