"""What GitHub says of an issue: its number, author, time and address are taken from the event, never from its text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from argusic.database.codec import read_file
from argusic.errors import InputError, Place
from argusic.records.base import UtcTime

#: What a name on GitHub is made of; programs have `[bot]` behind it.
LOGIN: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$"


class _Told(BaseModel):
    """Takes the few things that are needed of what GitHub states."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _User(_Told):
    login: Annotated[str, Field(pattern=LOGIN)]


class _Issue(_Told):
    number: Annotated[int, Field(gt=0)]
    user: _User
    created_at: UtcTime
    html_url: str
    body: str | None = None
    pull_request: dict[str, Any] | None = None


class _Event(_Told):
    issue: _Issue


@dataclass(frozen=True)
class Issue:
    """An issue.

    Attributes:
        number: Its number.
        author: Who opened it.
        opened: When.
        url: Its address; None where it is not known.
        body: Its text.
    """

    number: int
    author: str
    opened: datetime
    url: str | None
    body: str


def read_event(path: Path) -> Issue:
    """Return the issue of an `issues` event, as a workflow has it in the file that GITHUB_EVENT_PATH names.

    Raises:
        InputError: It is no event of an issue.
    """
    try:
        given = json.loads(read_file(path))
    except (ValueError, RecursionError):
        raise InputError("is no JSON, so no event of GitHub.", place=Place(path)) from None
    try:
        issue = _Event.model_validate(given).issue
    except ValidationError as error:
        field = ".".join(str(step) for step in error.errors()[0]["loc"])
        what = "is no event of an issue: this is missing, or is not what GitHub states."
        raise InputError(what, place=Place(path, field=field or None)) from None
    if issue.pull_request is not None:
        raise InputError("is of a pull request, which disputes nothing.", place=Place(path))
    return Issue(issue.number, issue.user.login, issue.created_at, issue.html_url, issue.body or "")
