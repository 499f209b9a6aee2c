"""An issue understood as a request: a run of the stronger agent on a subject, or a sealed agent's run made again."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from argusic.database.codec import read_file
from argusic.database.database import Database
from argusic.errors import InputError, Place
from argusic.github.disputes import named_run
from argusic.github.events import Issue
from argusic.github.forms import Form, read_body, read_form
from argusic.records.cycle import Cycle
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.referee.requests import reproduction_request, stronger_request

#: The form that runs are asked for with.
FORM_PATH: Final = PurePosixPath(".github/ISSUE_TEMPLATE/request.yml")

_ADDRESS = re.compile(r"(?:\S*/)?subjects/(?P<ref>[^\s/?#]+/[^\s/?#]+?)(?:\.html)?/?(?:[?#]\S*)?")
_REF = re.compile(r"[a-z][a-z-]*/[a-z0-9_][a-z0-9._-]*")


def request_form(database: Database) -> Form:
    """Return the form that this repository's requests are made with.

    Raises:
        InputError: It has none, or one that asks for other things than a request needs.
    """
    form = read_form(read_file(database.root / FORM_PATH, shown=FORM_PATH), file=FORM_PATH)
    asked = [field.name for field in form.fields]
    if asked != ["wanted", "of", "reason"] or len(form.fields[0].options) != 2:
        what = f"asks for {', '.join(asked)}; a request needs wanted, with two answers to choose from, of, reason."
        raise InputError(what, place=Place(FORM_PATH))
    return form


def understand_request(database: Database, issue: Issue) -> StrongerRequest | ReproductionRequest:
    """Return what an issue asks for, which is written nowhere yet.

    Raises:
        InputError: The issue was written without the form or lacks an answer, or nothing can be given that it asks for.
    """
    form = request_form(database)
    answers = read_body(form, issue.body)
    reason, of = answers["reason"], answers["of"]
    if answers["wanted"] == form.fields[0].options[1]:
        run = named_run(of)
        return reproduction_request(database, run, reason=reason, by=issue.author, at=issue.opened, issue=issue.number)
    subject = _subject(of)
    cycle = _cycle(database, subject)
    return stronger_request(
        database, cycle.cycle, subject, reason=reason, by=issue.author, at=issue.opened, issue=issue.number
    )


def _subject(of: str) -> str:
    """Return the subject that a page's address or a subject's own address names."""
    found = _ADDRESS.fullmatch(of.strip())
    ref = found["ref"] if found is not None else of.strip()
    if not _REF.fullmatch(ref):
        raise InputError("the issue names no subject, by its page or as KIND/SLUG.")
    return ref


def _cycle(database: Database, subject: str) -> Cycle:
    """Return the newest cycle in which the stronger agent may be asked for on a subject."""
    tests = [cycle for cycle in database.cycles() if cycle.entry(subject) is not None]
    if not tests:
        raise InputError(f"no cycle here tests {subject}.")
    under_way = [cycle for cycle in tests if database.close(cycle.cycle) is None]
    if not under_way:
        raise InputError(f"every cycle that tests {subject} is closed, and nothing more is run in them.")
    able = [cycle for cycle in under_way if cycle.stronger_agent is not None]
    if not able:
        raise InputError(f"no cycle that tests {subject} and is not closed names a stronger agent.")
    return max(able, key=lambda cycle: (cycle.opens, cycle.cycle))
