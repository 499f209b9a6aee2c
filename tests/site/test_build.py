from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, subject_path
from argusic.errors import CheckFailed, InputError
from argusic.site import build as building
from argusic.site.build import MARKER, Built, build
from argusic.site.methodology import PAGE
from tests.made_database import TOP
from tests.site.conftest import silent
from tests.site.fixture_database import PASS, FixtureDatabase, newest_edition
from tests.site.reading import ReadPage, dead_links, pages


@pytest.fixture(scope="module")
def read(built: Built) -> dict[str, ReadPage]:
    return pages(built.folder)


def subject(read: dict[str, ReadPage], slug: str) -> ReadPage:
    return read[f"subjects/package/{slug}.html"]


def test_every_link_leads_somewhere_in_the_site(built: Built, read: dict[str, ReadPage]) -> None:
    assert dead_links(built.folder, read) == []


def test_nothing_is_loaded_from_another_host(built: Built, read: dict[str, ReadPage]) -> None:
    loaded = [
        attributes.get("src") or attributes.get("href", "")
        for page in read.values()
        for tag, attributes in page.tags
        if tag in ("script", "link", "img", "iframe", "source", "video") and attributes.get("rel") != "canonical"
    ]
    assert [address for address in loaded if re.match(r"(https?:)?//", address)] == []
    styles = "".join(path.read_text() for path in built.folder.rglob("*.css"))
    assert not re.search(r"url\(\s*['\"]?(https?:)?//|@import", styles)


def test_pages_use_relative_addresses_and_so_work_below_any_path(read: dict[str, ReadPage]) -> None:
    rooted = [a for name, page in read.items() if name != "404.html" for a in page.addresses() if a.startswith("/")]
    assert rooted == []


def test_the_same_database_gives_the_same_bytes(database: Database, built: Built, tmp_path: Path) -> None:
    again = build(database, tmp_path / "again", silent)

    def content(folder: Path) -> dict[str, bytes]:
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    first, second = content(built.folder), content(again.folder)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_an_empty_database_builds(tmp_path: Path) -> None:
    for folder in ("pool", "runs", "rules"):
        (tmp_path / "referee" / folder).mkdir(parents=True)
    built = build(Database(tmp_path / "referee"), tmp_path / "site", silent)
    read = pages(built.folder)
    assert "Nothing has been measured yet" in read["index.html"].said()
    assert "holds no page of its methodology" in read["methodology.html"].said()
    assert "holds no edition" in read["changelog.html"].said()
    assert dead_links(built.folder, read) == []


def test_rules_without_a_run_build_and_name_every_kind_as_not_started(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    built = build(made.database, tmp_path / "site", silent)
    said = ReadPage(built.folder / "methodology.html").said()
    assert said.count("Declared, not started") == len(made.database.kinds())
    assert "In use" not in said


def test_a_verdict_is_a_plain_sentence_and_names_who_decided(read: dict[str, ReadPage]) -> None:
    said = subject(read, "runs").said()
    assert "Runs runs. On 2026-11-01, Newcomer installed it, launched it and verified it running for real" in said
    assert "verified it against mock services" in subject(read, "mocks").said()
    assert "testing has not finished" in subject(read, "waits").said()


def test_could_not_verify_links_each_log_at_the_line_where_it_stopped(read: dict[str, ReadPage]) -> None:
    page = subject(read, "fails")
    assert "We could not verify that fails runs: 2 complete attempts ended without a pass." in page.said()
    links = [address for address in page.addresses() if address.endswith("log.html#L4")]
    assert len(set(links)) == 2


def test_no_page_calls_software_broken(read: dict[str, ReadPage]) -> None:
    assert [name for name, page in read.items() if re.search(r"\bbroken\b", page.said(), re.IGNORECASE)] == []


def test_each_line_of_a_score_names_the_rule_that_decided_it(read: dict[str, ReadPage]) -> None:
    said = subject(read, "runs").said()
    for line in ("Successful install 30 of 30 The software was installed. install.done", "100 of 100"):
        assert line in said


def test_a_run_says_under_which_conditions_it_was_measured(read: dict[str, ReadPage]) -> None:
    said = subject(read, "runs").said()
    for fact in (
        "Time budget 1 h 30 min, tier standard",
        "Edition v1.5",
        "Instructions standard-1",
        "Agent Newcomer (no model)",
        "Model key none: the agent has no model",
        "Cost none: no model was used",
        "Worker CPU",
        "Pinned version 1.0",
        "Sandbox bubblewrap 0.11.0, started by an ordinary user",
        "Image none",
        "It could not offer raw TCP",
        "Environment's digest 0000",
        "Limits hit time of one command (1 time)",
        "Measured by Argusic 0.1.0, commit aaaa",
        "argusic verify runs/first/package/r/runs/newcomer/",
        "the body of a private key that the project generated, masked (armour), 2 times",
    ):
        assert fact in said, fact


def test_the_closing_words_are_shown_without_dashes_and_nothing_else_is_changed(read: dict[str, ReadPage]) -> None:
    said = subject(read, "runs").said()
    assert "Installed, launched, it decoded its own output." in said
    assert "A package called runs, small, but real." in said
    assert "—" not in said


def test_the_proof_of_a_report_leads_to_its_command_in_the_record(read: dict[str, ReadPage]) -> None:
    page = subject(read, "runs")
    assert "In the record: command 3, at 0:14, log line 7" in page.said()
    assert any(address.endswith("recording.html?t=14.5") for address in page.addresses())


def test_an_invalid_run_is_published_with_its_reason(read: dict[str, ReadPage]) -> None:
    said = subject(read, "waits").said()
    assert "Argusic's own tooling failed and cut the attempt short. The recorder ended early." in said
    assert "It stays published and counts nowhere" in said


def test_evidence_that_is_not_here_is_named_and_its_fingerprint_printed(read: dict[str, ReadPage]) -> None:
    assert "The log is not in the evidence store that this page was built from" in subject(read, "waits").said()
    logs = [page.said() for name, page in read.items() if name.endswith("log.html")]
    assert any("not in the evidence store" in said and "sha256" in said for said in logs)


def test_a_withheld_recording_is_replaced_by_the_sentence_why(database: Database, built: Built) -> None:
    run = next(item.run for item in database.runs() if item.run.ending.how == "withheld")
    folder = built.folder / "runs" / run.cycle / run.run
    assert sorted(path.name for path in folder.iterdir()) == ["log.html", "recording.html"]
    for name in ("log.html", "recording.html"):
        assert "could not be proven free of a live credential" in ReadPage(folder / name).said()


def test_a_recording_that_cannot_be_played_says_so(read: dict[str, ReadPage]) -> None:
    said = subject(read, "damaged").said()
    assert "This recording cannot be played (line 1:" in said


def test_evidence_that_differs_from_its_fingerprint_is_not_shown(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    run = made.run(made.subject("changed"), PASS)
    database = made.finish()
    recording = next(database.root.rglob("recording.cast"))
    recording.write_bytes(recording.read_bytes().replace(b"Collecting", b"Forgetting"))
    built = build(database, tmp_path / "site", silent)
    said = ReadPage(built.folder / "subjects/package/changed.html").said()
    assert "not the one that the manifest fingerprinted" in said
    assert "differs from its fingerprint" in said
    assert not (built.folder / "runs/first" / run.run / "recording.cast").exists()


def test_a_run_without_a_manifest_is_shown_without_evidence(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    made.run(made.subject("bare"), PASS)
    database = made.finish()
    next(database.root.rglob(MANIFEST_FILE)).unlink()
    built = build(database, tmp_path / "site", silent)
    assert "none of its files can be proven" in ReadPage(built.folder / "subjects/package/bare.html").said()


def test_a_long_log_is_shown_up_to_a_limit_with_its_size_and_fingerprint(read: dict[str, ReadPage]) -> None:
    long = next(page for name, page in read.items() if name.endswith("log.html") and "The log is long" in page.said())
    assert "L5000" in long.ids and "L5001" not in long.ids
    assert re.search(r"\d+ kB, sha256 [0-9a-f]{64}", long.said())


def test_escape_sequences_in_a_log_are_text(read: dict[str, ReadPage]) -> None:
    long = next(page for name, page in read.items() if name.endswith("log.html") and "line 17" in page.text)
    assert "line 17 \ufffd[31mred\ufffd[0m" in long.text
    assert "\x1b" not in long.text


def test_controls_are_published_with_evidence_and_are_in_no_count(read: dict[str, ReadPage]) -> None:
    page = subject(read, "runs")
    assert "7 attempts" in page.said()
    assert "Control, No-op" in page.said()
    assert "6 subjects tested" in read["index.html"].said()
    assert "15 attempts recorded" in read["index.html"].said()
    assert "In use. 6 subjects tested" in read["methodology.html"].said()
    boards = [page.said() for name, page in read.items() if name.startswith("boards/")]
    assert boards and not any("No-op" in said for said in boards)
    assert "not_yet" not in subject(read, "control-only").said()


def test_a_kind_that_only_controls_ran_is_named_in_the_table_of_kinds_alone(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    made.run(made.subject("quiet"), None, agent="nop", purpose="control", commands=())
    built = build(made.finish(), tmp_path / "site", silent)
    read = pages(built.folder)
    title = next(kind.title for kind in made.database.kinds() if kind.kind == "package")
    assert [name for name, page in read.items() if title in page.said()] == ["methodology.html"]
    assert "No subject has been tested yet" in read["subjects/index.html"].said()
    assert "Control, No-op" in read["subjects/package/quiet.html"].said()


def test_a_board_shows_rank_score_rate_and_every_set(read: dict[str, ReadPage]) -> None:
    said = read["boards/first/package.html"].said()
    assert "A set is 3 valid runs of one agent on one subject" in said
    assert "Newcomer, set by set" in said and "Pilot, set by set" in said
    assert "Incomplete" in said and "Counted" in said


def test_the_search_index_holds_subjects_and_no_run_or_log(built: Built) -> None:
    index = json.loads((built.folder / "search" / "search_index.json").read_text())
    text = json.dumps(index)
    assert "subjects/package/runs.html" in text
    locations = {entry["location"].split("#")[0] for entry in index["docs"]}
    assert not any(location.startswith("runs/") for location in locations)
    assert not locations & {"index.html", "subjects/index.html", "boards/index.html"}
    for kept_out in ("Collecting demo", "decoded its own output", "pip install demo"):
        assert kept_out not in text


def test_the_changelog_says_since_when_each_edition_is_in_force_and_why_a_day_is_another(built: Built) -> None:
    said = ReadPage(built.folder / "changelog.html").said()
    assert "In force from 2026-10-08, written 2026-10-08." in said
    assert re.search(r"The first run under it in this repository is 20261101T\S+, of 2026-11-01 ", said)
    assert "In force from 2026-09-04, written 2026-09-05, planned for 2026-09-05." in said
    assert "because a run was measured under it before it was written down" in said
    assert "Those first runs were of cataclysm-dda, veloren, supertux." in said
    assert "Written 2026-08-31, decided 2026-08-29. Not in force: no run under it is known." in said


def test_a_figure_of_the_changelog_carries_its_address_and_code_is_code(built: Built) -> None:
    source = (built.folder / "changelog.html").read_text()
    assert '<span data-trace="rules/editions/v1.3.yaml#changelog">92</span> runs from' in source
    assert '<span data-trace="rules/editions/v1.3.yaml#changelog">2026&#45;08&#45;30</span>' in source
    assert "<code>verified" in source
    assert "quoted in v1&#46;1 and v1&#46;3" in source, "an edition's name is no figure"


def test_the_methodology_is_the_page_of_the_documentation_with_its_gaps_filled(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    (made.root / "docs").mkdir()
    shutil.copy(TOP / "docs" / "methodology.md", made.root / "docs")
    folder = build(made.database, tmp_path / "site", silent).folder
    page = ReadPage(folder / "methodology.html")
    said, source = page.said(), (folder / "methodology.html").read_text()
    assert "standard 90 minutes all others" in said
    address = f"rules/editions/{newest_edition().edition}.yaml#budgets_minutes/standard"
    assert f'<span data-trace="{address}">90 minutes</span>' in source
    assert said.count("Declared, not started") == len(made.database.kinds())
    assert "v1.2 2026-09-04 2026-09-05" in said
    assert "Stated in" not in said and "<!--" not in page.text and "filled:" not in source
    assert not (folder / "guides" / "methodology.html").exists()
    assert dead_links(folder, pages(folder)) == []


def test_templates_hold_no_figure_of_their_own() -> None:
    templates = Path(building.__file__).parent / "templates"
    for path in sorted(templates.glob("*.md.j2")):
        text = re.sub(
            r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<[^>]*>|`[^`]*`|```.*?```|^#+ .*$",
            "",
            path.read_text(),
            flags=re.S | re.M,
        )
        figures = [figure for figure in re.findall(r"(?<![\w#.-])\d+(?:[.,]\d+)*", text) if figure != "0"]
        assert figures == [], path.name


def test_a_folder_of_somebody_elses_is_never_replaced(database: Database, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="is not a site that argusic built"):
        build(database, tmp_path / "mine", silent)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    with pytest.raises(InputError):
        build(database, tmp_path / "link", silent)


def test_a_build_replaces_the_last_one_whole(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    out = tmp_path / "site"
    build(made.database, out, silent)
    (out / "stale.html").write_text("old")
    build(made.database, out, silent)
    assert (out / MARKER).is_file() and not (out / "stale.html").exists()
    assert [path.name for path in tmp_path.iterdir() if "building" in path.name] == []


def test_a_warning_fails_the_build_and_leaves_the_last_site(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    out = tmp_path / "site"
    build(made.database, out, silent)
    (made.root / "docs").mkdir()
    (made.root / "docs" / "guide.md").write_text("# Guide\n\n[nowhere](nowhere.md)\n")
    with pytest.raises(CheckFailed, match=r"nowhere\.md"):
        build(made.database, out, silent)
    assert (out / "index.html").is_file()
    shutil.rmtree(made.root / "docs")


def test_guides_are_part_of_the_site(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    (made.root / "docs").mkdir()
    (made.root / "docs" / "first.md").write_text("# A first guide\n\nIt says something.\n")
    built = build(made.database, tmp_path / "site", silent)
    assert "It says something." in ReadPage(built.folder / "guides/first.html").said()
    assert "A first guide" in ReadPage(built.folder / "index.html").said()


def test_every_guide_of_ours_builds_without_a_warning(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    shutil.copytree(TOP / "docs", made.root / "docs")
    guides = [path.name for path in (TOP / "docs").glob("*.md") if path.name != PAGE.name]
    built = build(made.database, tmp_path / "site", silent)
    assert guides
    assert all((built.folder / "guides" / name).with_suffix(".html").is_file() for name in guides)


def test_a_site_never_contradicts_its_runs(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    subject = made.subject("late")
    made.run(subject, PASS)
    made.finish()
    made.run(subject, PASS)
    with pytest.raises(CheckFailed, match=r"do not follow from the runs.*argusic recompute"):
        build(made.database, tmp_path / "site", silent)


def test_no_run_is_left_out_in_silence(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    made.run(made.subject("gone"), PASS)
    database = made.finish()
    (database.root / subject_path("package", "gone")).unlink()
    with pytest.raises(InputError, match="names the subject package/gone, which is not in this repository"):
        build(database, tmp_path / "site", silent)
