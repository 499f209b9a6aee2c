"""The line that a finding is about, where the check that found it named a file or a field alone."""

from __future__ import annotations

from pathlib import PurePosixPath

from argusic.database.codec import parse
from argusic.database.database import Database
from argusic.database.locating import line_of, steps_of
from argusic.errors import Finding, InputError, Place
from argusic.referee.differing import first_differing_line


def pinpointed(database: Database, finding: Finding, base: str | None) -> Finding:
    """Return a finding with its line: that of its field, else the first one that was changed.

    Args:
        database: The database.
        finding: What was found. Of a file that is gone, and of a folder, there is no line.
        base: The full id of the commit that the files were compared with.
    """
    place = finding.place
    path = PurePosixPath(str(place.file))
    if place.line is not None or path.is_absolute() or path == PurePosixPath("."):
        return finding
    try:
        data = database.read_bytes(path)
    except InputError:
        return finding
    line = _line(data, place.field, path)
    if line is None:
        git = database.git if base is not None else None
        before = git.show(base, path) if git is not None and base is not None else None
        line = first_differing_line(data, before) if before is not None else 1
    return Finding(Place(place.file, line, place.field), finding.what)


def _line(data: bytes, field: str | None, path: PurePosixPath) -> int | None:
    if field is None:
        return None
    try:
        parse(data, file=path)  # What cannot be read by it is not read by anything more generous.
    except InputError:
        return None
    return line_of(data, steps_of(field))
