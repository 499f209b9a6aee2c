"""Writing down that a change has no effect on measurement: a person's statement about the very files."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import PurePosixPath

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.git import Git
from argusic.database.paths import rule_change_path
from argusic.errors import InputError
from argusic.records.rule_change import ChangedFile, RuleChange
from argusic.referee.changelog.comparing import Comparison


def state_no_effect(
    database: Database, base: str, *, reason: str, by: str, at: datetime
) -> tuple[PurePosixPath, RuleChange]:
    """State that what changed since `base` of rule files and harness code has no effect on measurement.

    A statement that was made before for other contents of the files, and that `base` has not, gives way to this one.

    Args:
        database: The database.
        base: A git revision: that of the pull request's base.
        reason: Why it has none.
        by: Who says so.
        at: When.

    Returns:
        Where the statement lies, and the statement.

    Raises:
        InputError: Nothing changed that would have to be explained, or something did that no statement covers.
    """
    for what, text in (("the reason", reason), ("who says so", by)):
        if not text.strip():
            raise InputError(f"{what} must not be empty.")
    git = Git.required_around(database.root)
    made = Comparison(database, git, git.commit(base))
    statable = [path for path, borne in made.bearings.items() if all(bearing.statable for bearing in borne)]
    if not statable:
        strict = next(iter(made.bearings), None)
        if strict is not None:
            raise InputError(f"no statement covers {strict}, which is {made.bearings[strict][0].name}: add an edition.")
        raise InputError(f"nothing changed since {base} that would have to be explained.")
    files = tuple(ChangedFile(file=str(path), sha256=made.digest(path)) for path in sorted(statable, key=str))
    statement = RuleChange(files=files, no_effect=reason, by=by, at=at)
    path = rule_change_path(hashlib.sha256(dump(statement)).hexdigest())
    database.write(path, statement, replace=path in [there for there, _ in made.statements])
    for there, _ in made.statements:
        if there != path:
            database.remove(there)
    return path, statement
