"""An issue understood as a dispute: which run it names, and what is said of it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from argusic.database.codec import read_file
from argusic.database.database import Database, StoredRun
from argusic.errors import InputError, Place
from argusic.github.events import Issue
from argusic.github.forms import Form, read_body, read_form
from argusic.records.findings import Dispute
from argusic.referee.disputes import must_be_new
from argusic.referee.findings import find_run, stated

#: The form that disputes are opened with.
FORM_PATH: Final = PurePosixPath(".github/ISSUE_TEMPLATE/dispute.yml")

_RUN = re.compile(r"(?<![A-Za-z0-9])[0-9]{8}T[0-9]{6}Z-[a-z2-7]{6}(?![A-Za-z0-9])")


def dispute_form(database: Database) -> Form:
    """Return the form that this repository's disputes are opened with.

    Raises:
        InputError: It has none, or one that asks for other things than a dispute needs.
    """
    form = read_form(read_file(database.root / FORM_PATH, shown=FORM_PATH), file=FORM_PATH)
    asked = [field.name for field in form.fields]
    if asked != ["run", "claim", "expected", "evidence"]:
        what = f"asks for {', '.join(asked)}; a dispute needs run, claim, expected, evidence."
        raise InputError(what, place=Place(FORM_PATH))
    return form


def named_run(text: str) -> str:
    """Return the id of the run that an answer names.

    Raises:
        InputError: It names none, or more than one.
    """
    named: list[str] = list(dict.fromkeys(_RUN.findall(text)))
    if len(named) != 1:
        what = "more than one run; an issue is of one" if named else "no run, by its address or its id"
        raise InputError(f"the issue names {what}.")
    return named[0]


def understand(database: Database, issue: Issue, *, again: bool = False) -> tuple[StoredRun, Dispute]:
    """Return the run that an issue disputes, and the dispute, which is written nowhere yet.

    Args:
        database: The database.
        issue: The issue.
        again: Whether it may have opened a dispute before.

    Raises:
        InputError: The issue was written without the form or lacks an answer, names no published run or more than one,
            or opened a dispute before.
    """
    answers = read_body(dispute_form(database), issue.body)
    stored = find_run(database, named_run(answers["run"]))
    if not again:
        must_be_new(database, issue.number)
    dispute = stated(
        Dispute,
        issue=issue.number,
        run=stored.run.run,
        cycle=stored.run.cycle,
        by=issue.author,
        opened=issue.opened,
        claim=answers["claim"],
        expected=answers["expected"],
        evidence=answers.get("evidence"),
        url=issue.url,
    )
    return stored, dispute
