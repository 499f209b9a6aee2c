"""The issue that `argusic dispute open` is given: in an event of GitHub, or in options of its own."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from argusic.database.codec import read_file
from argusic.errors import InputError, Place
from argusic.github.events import LOGIN, Issue, read_event
from argusic.records.base import UtcTime

_TIME: TypeAdapter[datetime] = TypeAdapter(UtcTime)


def given_issue(
    event: Path | None, issue: int | None, body: Path | None, author: str | None, opened: str | None
) -> Issue:
    """Return the issue.

    Raises:
        InputError: It is given in neither way, in both, or in part.
    """
    apart = (issue, body, author, opened)
    if event is not None:
        if any(one is not None for one in apart):
            raise InputError("--event says everything: --issue, --body, --author and --opened do not go with it.")
        return read_event(event)
    if issue is None or body is None or author is None or opened is None:
        raise InputError("name an event with --event, or give --issue, --body, --author and --opened.")
    if issue < 1:
        raise InputError("--issue is the number of an issue, from 1.")
    if not re.fullmatch(LOGIN, author):
        raise InputError("--author is a name on GitHub, of letters, digits and dashes.")
    try:
        when = _TIME.validate_python(opened)
    except ValidationError:
        raise InputError("--opened is a UTC time such as 2026-11-30T01:45:00Z.") from None
    try:
        text = read_file(body).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("is no text in UTF-8.", place=Place(body)) from None
    return Issue(issue, author, when, None, text)
