"""Each row of the table of what a pull request is asked for: one that breaks it, and its lawful twin."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from argusic.database.database import Database
from argusic.records.cycle import Close
from argusic.referee.recompute import recompute
from tests.changed_rules import (
    AT,
    BOARD,
    CORRECTION,
    HARNESS,
    KIND,
    NEW,
    PACKAGES,
    RECORDER,
    RUBRIC,
    Change,
    both,
    commit_all,
    cycle_from,
    edit,
    edition,
    instructions,
    invalidated,
    named_instructions,
    old_entry,
    re_edited,
    recomputed,
    repinned,
    state,
    stated_twice,
)
from tests.made_database import IDENTITY, Size, commit, make_database, with_evidence, write
from tests.program import argusic

TOP = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """Return two committed databases: one between cycles, and one whose second cycle is under way."""
    made = {}
    for under_way in (False, True):
        root = tmp_path_factory.mktemp("changelog") / "base"
        base = make_database(root, Size(cycles=2, subjects=1))
        for name in (HARNESS, "rules/environment", "rules/trust", "rules/evidence.yaml"):
            source = TOP / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
        for name in (RECORDER, RUBRIC, "argusic/site/pages.py", "argusic/evidence/redaction/rules.yaml"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("# As it was.\n")
        for stored in base.runs():
            with_evidence(base, stored)
        recompute(base)
        for cycle in ("made-00",) if under_way else ("made-00", "made-01"):
            runs = len(list(base.runs(cycle)))
            derived = {
                path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in (root / "leaderboards").rglob(f"{cycle}/*.yaml")
            }
            write(root, Close(cycle=cycle, closed=AT, by="ada", runs=runs, derived=derived))
        (root / ".gitignore").write_text(".argusic/\n")
        commit(root)
        made[under_way] = root
    return made


class Row(NamedTuple):
    """One row of the table: how it is broken, what is said then and where, and how the same is done lawfully."""

    broken: Change
    file: str
    sentence: str
    lawful: Change
    field: str | None = None
    under_way: bool = False


def uncovered(name: str, what: str, *, lawful: Change) -> Row:
    return Row(edit(name), name, f"is {what}: a change of it comes with an edition", both(edit(name), lawful))


ROWS = {
    "instructions": Row(instructions, "rules/instructions/standard-2.md", "comes with an edition", named_instructions),
    "instructions unnamed": Row(
        both(instructions, edition()),
        "rules/instructions/standard-2.md",
        "edition v1.6 names other instructions",
        named_instructions,
    ),
    "kind": uncovered(KIND, "the declaration of a kind", lawful=edition()),
    "environment": uncovered(PACKAGES, "part of the published environment", lawful=state),
    "list of the harness": uncovered(HARNESS, "the list of the harness", lawful=state),
    "who may sign": uncovered("rules/trust/policy.yaml", "the policy of who may sign", lawful=state),
    "where evidence is kept": uncovered("rules/evidence.yaml", "where evidence is kept", lawful=state),
    "what is masked": uncovered(
        "argusic/evidence/redaction/rules.yaml", "a table of what is masked in evidence", lawful=edition()
    ),
    "rubric": uncovered(RUBRIC, "code of the rubric", lawful=state),
    "harness": uncovered(RECORDER, "code of the harness", lawful=edition()),
    "harness of a cycle under way": Row(
        both(edit(RECORDER), edition()),
        RECORDER,
        "changes between cycles only, and cycle made-01 is under way",
        both(edit(RECORDER), state),
        under_way=True,
    ),
    "statement of another content": Row(
        both(edit(RECORDER), state, edit(RECORDER)),
        "rules/changes",
        f"was made for another content of {RECORDER}: state it anew.",
        both(edit(RECORDER), state, edit(RECORDER), state),
        "files",
    ),
    "statement for ever": Row(re_edited, "rules/changes", "a published rule change stays as it is", stated_twice),
    "past edition": Row(
        edit("rules/editions/v1.4.yaml"),
        "rules/editions/v1.4.yaml",
        "was edited; a published edition stays as it is",
        CORRECTION,
    ),
    "one edition": Row(
        both(edition(), edition("v1.7")), "rules/editions/v1.7.yaml", "is a second edition", edition(), "edition"
    ),
    "next number": Row(
        edition("v1.8"), "rules/editions/v1.8.yaml", "the next is v1.6, or v2.0.", edition("v2.0"), "edition"
    ),
    "entry of its own": Row(old_entry, NEW, "is the entry of v1.5", edition(), "changelog"),
    "written after": Row(edition(written='"2026-10-07"'), NEW, "is before v1.5 was written", edition(), "written"),
    "no earlier runs": Row(
        edition(earlier_runs='{first: "2026-10-09"}'), NEW, "runs before there were any", edition(), "earlier_runs"
    ),
    "planned": Row(edition(planned="null"), NEW, "planned for the next cycle", edition(), "planned"),
    "planned after what was measured": Row(
        edition(planned='"2026-11-30"'),
        NEW,
        "is before the next cycle: cycle made-00 was closed on 2026-12-01.",
        edition(planned='"2026-12-01"'),
        "planned",
    ),
    "planned after what is under way": Row(
        edition(planned='"2026-12-01"'),
        NEW,
        "is before the next cycle: cycle made-01 runs until 2026-12-02.",
        edition(planned='"2026-12-02"'),
        "planned",
        under_way=True,
    ),
    "pinned from its start on": Row(
        cycle_from(-1), "pool/cycles/next.yaml", "is before edition v1.6 is planned to start", cycle_from(0), "opens"
    ),
    "conditions of an open cycle": Row(
        repinned,
        "pool/cycles/made-01.yaml",
        "has runs and says something else than before of its edition",
        cycle_from(0),
        under_way=True,
    ),
    "scoring said": Row(edition(install="29", launch="31"), NEW, "says that scoring is unchanged",
                        edition(install="29", launch="31", scoring_changed="true"), "weights"),
    "correction of no scoring": Row(
        edition(corrects_description="true", scoring_changed="true"), NEW, "never does", CORRECTION, "scoring_changed"
    ),
    "correction of no rule": Row(
        edition(corrects_description="true", complete_attempts="3"),
        NEW,
        "this edition corrects a description alone",
        edition(complete_attempts="3"),
        "verdict",
    ),
    "correction of no key": Row(
        edition(corrects_description="true", cap_usd="5"), NEW, "a description alone", edition(cap_usd="5"), "key"
    ),
    "correction derives the same": Row(
        edition(corrects_description="true", install="20", launch="40"),
        NEW,
        f"under this edition {BOARD} would come out otherwise",
        CORRECTION,
        "corrects_description",
    ),
    "correction covers no harness": Row(
        both(edit(RECORDER), CORRECTION),
        RECORDER,
        "edition v1.6 corrects a description, which covers no change of it",
        both(edit(KIND), CORRECTION),
    ),
    "rubric derives the same": Row(
        both(edit(RUBRIC), state, edit(BOARD)),
        BOARD,
        "changed with a change of the rubric's code, which leaves every derivation as it was",
        both(edit(RUBRIC), state),
    ),
    "code apart from evidence": Row(
        both(edit("argusic/site/pages.py"), invalidated),
        "argusic/site/pages.py",
        "one pull request changes code or evidence, never both",
        edit("argusic/site/pages.py"),
        under_way=True,
    ),
    "derivations apart from all": Row(
        both(invalidated, recomputed),
        "leaderboards/",
        "is derived: `argusic recompute` writes it on the main branch",
        invalidated,
        under_way=True,
    ),
}  # fmt: skip


@pytest.fixture
def base(bases: dict[bool, Path], request: pytest.FixtureRequest) -> Iterator[Database]:
    """Return a base, which is as it was again after each test: a copy of it would take longer."""
    made = Database(bases[getattr(request, "param", False)])
    before = git(made, "rev-parse", "HEAD")
    yield made
    git(made, "checkout", "-q", "--detach", "--force", before)
    git(made, "clean", "-fdq")


class Said(NamedTuple):
    """What the command prints for one finding."""

    file: str
    line: int | None
    what: str


def proposed(base: Database, change: Change) -> str:
    """Make the merge that GitHub makes of a pull request with a change. The base stays checked out."""
    change(base)
    before = git(base, "rev-parse", "HEAD")
    commit_all(base)
    merge = git(base, "commit-tree", "-p", before, "-p", "HEAD", "-m", "Merge", "HEAD^{tree}")
    git(base, "checkout", "-q", "--detach", before)
    return merge


def checked(base: Database, merge: str) -> tuple[int, list[Said]]:
    done = argusic(base, "pull", "check", merge, "--annotate")
    said = []
    for file, line, what in re.findall(r"^::error file=([^,:]*)(?:,line=(\d+))?::(.*)$", done.stdout, re.MULTILINE):
        said.append(Said(unescaped(file), int(line) if line else None, unescaped(what)))
    return done.returncode, said


def unescaped(text: str) -> str:
    for code, character in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def git(base: Database, *words: str) -> str:
    done = subprocess.run(["git", *IDENTITY, *words], cwd=base.root, check=True, capture_output=True, text=True)
    return done.stdout.removesuffix("\n")


def of_row(name: str) -> object:
    return pytest.param(*[ROWS[name].under_way, ROWS[name]], id=name)


each_row = pytest.mark.parametrize(("base", "row"), [of_row(name) for name in ROWS], indirect=["base"])


@each_row
def test_a_pull_request_that_breaks_a_row_fails_with_its_sentence_on_its_line(base: Database, row: Row) -> None:
    merge = proposed(base, row.broken)
    status, found = checked(base, merge)
    assert status == 1
    (said, *_) = [one for one in found if row.sentence in one.what] or pytest.fail(f"{found}")
    assert said.file.startswith(row.file)
    assert said.line is not None
    now, before = (text(base, revision, said.file) for revision in (merge, f"{merge}^1"))
    line = now[said.line - 1]
    if row.field is None:
        assert not before or before[said.line - 1 :][:1] != [line]
    else:
        assert line.startswith(f"{row.field}:")
        assert said.what.startswith(f"{row.field}: ")


@each_row
def test_the_lawful_twin_of_a_row_passes(base: Database, row: Row) -> None:
    assert checked(base, proposed(base, row.lawful)) == (0, [])


def text(base: Database, revision: str, file: str) -> list[str]:
    try:
        return git(base, "show", f"{revision}:{file}").split("\n")
    except subprocess.CalledProcessError:
        return []


def test_the_table_has_its_rows_and_the_page_names_them() -> None:
    assert len(ROWS) == 33
    page = (TOP / "docs/contributing/rules.md").read_text()
    table = [line.split("|")[1].strip() for line in page.split("\n") if line.startswith("| ")][1:]
    assert table == list(ROWS)
