"""From the database to the sources of the site: Markdown, evidence pages, assets and one configuration."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from argusic.database.database import Database
from argusic.site.assets import write_assets
from argusic.site.methodology import PAGE
from argusic.site.render import Renderer
from argusic.site.results import PublishedRun, SubjectResults, Survey
from argusic.site.signatures import Signatures
from argusic.site.survey import survey
from argusic.site.templates import environment
from argusic.site.viewer import Viewer
from argusic.site.views import RunView, view

#: Told how far the work is: what is being made, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]

#: The configuration's name, in the folder of the sources.
CONFIGURATION = "mkdocs.yml"
#: The pages of the navigation.
_NAVIGATION = (
    ("Home", "index.md"),
    ("Boards", "boards/index.md"),
    ("Subjects", "subjects/index.md"),
    ("Reproductions", "reproductions/index.md"),
    ("Methodology", "methodology.md"),
    ("Changelog", "changelog.md"),
    ("Check it yourself", "evidence.md"),
    ("About", "about.md"),
)
_HEADING = re.compile(r"^# +(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Generated:
    """What was generated.

    Attributes:
        subjects: How many pages of subjects there are.
        boards: How many boards.
        runs: How many runs, the controls' included.
        without_recording: How many of those have no recording to play here.
        without_log: How many have no log to read here.
        newest: Seconds since 1970 of the newest run's end; 0 without a run. Builds are stamped with it.
    """

    subjects: int
    boards: int
    runs: int
    without_recording: int
    without_log: int
    newest: int


def generate(database: Database, folder: Path, site: Path, progress: Progress) -> Generated:
    """Write the sources of the site into `folder`, which must not exist.

    Args:
        database: What to show.
        folder: Where to write.
        site: Where the built site will go; it is named in the configuration.
        progress: Told how far the work is.

    Raises:
        InputError: A record cannot be read.
    """
    docs = folder / "docs"
    docs.mkdir(parents=True)
    templates = environment()
    write_assets(docs, templates)
    everything = survey(database)
    renderer = Renderer(templates, everything)
    page = database.root / PAGE
    rules = page.read_text(encoding="utf-8") if page.is_file() else None
    of_models = _models(database, docs, progress)
    for path, text in _front_pages(renderer, rules, ranks_models=bool(of_models)):
        _write(docs / path, text)
    lacking = _subjects(database, everything, renderer, Viewer(templates, docs), docs, progress)
    navigation = _navigation(of_models)
    guides = _guides(database, docs)
    text = templates.get_template("mkdocs.yml.j2").render(
        docs=str(docs),
        site=str(site),
        nav=navigation,
        index=of_models,
        guides=guides,
    )
    (folder / CONFIGURATION).write_text(text, encoding="utf-8")
    published = [item for results in everything.subjects for item in (*results.runs, *results.controls)]
    return Generated(
        subjects=len(everything.subjects),
        boards=len(everything.boards),
        runs=len(published),
        without_recording=lacking[0],
        without_log=lacking[1],
        newest=max((int(item.run.finished.timestamp()) for item in published), default=0),
    )


def _models(database: Database, docs: Path, progress: Progress) -> tuple[tuple[str, str], ...]:
    """Write the pages of the composite index; return those that the navigation has, none where there is no ranking."""
    if not database.ranking_inputs():
        return ()
    # Numbers are loaded by a repository that ranks models alone: they take longer than most commands.
    from argusic.site.index.gathering import gathered
    from argusic.site.index.pages import NAVIGATION, IndexPages

    contents = gathered(database)
    if contents is None:
        return ()
    IndexPages(contents, _navigation(NAVIGATION)).write(docs, progress)
    return NAVIGATION


def _navigation(of_models: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Return the pages of the navigation: the first of those of models after the boards, where there are any."""
    front = list(_NAVIGATION)
    if of_models:
        front.insert(2, ("Models", of_models[0][1]))
    return front


def _front_pages(renderer: Renderer, rules: str | None, *, ranks_models: bool) -> Iterator[tuple[str, str]]:
    yield "index.md", renderer.home(ranks_models=ranks_models)
    yield "subjects/index.md", renderer.subjects()
    yield "boards/index.md", renderer.boards()
    for item in renderer.survey.boards:
        yield f"boards/{item.cycle.cycle}/{item.kind.kind}.md", renderer.board(item)
    yield "reproductions/index.md", renderer.reproductions()
    for found in renderer.survey.reproductions.standings:
        record = found.reproduction
        yield f"reproductions/{record.cycle}/{record.reproduction}.md", renderer.reproduction(found)
    yield "methodology.md", renderer.methodology(rules)
    yield "changelog.md", renderer.changelog()
    yield "evidence.md", renderer.evidence()
    yield "about.md", renderer.about()


def _subjects(
    database: Database, everything: Survey, renderer: Renderer, viewer: Viewer, docs: Path, progress: Progress
) -> tuple[int, int]:
    """Write each subject's page and its runs' evidence; return how many runs lack a recording, and a log."""
    cycles = {cycle.cycle: cycle for cycle in everything.cycles}
    signatures = Signatures(database)
    without_recording = without_log = 0

    def views(results: SubjectResults, items: tuple[PublishedRun, ...]) -> list[RunView]:
        made = [view(database, item, cycles[item.run.cycle], signatures) for item in items]
        for one in made:
            viewer.write(one, results.name)
        return made

    for number, results in enumerate(everything.subjects):
        progress("Subjects", number, len(everything.subjects))
        runs, controls = views(results, results.runs), views(results, results.controls)
        without_recording += sum(one.evidence.recording is None for one in (*runs, *controls))
        without_log += sum(one.evidence.log is None for one in (*runs, *controls))
        _write(docs / f"subjects/{results.subject.ref}.md", renderer.subject(results, runs, controls))
    progress("Subjects", len(everything.subjects), len(everything.subjects))
    return without_recording, without_log


def _guides(database: Database, docs: Path) -> list[tuple[str, str]]:
    """Take over the hand-written pages of `docs/`; those for contributors are read where the code is."""
    source = database.root / "docs"
    guides = []
    for path in sorted(source.glob("*.md")) if source.is_dir() else ():
        if path.is_symlink() or path.name == PAGE.name:
            continue
        (docs / "guides").mkdir(exist_ok=True)
        shutil.copyfile(path, docs / "guides" / path.name)
        heading = _HEADING.search(path.read_text(encoding="utf-8"))
        guides.append((heading.group(1) if heading else path.stem, f"guides/{path.name}"))
    return guides


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
