"""What pages say of each kind, and that a kind that nothing was run of is named in one table alone."""

from __future__ import annotations

import shutil
from html import unescape
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, run_folder
from argusic.records.facts import facts
from argusic.records.manifest import DisplayFacts, GpuFacts, Manifest, VideoFacts
from argusic.records.sources import source_models
from argusic.referee.recompute import recompute
from argusic.referee.tracing.tracing import Tracer
from argusic.site.build import Built, build
from argusic.site.generate import generate
from argusic.site.survey import survey
from argusic.site.templates import environment, kind_macros
from tests.made_database import TOP
from tests.made_subjects import MADE, made_subject
from tests.site.conftest import silent
from tests.site.fixture_database import COMMANDS, CYCLE, FAIL, PASS, Command, FixtureDatabase
from tests.site.reading import ReadPage, pages
from tests.site.test_traces import Bare

LISTED = "mcp==2.3.0\nanyio==4.9.0\n@scope/thing@1.0.2\nhttps://host.invalid/x@1.0\n"
SNIPPET = "the documented snippet produced output"
KINDS = sorted(MADE)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Make a database with a run and a control's run of every kind, and one of a model that did not pass."""
    made = FixtureDatabase(tmp_path_factory.mktemp("kinds") / "referee")
    for kind in KINDS:
        subject = made.pooled(*made_subject(kind))
        commands = (Command("~/venv/bin/python -m pip list --format=freeze", LISTED), *COMMANDS)
        made.run(subject, PASS, commands=commands)
        made.run(subject, None, agent="nop", purpose="control", commands=())
    model, pin = made_subject("hugging-face-model")
    made.run(made.pooled(model.model_copy(update={"slug": "fails", "name": "Fails"}), pin), FAIL)
    return made.finish()


@pytest.fixture(scope="module")
def read(everything: Database, tmp_path_factory: pytest.TempPathFactory) -> dict[str, ReadPage]:
    built: Built = build(everything, tmp_path_factory.mktemp("built") / "site", silent)
    return pages(built.folder)


def page(read: dict[str, ReadPage], kind: str) -> ReadPage:
    return read[f"subjects/{kind}/wingspan-of-{kind}.html"]


def test_every_kind_says_how_it_is_verified_and_how_its_subjects_are_chosen() -> None:
    declared = Database(TOP).kinds()
    assert [kind.kind for kind in declared if not (kind.verified_by and kind.selected_by)] == []
    assert sorted(kind.kind for kind in declared) == KINDS == list(source_models())


def test_every_kind_of_this_repository_has_a_template_of_its_own() -> None:
    templates = environment()
    general = kind_macros(templates, None)
    for kind in KINDS:
        own = kind_macros(templates, kind)
        assert [name for name, macro in own.items() if macro is general[name]] == [], kind


def test_every_field_that_a_source_or_a_pin_may_have_is_shown_by_its_template() -> None:
    shown_by = {"published": "made_from(", "files": "files("}
    for kind, models in source_models().items():
        text = environment().loader.get_source(environment(), f"kinds/{kind}.html.j2")[0]  # type: ignore[union-attr]
        # A description is long, and is what the agent reads; its digest is shown.
        for field in {*models.source.model_fields, *models.pin.model_fields} - {"kind"}:
            assert shown_by.get(field, f'"{field}') in text or field == "description", (kind, field)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_shows_everything_that_source_and_pin_state(kind: str, read: dict[str, ReadPage]) -> None:
    subject, pin = made_subject(kind)
    said, source = page(read, kind).said(), page(read, kind).text
    assert source
    words = {"pypi": "Python Package Index", "npm": "registry of npm", "debian": "Debian", "cloudformation": "AWS"}
    words |= {"streamable-http": "streamable HTTP"}
    left_out = {"made/layers", "made/settings/command", "description", "made/platform"}
    for fact in (*facts(subject.source), *facts(pin)):
        if fact.field not in left_out:
            assert words.get(fact.value, fact.value) in said, fact
    declared = next(one for one in Database(TOP).kinds() if one.kind == kind)
    assert f"{declared.runs_when}." in said and f"How that is verified: {declared.verified_by}." in said


def test_a_page_says_whether_a_subject_came_from_its_usual_place(read: dict[str, ReadPage]) -> None:
    for kind, usual in (("repository", "its own git address"), ("hugging-face-model", "the hub")):
        said = page(read, kind).said()
        assert f"not {usual}: made, always alike, from the published archive named here" in said
        assert "carrier 1.2, on the Python Package Index" in said and "carrier-1.2.tar.gz" in said
    assert "taken from the hub" in page(read, "hugging-face-space").said()
    assert "no registry: made, always alike, of published builds" in page(read, "container-image").said()


def test_a_models_run_says_in_exactly_these_words_what_was_verified_and_on_what(read: dict[str, ReadPage]) -> None:
    said = page(read, "hugging-face-model").said()
    assert f"What was verified: {SNIPPET}, on a CPU." in said
    assert SNIPPET not in read["subjects/hugging-face-model/fails.html"].said()
    assert [name for name, one in read.items() if SNIPPET in one.said() and "methodology" not in name] == [
        "subjects/hugging-face-model/wingspan-of-hugging-face-model.html"
    ]


def test_what_was_installed_beside_a_server_is_shown_without_addresses(read: dict[str, ReadPage]) -> None:
    said = page(read, "mcp-server").said()
    assert "Installed beside it, as the run's own commands listed it command 1 mcp==2.3.0, anyio==4.9.0, " in said
    assert "@scope/thing@1.0.2" in said and "host.invalid" not in said.split("Conditions")[0].split("beside it")[1]


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_on_the_page_of_a_kind_has_an_address(kind: str, read: dict[str, ReadPage]) -> None:
    source = page(read, kind).path.read_text()
    body = source[source.index("<h1>") : source.index("</section>", source.rindex("<section"))]
    names = {f"Wingspan {KINDS.index(kind)}", made_subject(kind)[0].name}
    for name in names:
        body = body.replace(name, "")
    assert Bare(body).found == []


def test_every_kind_in_use_is_counted(read: dict[str, ReadPage]) -> None:
    said = read["methodology.html"].said()
    assert said.count("In use. 1 subject tested") == len(KINDS) - 1
    assert said.count("In use. 2 subjects tested") == 1 and "Declared, not started" not in said


@pytest.mark.parametrize("deleted", [KINDS[::2], KINDS[1::2]], ids=",".join)
def test_a_kind_whose_runs_are_deleted_is_declared_and_named_nowhere_else(
    deleted: list[str], everything: Database, tmp_path: Path
) -> None:
    assert {kind.kind for kind in survey(everything).kinds_in_use} == set(KINDS)
    shutil.copytree(everything.root, tmp_path / "referee")
    for kind in deleted:
        for runs in (tmp_path / "referee/runs" / CYCLE / kind).glob("*/*/newcomer"):
            shutil.rmtree(runs)
    database = Database(tmp_path / "referee")
    recompute(database)
    sources = _sources(database, tmp_path / "sources")
    for declared in database.kinds():
        kind, title = declared.kind, declared.title
        if kind not in deleted:
            assert "In use. " in _row(sources, title) and f'"{kind}"' in sources["docs/subjects/index.md"]
            continue
        assert "Declared, not started" in _row(sources, title)
        assert [name for name, text in sources.items() if title in text] == ["docs/methodology.md"]
        for name in ("docs/subjects/index.md", "docs/boards/index.md", "docs/index.md"):
            assert f'"{kind}"' not in sources[name] and f"/{kind}/" not in sources[name], name
        alone = sources[f"docs/subjects/{kind}/wingspan-of-{kind}.md"]
        assert declared.runs_when not in alone and "Control" in alone


def _sources(database: Database, folder: Path) -> dict[str, str]:
    """Return the sources of the next build by their paths, as a reader gets them."""
    generate(database, folder, folder / "site", silent)
    found = (path for path in folder.rglob("*") if path.suffix in (".md", ".html", ".yml", ".json"))
    return {str(path.relative_to(folder)): unescape(path.read_text()) for path in found}


def _row(sources: dict[str, str], title: str) -> str:
    """Return the row of a kind in the table of kinds."""
    return next(line for line in sources["docs/methodology.md"].splitlines() if title in line)


def test_every_address_of_a_source_and_a_pin_is_traced(everything: Database, read: dict[str, ReadPage]) -> None:
    tracer = Tracer(everything)
    found = {address for kind in KINDS for address, _ in Bare(page(read, kind).path.read_text()).traced}
    own = {address for address in found if "#pin/" in address or "#source/" in address or "rules/kinds/" in address}
    assert len(own) > 5 * len(KINDS)
    for address in sorted(own):
        assert str(tracer.trace(address).value or ""), address


def test_a_run_says_what_display_and_gpus_it_had_and_that_its_video_is_sealed(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    run = made.run(made.pooled(*made_subject("package")), PASS)
    path = run_folder(CYCLE, run.subject, run.agent, run.run) / MANIFEST_FILE
    manifest = made.database.read(path, Manifest)
    assert manifest.sandbox is not None
    gpus = (GpuFacts(name="Wing 9", memory_mb=24_576, driver="590.1"), GpuFacts(name="Wing 9", memory_mb=1, driver="1"))
    display = DisplayFacts(server="Xvfb 21.1", width=1280, height=800)
    sandbox = manifest.sandbox.model_copy(update={"gpus": gpus, "display": display})
    video = VideoFacts(began=1.5, seconds=90, per_second=2, pictures=180, complete=True)
    made.database.write(path, manifest.model_copy(update={"sandbox": sandbox, "video": video}), replace=True)
    sources = _sources(made.finish(), tmp_path / "sources")
    page = sources[f"docs/subjects/{run.subject}.md"]
    (tmp_path / "page.html").write_text(page)
    said = ReadPage(tmp_path / "page.html").said()
    assert "Display Xvfb 21.1, 1280 by 800 dots, in a sandbox of its own" in said
    assert "GPU Wing 9, 24,576 MB of its own memory, driver 590.1" in said
    assert "1 min 30 s, 2 pictures a second, from second 0:01 of the recording on" in said and "sealed" in said
    assert f"{path}#sandbox/gpus/1/driver" in page and f"{path}#sandbox/gpus/2/driver" in page
    assert not Bare(page[page.index("<div>") :].replace("Wingspan 3", "")).found
