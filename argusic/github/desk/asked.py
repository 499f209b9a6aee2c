"""What an issue is: a dispute, a request, or an issue like any other, which the desk leaves alone."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final, Literal

from argusic.database.codec import read_file
from argusic.database.database import Database
from argusic.github.disputes import FORM_PATH as DISPUTE_FORM
from argusic.github.events import Happening
from argusic.github.forms import Form, begins_with, read_form
from argusic.github.requests import FORM_PATH as REQUEST_FORM

#: What an issue can be.
Asked = Literal["dispute", "request"]

_FORMS: Final[dict[Asked, PurePosixPath]] = {"dispute": DISPUTE_FORM, "request": REQUEST_FORM}


def what_is_asked(database: Database, happening: Happening) -> Asked | None:
    """Return what an issue is; None where it is neither a dispute nor a request.

    It is what the label says that its form gave it. A repository may lack that label, and then it is what its text
    begins like. Whoever opens an ordinary issue is not answered.

    Raises:
        InputError: A form cannot be read.
    """
    forms = {asked: _form(database, path) for asked, path in _FORMS.items() if database.holds(path)}
    labelled = [asked for asked, form in forms.items() if form.labels & happening.labels]
    if len(labelled) == 1:
        return labelled[0]
    return next((asked for asked, form in forms.items() if begins_with(form, happening.issue.body)), None)


def _form(database: Database, path: PurePosixPath) -> Form:
    return read_form(read_file(database.root / path, shown=path), file=path)
