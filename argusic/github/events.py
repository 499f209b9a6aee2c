"""What GitHub says of an issue: its number, author, time and address are taken from the event, never from its text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from argusic.database.codec import read_file
from argusic.errors import InputError, Place
from argusic.records.base import UtcTime

#: What a name on GitHub is made of; programs have `[bot]` behind it.
LOGIN: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$"
#: Whom GitHub names in the place of somebody whose account is gone.
GHOST: Final = "ghost"


class _Told(BaseModel):
    """Takes the few things that are needed of what GitHub states."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _User(_Told):
    login: Annotated[str, Field(pattern=LOGIN)]


class _Label(_Told):
    name: str


class _Issue(_Told):
    number: Annotated[int, Field(gt=0, lt=2**53)]
    user: _User | None
    created_at: UtcTime
    html_url: str
    body: str | None = None
    pull_request: dict[str, Any] | None = None


class _Event(_Told):
    issue: _Issue


class _StandingIssue(_Issue):
    updated_at: UtcTime
    labels: Annotated[tuple[_Label, ...], Field(strict=False)] = ()


class _Repository(_Told):
    full_name: str


class _Happening(_Told):
    action: str
    sender: _User
    repository: _Repository | None = None
    label: _Label | None = None
    issue: _StandingIssue


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


@dataclass(frozen=True)
class Happening:
    """What somebody did to an issue.

    Attributes:
        issue: The issue, as it is since then.
        action: What they did, as GitHub calls it: `opened`, `edited`, `labeled` and so on.
        sender: Who.
        at: When.
        label: The label that they put on it or took off, where that is what they did.
        labels: All labels that are on it since then.
    """

    issue: Issue
    action: str
    sender: str
    at: datetime
    label: str | None
    labels: frozenset[str]


def read_event(path: Path) -> Issue:
    """Return the issue of an `issues` event, as a workflow has it in the file that GITHUB_EVENT_PATH names.

    Raises:
        InputError: It is no event of an issue.
    """
    return _plain(_read(path, _Event).issue, path)


def read_happening(path: Path, repository: str | None = None) -> Happening:
    """Return what an `issues` event says that somebody did, as a workflow has it.

    Args:
        path: The event's file.
        repository: The repository, `owner/name`, that it must be of where it says of which one it is.

    Raises:
        InputError: It is no event of an issue, or of another repository.
    """
    event = _read(path, _Happening)
    stated = event.repository.full_name if event.repository is not None else None
    if repository is not None and stated is not None and stated.lower() != repository.lower():
        raise InputError(f"is of the repository {stated[:140]}, not of {repository}.", place=Place(path))
    labels = frozenset(label.name for label in event.issue.labels)
    label = event.label.name if event.label is not None else None
    issue = _plain(event.issue, path)
    return Happening(issue, event.action, event.sender.login, event.issue.updated_at, label, labels)


E = TypeVar("E", bound=_Told)


def _read(path: Path, model: type[E]) -> E:
    try:
        given = json.loads(read_file(path))
    except (ValueError, RecursionError):
        raise InputError("is no JSON, so no event of GitHub.", place=Place(path)) from None
    try:
        return model.model_validate(given)
    except ValidationError as error:
        field = ".".join(str(step) for step in error.errors()[0]["loc"])
        what = "is no event of an issue: this is missing, or is not what GitHub states."
        raise InputError(what, place=Place(path, field=field or None)) from None


def _plain(issue: _Issue, path: Path) -> Issue:
    if issue.pull_request is not None:
        raise InputError("is of a pull request, which disputes nothing.", place=Place(path))
    author = issue.user.login if issue.user is not None else GHOST
    return Issue(issue.number, author, issue.created_at, issue.html_url, issue.body or "")
