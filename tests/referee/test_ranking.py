"""Rankings in a repository: the newest is derived again, older ones stay, and what they rest on is checked."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path, PurePosixPath

import pytest

from argusic.database.database import Database
from argusic.database.paths import addendum_path, index_results_path, ranking_inputs_path, ranking_path, reference_path
from argusic.errors import Finding, InputError
from argusic.github.proposal import table
from argusic.leaderboards.index.opening import Choices, opened, reference_of
from argusic.leaderboards.index.stored import read_index
from argusic.records.index import Draws, FitOptions, Panel, Reference
from argusic.records.index_ranking import Ranking
from argusic.referee.check import check
from argusic.referee.checks.append_only import check_append_only
from argusic.referee.checks.files import check_files
from argusic.referee.checks.index import check_index
from argusic.referee.checks.survey import survey
from argusic.referee.difference import difference
from argusic.referee.recompute import check_derived, recompute
from tests.leaderboards.index.made_index import DAY, TOP, Made, made, write_index

OCTOBER, NOVEMBER = DAY, date(2026, 11, 22)
INDEX = "leaderboards/index"


def choices(day: date) -> Choices:
    return Choices(day, Panel(), FitOptions(), "conditional", Draws(count=20), None)


def open_ranking(base: Database, day: date, reference: str | None = "2026-Q4") -> None:
    ranking, addendum = opened(base, choices(day), reference)
    if addendum is not None:
        base.write(addendum_path(addendum.reference, addendum.date), addendum)
    base.write(ranking_inputs_path(ranking.date), ranking)


@pytest.fixture(scope="module")
def small() -> Made:
    return made()


@pytest.fixture(scope="module")
def first(small: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with a reference and one ranking, committed."""
    root = tmp_path_factory.mktemp("index")
    base = write_index(root, small)
    base.write(reference_path("2026-Q4"), reference_of(base, choices(OCTOBER), "2026-Q4"))
    open_ranking(base, OCTOBER)
    recompute(base)
    shutil.rmtree(root / ".argusic", ignore_errors=True)
    git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text(".argusic/\n")
    commit(root)
    return root


@pytest.fixture
def base(first: Path, tmp_path: Path) -> Database:
    return Database(shutil.copytree(first, tmp_path / "copy", symlinks=True))


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@argusic.invalid")
    return subprocess.run(["git", "-C", root, *identity, *words], check=True, capture_output=True, text=True).stdout


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "as it is")


def november(base: Database, small: Made) -> Made:
    """Add a benchmark, further results and the ranking of November."""
    wider = replace(small, benchmarks=(*small.benchmarks, "late"))
    later = Made(
        wider.models, wider.benchmarks, {(name, "late"): 0.2 + 0.05 * i for i, name in enumerate(small.models[:9])}
    )
    write_index(base.root, later, source="made-later")
    open_ranking(base, NOVEMBER)
    return wider


def wrong(base: Database) -> list[Finding]:
    """Return what the checks find that look at the index."""
    surveyed = survey(base)
    return [*surveyed.findings, *check_files(surveyed), *check_index(base, surveyed)]


def taken_back(base: Database) -> list[Finding]:
    return list(check_append_only(base, "HEAD"))


def said(findings: list[Finding]) -> list[str]:
    return [str(finding) for finding in findings]


def test_a_ranking_is_derived_once_and_then_left_alone(base: Database) -> None:
    assert check_derived(base) == [] and said(check(base, "HEAD")) == []
    path = ranking_path("2026-10-22")
    ranking = base.read(path, Ranking)
    index = read_index(base)
    assert index is not None and [one.model for one in ranking.models if one.refused is None] == [
        one.model.model for one in index.models if one.refused is None
    ]
    written = base.read_bytes(path)
    base.remove(path)
    assert [str(one.place.file) for one in check_derived(base)] == [str(path)]
    assert recompute(base).written == [path] and base.read_bytes(path) == written
    stamp = (base.root / path).stat().st_mtime_ns
    again = recompute(base)
    assert (again.written, again.unchanged) == ([], 1) and (base.root / path).stat().st_mtime_ns == stamp


def test_what_feeds_it_derives_it_again(base: Database) -> None:
    recompute(base)
    models = base.root / INDEX / "data/models.csv"
    models.write_text(models.read_text().replace("Model 00,,Made,true", "Model 00,,Made,false"))
    assert recompute(base).written == [ranking_path("2026-10-22")]
    closed = next(one for one in base.rankings()["2026-10-22"].models if one.model == "Model 00")
    assert closed.ranks is not None and closed.ranks.open is None


def test_an_edited_ranking_is_named_by_line_and_field(base: Database) -> None:
    path = base.root / ranking_path("2026-10-22")
    lines = path.read_text().split("\n")
    place = next(number for number, line in enumerate(lines) if line.strip().startswith("score:"))
    lines[place] = lines[place].split(":")[0] + ": 199.5"
    path.write_text("\n".join(lines))
    (found,) = said(check_derived(base))
    assert f"2026-10-22.yaml:{place + 1}: models[0].score: is 199.5, but the facts give" in found
    assert recompute(base).written == [ranking_path("2026-10-22")]


def test_an_older_ranking_stays_as_it_was_published(base: Database, small: Made) -> None:
    old = base.read_bytes(ranking_path("2026-10-22"))
    november(base, small)
    assert recompute(base).written == [ranking_path("2026-11-22")]
    assert "late" in {item.benchmark for item in base.addenda("2026-Q4")[0].benchmarks}
    assert said(wrong(base)) == [] and check_derived(base) == []
    models = base.root / INDEX / "data/models.csv"
    models.write_text(models.read_text().replace("Model 00,,Made,true", "Model 00,,Made,false"))
    assert recompute(base).written == [ranking_path("2026-11-22")]
    assert base.read_bytes(ranking_path("2026-10-22")) == old
    base.remove(ranking_path("2026-10-22"))
    (found,) = said(check_derived(base))
    assert "2026-10-22.yaml: is missing: a ranking that a later one followed stays" in found
    assert recompute(base).written == []


def test_a_derived_file_of_no_ranking_is_removed(base: Database) -> None:
    stray = PurePosixPath(INDEX, "derived/2026-09-01.yaml")
    shutil.copyfile(base.root / ranking_path("2026-10-22"), base.root / stray)
    assert any("no ranking was opened for it" in one for one in said(check_derived(base)))
    assert recompute(base).removed == [stray]


def _edit(path: PurePosixPath, old: str, new: str) -> Callable[[Database], None]:
    def edit(base: Database) -> None:
        file = base.root / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))

    return edit


def _remove(path: PurePosixPath) -> Callable[[Database], None]:
    return lambda base: base.remove(path)


def _put(path: PurePosixPath, text: str = "x\n") -> Callable[[Database], None]:
    def put(base: Database) -> None:
        (base.root / path).parent.mkdir(parents=True, exist_ok=True)
        (base.root / path).write_text(text)

    return put


def _forged(base: Database) -> None:
    """Freeze the reference once more, with another content under the same id."""
    reference = base.references()["2026-Q4"]
    said = reference.model_dump(exclude={"sha256", "models", "schema_version"})
    other = Reference.of(**{**said, "models": 3, **_parts(reference)})
    base.write(reference_path("2026-Q4"), other, replace=True)


def _of_september(base: Database) -> None:
    other = base.rankings()["2026-10-22"].model_copy(update={"date": "2026-09-01"})
    base.write(ranking_path("2026-09-01"), other)


def _two_at_once(base: Database) -> None:
    (base.root / ranking_path("2026-10-22")).unlink()
    open_ranking(base, NOVEMBER)


def _parts(reference: Reference) -> dict[str, object]:
    return {name: getattr(reference, name) for name in ("panel", "options", "files", "benchmarks")}


UNKNOWN = "no file that the database knows"
MADE, RANKING, REFERENCE = index_results_path("made"), ranking_inputs_path("2026-10-22"), reference_path("2026-Q4")
SOURCES = PurePosixPath(INDEX, "data/sources.csv")
WRONG: dict[str, tuple[Callable[[Database], None], str, str]] = {
    "an unknown file": (_put(PurePosixPath(INDEX, "notes.txt")), f"{INDEX}/notes.txt", UNKNOWN),
    "a workbook": (_put(PurePosixPath(INDEX, "data/results/made.xlsx")), "made.xlsx", UNKNOWN),
    "results of nobody": (_put(index_results_path("other")), "other.csv", "source 'other'|no source"),
    "results gone": (_remove(MADE), str(RANKING), "names .*/made.csv, which does not exist"),
    "results edited": (_edit(MADE, ",2026-10-01,", ",2026-10-02,"), str(RANKING), "pins another text of"),
    "a row that is none": (_edit(MADE, ",0.", ",1.5"), str(MADE), "score"),
    "no licence": (_edit(SOURCES, "CC0,true", "none stated,false"), str(MADE), "lets no repository hold them"),
    "no reference": (_remove(REFERENCE), str(RANKING), "names the reference 2026-Q4, which does not exist"),
    "parameters edited": (_edit(REFERENCE, "discrimination: ", "discrimination: 1"), str(REFERENCE), "must be that of"),
    "frozen anew": (_forged, str(RANKING), "pins another text of 2026-Q4"),
    "a date of another": (_edit(RANKING, '"2026-10-22"', '"2026-10-23"'), str(RANKING), "belongs at"),
    "an option too many": (_edit(RANKING, "published:", "favourite: Kimi\npublished:"), str(RANKING), "favourite"),
    "a ranking of no inputs": (_of_september, "2026-09-01.yaml", "for which no ranking was opened"),
    "settings of another fit": (_edit(RANKING, "sigma: 0.1", "sigma: 0.3"), str(RANKING), "options: states other"),
    "a later one opened too early": (_two_at_once, str(RANKING), "date: was never derived, .* 2026-11-22 is open"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_by_file(name: str, base: Database) -> None:
    change, file, what = WRONG[name]
    change(base)
    assert any(file in one and _matches(what, one) for one in said(wrong(base))), said(wrong(base))


def _matches(what: str, text: str) -> bool:
    import re

    return re.search(what, text) is not None


TAKEN_BACK: dict[str, tuple[Callable[[Database], None], str]] = {
    "results edited": (_edit(MADE, ",2026-10-01,", ",2026-10-02,"), "results of benchmarks stays as it is"),
    "results removed": (_remove(MADE), "results of benchmarks stays as it is"),
    "inputs edited": (_edit(RANKING, "seed: 0", "seed: 1"), "inputs of a ranking stays as it is"),
    "a reference frozen anew": (_forged, "reference stays as it is"),
    "a ranking opened for an earlier day": (
        lambda base: open_ranking(base, date(2026, 10, 2), None),
        "not of a later date than 2026-10-22",
    ),
}


@pytest.mark.parametrize("name", TAKEN_BACK)
def test_nothing_of_it_is_taken_back(name: str, base: Database) -> None:
    change, what = TAKEN_BACK[name]
    assert said(taken_back(base)) == []
    change(base)
    assert any(what in one for one in said(taken_back(base))), said(taken_back(base))


def test_a_ranking_may_change_until_a_later_one_follows(base: Database, small: Made) -> None:
    path = base.root / ranking_path("2026-10-22")
    _edit(ranking_path("2026-10-22"), "results: ", "results: 1")(base)
    # That no pull request brings a derivation along is another rule.
    assert not any("that a later one followed" in one for one in said(taken_back(base)))
    git(base.root, "checkout", "-q", "--", str(path))
    november(base, small)
    recompute(base)
    assert not any("later" in one for one in said(taken_back(base)))
    commit(base.root)
    _edit(ranking_path("2026-10-22"), "results: ", "results: 1")(base)
    assert any("a ranking that a later one followed stays as it was" in one for one in said(taken_back(base)))


def test_a_pull_request_is_told_what_would_be_another(base: Database, small: Made) -> None:
    assert difference(base, "HEAD").index is None
    models = base.root / INDEX / "data/models.csv"
    models.write_text(models.read_text().replace("Model 00,,Made", "Model 00,,Others"))
    assert difference(base, "HEAD").index is None  # Something changed, and nothing that is ranked.
    november(base, small)
    found = difference(base, "HEAD").index
    assert found is not None and (found.before, found.after) == ("2026-10-22", "2026-11-22")
    assert (found.entered, found.left, found.moved) == (("late",), (), 9) and found.largest > 0
    assert not base.holds(ranking_path("2026-11-22"))
    said = table(difference(base, "HEAD"))
    assert "Index of 2026-11-22 against that of 2026-10-22: 9 models would stand otherwise" in said
    assert "Enters the panel: `late`." in said
    recompute(base)
    commit(base.root)
    benchmarks = base.root / INDEX / "data/benchmarks.csv"
    benchmarks.write_text(benchmarks.read_text().replace("fraction,0.0,1.0", "fraction,0.005,1.0", 1))
    with pytest.raises(InputError, match="is frozen since 2026-10-22 with results from 0 to 1"):
        difference(base, "HEAD")


def test_a_repository_without_an_index_loads_no_numbers(base: Database) -> None:
    shutil.rmtree(base.root / INDEX)
    program = (
        "import sys; from pathlib import Path; from argusic.database.database import Database; "
        "from argusic.referee.check import standing; from argusic.referee.recompute import check_derived, recompute; "
        "base = Database(Path(sys.argv[1])); recompute(base); check_derived(base); standing(base); "
        "print([name for name in ('numpy', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, base.root], capture_output=True, text=True, check=True, cwd=TOP
    )
    assert done.stdout == "[]\n"
    assert read_index(base) is None
