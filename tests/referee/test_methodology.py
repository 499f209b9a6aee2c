"""The methodology page says what is configured: every figure of it, of every edition, cycle and workflow and of the
program is changed by itself, and each change is found with the file and the line of both sides."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from argusic.database.database import Database
from argusic.database.paths import edition_path
from argusic.errors import Finding, InputError
from argusic.records.cycle import Conditions
from argusic.records.edition import Edition
from argusic.referee.check import check
from argusic.referee.checks.references import check_references
from argusic.referee.checks.survey import Survey, survey
from argusic.referee.methodology import configured
from argusic.referee.methodology.compare import check_methodology
from argusic.referee.methodology.configured import Configured, jobs, of_cycle, of_edition, of_program
from argusic.referee.methodology.page import PAGE, cells, read_page
from argusic.rules.editions import newest
from argusic.sandbox.protocol import Limits
from tests.made_database import TOP

_COPIED = ("docs/methodology.md", "rules/editions", "rules/instructions", "rules/kinds", "pool", ".github/workflows")
_CI = PurePosixPath(".github/workflows/ci.yml")
NEWEST = newest(Database(TOP).editions()).edition


class Copy:
    """A copy of what the page is compared with, to change one thing in."""

    def __init__(self, root: Path) -> None:
        for name in _COPIED:
            source = TOP / name
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, root / name)
            else:
                shutil.copy(source, root / name)
        self.root = root
        self.database = Database(root)
        self.survey = survey(self.database)

    @property
    def page(self) -> str:
        return (self.root / PAGE).read_text(encoding="utf-8")

    def found(self, surveyed: Survey | None = None) -> list[Finding]:
        return list(check_methodology(self.database, surveyed or self.survey))

    def with_line(self, path: PurePosixPath, line: int, text: str | None) -> Iterator[None]:
        """Put `text` in a line's place, or take the line out, for one step of the iteration."""
        file = self.root / path
        before = file.read_text(encoding="utf-8")
        lines = before.splitlines()
        lines[line - 1 : line] = [text] if text is not None else []
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield
        file.write_text(before, encoding="utf-8")

    def line(self, path: PurePosixPath, number: int) -> str:
        return (self.root / path).read_text(encoding="utf-8").splitlines()[number - 1]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


def other(text: str) -> str:
    """Return a figure that is another."""
    number = re.match(r"[\d,]+", text)
    if number:
        return f"{int(number.group().replace(',', '')) + 1:,}{text[number.end() :]}"
    return {"yes": "no", "no": "yes", "true": "false", "false": "true", "\u2013": "7"}.get(text, f"{text}x")


def test_the_page_of_this_repository_says_what_is_configured() -> None:
    database = Database(TOP)
    assert [str(finding) for finding in check_methodology(database, survey(database))] == []
    assert (TOP / PAGE).is_file() and list(jobs(Database(TOP)))


def test_the_page_has_the_sections_of_the_rules_in_their_order() -> None:
    titles = re.findall(r"^## (\d+a?)\. ", (TOP / PAGE).read_text(encoding="utf-8"), re.MULTILINE)
    assert titles == [*map(str, range(1, 7)), "6a", *map(str, range(7, 21))]


@pytest.mark.endurance
def test_every_figure_that_is_changed_on_the_page_alone_is_found_at_its_line(copy: Copy) -> None:
    stated = read_page(copy.page).stated
    assert len(stated) > 200
    missed = []
    for one in stated:
        row = cells(copy.line(PAGE, one.line))
        row[one.cell] = other(one.text)
        for _ in copy.with_line(PAGE, one.line, f"| {' | '.join(row)} |"):
            found = copy.found()
        if not any(finding.place.file == PAGE and finding.place.line == one.line for finding in found):
            missed.append(one)
    assert missed == []


def test_a_row_that_is_taken_off_the_page_is_missed_where_its_figure_is_configured(copy: Copy) -> None:
    for number in sorted({one.line for one in read_page(copy.page).stated}):
        addresses = {str(one.address) for one in read_page(copy.page).stated if one.line == number}
        for _ in copy.with_line(PAGE, number, None):
            found = copy.found()
        assert found and all(finding.place.line and finding.place.file != PAGE for finding in found), addresses


def _edition_mutants(copy: Copy) -> Iterator[tuple[Configured, str]]:
    for edition in copy.survey.editions.values():
        for one in of_edition(copy.database, edition).values():
            assert one.line is not None
            line = copy.line(one.file, one.line)
            name, value = re.fullmatch(r"( *[\w]+: )(\S+?)( *#.*)?", line).groups()[:2]  # type: ignore[union-attr]
            if one.figure.startswith("verdict/") and value == "null":
                value = "{complete_attempts: 2, stronger_agent: third_step}"
            elif one.figure.startswith("key/") and value == "null":
                value = "{cap_usd: 3, per_run: true}"
            else:
                value = "7" if value == "null" else other(value)
            yield one, name + value


@pytest.mark.endurance
def test_every_figure_that_is_changed_in_an_edition_alone_is_found_with_file_and_line(copy: Copy) -> None:
    missed, tried = [], 0
    for one, text in _edition_mutants(copy):
        assert one.line is not None
        edition = one.file.stem
        for _ in copy.with_line(one.file, one.line, text):
            tried += 1
            try:
                surveyed = Survey(copy.survey.listing)
                surveyed.digests = copy.survey.digests
                surveyed.editions = copy.survey.editions | {edition: copy.database.read(one.file, Edition)}
            except InputError as refused:
                place = refused.place
                named = place is not None and str(place.file) == str(one.file) and place.line is not None
            else:
                # A finding at the page's row names the edition's line, and one at the edition names its own.
                where = f"{one.file}:{one.line}"
                named = any(where in str(finding) for finding in copy.found(surveyed)) or any(
                    (finding.place.file, finding.place.field) == (one.file, one.figure)
                    for finding in check_references(surveyed)
                )
        if not named:
            missed.append(one)
    assert missed == []
    assert tried > 200


def test_points_that_still_add_up_to_a_hundred_are_found_on_both_sides(copy: Copy) -> None:
    path = edition_path(NEWEST)
    file = copy.root / path
    before = file.read_text()
    file.write_text(before.replace("install: 30", "install: 35").replace("launch: 30", "launch: 25"))
    found = [str(finding) for finding in check_methodology(copy.database, survey(copy.database))]
    file.write_text(before)
    install = next(n for n, line in enumerate(before.splitlines(), 1) if line == "  install: 30")
    row = next(n for n, line in enumerate(copy.page.splitlines(), 1) if line.startswith("| Successful install |"))
    said = f"{PAGE}:{row}: says '30'; {path}:{install} (weights.install) says '35'."
    assert said in found


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("    timeout-minutes: 61", "says '60 minutes'; .github/workflows/ci.yml:{line} "),
        (None, "jobs.proof.timeout-minutes is missing or is no number of minutes."),
        ("    timeout-minutes: soon", "jobs.proof.timeout-minutes is missing or is no number of minutes."),
    ],
)
def test_a_time_limit_that_is_changed_in_a_workflow_alone_is_found(copy: Copy, text: str | None, what: str) -> None:
    limit = next(jobs(Database(copy.root))).limit
    assert limit.line is not None
    for _ in copy.with_line(_CI, limit.line, text):
        found = [str(finding) for finding in copy.found()]
    assert any(what.format(line=limit.line) in said for said in found), found


def test_a_job_that_the_page_does_not_know_is_found_and_one_that_makes_attempts_outlasts_every_budget(
    copy: Copy,
) -> None:
    made = copy.root / ".github/workflows/made.yml"
    made.write_text(
        "name: made\non: workflow_dispatch\njobs:\n  attempt:\n    runs-on: ubuntu-24.04\n"
        "    timeout-minutes: 120\n    steps:\n      - run: .venv/bin/argusic attempt first package/tinydb newcomer\n"
    )
    found = [str(finding) for finding in copy.found()]
    made.write_text(made.read_text().replace("120", "150"))
    longer = [str(finding) for finding in copy.found()]
    made.write_text(made.read_text().replace("150", "${{ matrix.timeout_minutes }}"))
    planned = copy.found()
    made.unlink()
    missing = f".github/workflows/made.yml:6: jobs.attempt.timeout-minutes stands in no table of {PAGE}."
    too_short = "jobs.attempt.timeout-minutes is 120, and a budget of 120 minutes would not fit."
    assert found == [missing, f".github/workflows/made.yml:6: {too_short}"]
    assert longer == [missing]
    assert planned == []


def test_a_workflow_that_cannot_be_read_is_found(copy: Copy) -> None:
    for _ in copy.with_line(_CI, 2, "name: [ci"):
        found = copy.found()
    assert [str(finding.place.file) for finding in found] == [str(_CI)]


def test_each_limit_that_is_changed_in_a_cycle_alone_is_found_with_file_and_line(copy: Copy) -> None:
    cycle = copy.database.cycle("quickstart")
    for one in of_cycle(copy.database, cycle).values():
        assert one.line is not None
        line = copy.line(one.file, one.line)
        for _ in copy.with_line(one.file, one.line, re.sub(r"\d+", "77", line, count=1)):
            found = list(check_methodology(copy.database, survey(copy.database)))
        assert [(str(f.place.file), f.place.line) for f in found] == [(str(one.file), one.line)], one.address


def test_a_cycle_with_limits_of_its_own_has_rows_of_its_own(copy: Copy) -> None:
    one = of_cycle(copy.database, copy.database.cycle("quickstart"))["pool/cycles/quickstart.yaml#conditions/memory_mb"]
    assert one.line is not None
    row = next(number for number, line in enumerate(copy.page.splitlines(), 1) if line.startswith("| Memory |"))
    own = f"| Memory of the quickstart | 8,000 MB | of one attempt | `{one.address}` |"
    for _ in copy.with_line(one.file, one.line, "  memory_mb: 8000"):
        surveyed = survey(copy.database)
        assert copy.found(surveyed) != []
        for _ in copy.with_line(PAGE, row, f"{copy.line(PAGE, row)}\n{own}"):
            assert copy.found(surveyed) == []


@pytest.mark.parametrize("name", [*Conditions.model_fields, "MAX_REPORT_BYTES"])
def test_each_limit_that_is_changed_in_the_program_alone_is_found(
    copy: Copy, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "MAX_REPORT_BYTES":
        monkeypatch.setattr("argusic.rules.reading.MAX_REPORT_BYTES", 7)
    else:
        changed = Conditions.model_validate({name: 7})
        monkeypatch.setattr(configured, "Conditions", lambda: changed)
    one = next(one for one in of_program().values() if one.figure.endswith(name))
    assert one.line and re.match(rf"\s*{name}\b", (TOP / one.file).read_text().splitlines()[one.line - 1])
    assert any(f"{one.file}:{one.line}" in str(finding) for finding in copy.found())


def test_a_sandbox_is_limited_as_a_cycle_is_unless_told_otherwise() -> None:
    limits = Limits()
    assert {name: getattr(limits, name) for name in Conditions.model_fields} == Conditions().model_dump()


def test_a_newer_edition_is_what_the_page_has_to_say(copy: Copy) -> None:
    path = copy.root / edition_path("v1.99")
    newest = (copy.root / edition_path(NEWEST)).read_text()
    path.write_text(newest.replace(f"edition: {NEWEST}", "edition: v1.99"))
    found = [str(finding) for finding in check_methodology(copy.database, survey(copy.database))]
    path.unlink()
    assert any(f"takes '90 minutes' from {NEWEST}; the newest edition is v1.99." in said for said in found)
    assert any("rules/editions/v1.99.yaml:" in said and "stands in no table" in said for said in found)
    assert any("does not stand in the table of editions" in said for said in found)


@pytest.mark.parametrize(
    ("prose", "figure"),
    [
        ("Each attempt has 90 minutes.", "90 minutes"),
        ("Each attempt has ninety minutes.", "ninety minutes"),
        ("Of three valid runs the middle one counts.", "three valid runs"),
        ("A key spends 3 USD.", "3 USD"),
        ("- It earns 20 points.", "20 points"),
        ("| Key cap | 3 USD |", "3 USD"),
    ],
)
def test_a_figure_in_prose_is_found_because_nothing_compares_it(copy: Copy, prose: str, figure: str) -> None:
    for _ in copy.with_line(PAGE, 2, f"\n{prose}\n"):
        found = [(finding.place.line, finding.what) for finding in copy.found()]
    assert found == [(3, f"has the figure {figure!r} where nothing compares it: put it into a table.")]


@pytest.mark.parametrize(
    "prose",
    [
        "See section 7, item 6, since v1.1.",
        "`ffmpeg -v error -i FILE -f null -` and `tier1_real`.",
        "1. The first step.",
    ],
)
def test_what_names_a_place_or_a_version_is_no_figure(copy: Copy, prose: str) -> None:
    for _ in copy.with_line(PAGE, 2, f"\n{prose}\n"):
        assert copy.found() == []


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (f"| standard | 90 minutes | `rules/editions/{NEWEST}.yaml#budgets_minutes/standard` |", "has 3 cells"),
        ("| standard | 90 minutes | all others | nowhere at all |", "is no address of a figure"),
        (
            f"| standard | 90 minutes | all others | `rules/editions/{NEWEST}.yaml#budgets_minutes/huge` |",
            "nothing is stated",
        ),
    ],
)
def test_a_row_that_cannot_be_compared_is_found(copy: Copy, row: str, what: str) -> None:
    number = next(n for n, line in enumerate(copy.page.splitlines(), 1) if line.startswith("| standard |"))
    for _ in copy.with_line(PAGE, number, row):
        found = copy.found()
    assert any(finding.place.line == number and what in finding.what for finding in found)


def test_a_copy_of_the_rules_without_workflows_and_cycles_is_compared_with_what_it_has(tmp_path: Path) -> None:
    bare = Copy(tmp_path / "bare")
    shutil.rmtree(bare.root / ".github")
    shutil.rmtree(bare.root / "pool")
    assert bare.found(survey(bare.database)) == []


def test_a_database_without_the_page_has_nothing_to_compare(tmp_path: Path) -> None:
    bare = Copy(tmp_path / "bare")
    (bare.root / PAGE).unlink()
    assert bare.found() == []


def test_the_whole_check_holds_the_page_to_it(copy: Copy) -> None:
    row = next(number for number, line in enumerate(copy.page.splitlines(), 1) if line.startswith("| gpu |"))
    for _ in copy.with_line(PAGE, row, copy.line(PAGE, row).replace("120", "240")):
        found = [finding for finding in check(copy.database) if finding.place.file == PAGE]
    assert [finding.place.line for finding in found] == [row]


def test_the_appendix_adds_up() -> None:
    text = (TOP / PAGE).read_text(encoding="utf-8").split("## Appendix")[1]
    rows = {tuple(row) for line in text.splitlines() if (row := cells(line))}
    shapes = {row[0]: row for row in rows if len(row) == 6 and row[1].endswith("B")}
    needs = {row[0]: row for row in rows if len(row) == 7 and row[1].endswith("GB")}
    assert len(shapes) == len(needs) == 5
    for name, (_, top, _, layers, heads, dimension) in shapes.items():
        weights = float(top.rstrip("B")) * 4.8944 / 8
        context = 2 * int(layers) * int(heads) * int(dimension) * 2 * 8192 / 1e9
        whole = weights + context + 1
        figures = (weights, context, 1.0, whole, whole, whole / 0.75)
        for said, value in zip(needs[name][1:], figures, strict=True):
            assert abs(float(said.removesuffix(" GB")) - value) < 0.0051, (name, said, value)
    first = 400, 66.31
    for chip, bandwidth, speed, times, faster in (row for row in rows if row[1].endswith("GB/s")):
        assert abs(float(times) - float(bandwidth.split()[0]) / first[0]) < 0.0051, chip
        assert abs(float(faster) - float(speed) / first[1]) < 0.0051, chip


def test_an_edition_that_cannot_be_read_is_named_and_the_page_is_not_held_against_an_older_one(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    path = max((copy.root / "rules/editions").iterdir())
    path.write_text(path.read_text().replace("install: 30", "install: 31"))
    surveyed = survey(copy.database)
    assert [str(finding.place.file) for finding in surveyed.findings] == [f"rules/editions/{path.name}"]
    assert copy.found(surveyed) == []
