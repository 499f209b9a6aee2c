"""The one codec of the database: bytes of YAML to records, and records to bytes.

`parse` and `dump` are the two halves; `parse_record` and `read_record` add the record's model and say which
file, line and field is wrong. Files that people edit are changed through `argusic.database.editing`.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import Any, TypeVar

from pydantic import ValidationError

from argusic.database.locating import field_name, line_of, refusals
from argusic.database.reading import MAX_BYTES, parse
from argusic.database.writing import dump
from argusic.errors import InputError, Place
from argusic.records.base import Record

__all__ = ["MAX_BYTES", "dump", "parse", "parse_record", "read_file", "read_record"]

R = TypeVar("R", bound=Record)


def parse_record(data: bytes, model: type[R], *, file: PurePath | str) -> R:
    """Read one record from its YAML bytes.

    Args:
        data: The file's bytes.
        model: Which record it is.
        file: What to call it in an error.

    Raises:
        InputError: It is no such record; with file, line and field of the first thing wrong, and the others
            named behind it.
    """
    if b"\r" in data:
        line = data.count(b"\n", 0, data.index(b"\r")) + 1
        raise InputError("holds a carriage return; records end their lines with LF alone.", place=Place(file, line))
    return _validated(parse(data, file=file), data, model, file)


def read_record(path: Path, model: type[R], *, root: Path | None = None) -> R:
    """Read one record from a file.

    Args:
        path: The file.
        model: Which record it is.
        root: The folder that an error shows the path relative to.

    Raises:
        InputError: There is no such file, or it is no such record.
    """
    shown = path.relative_to(root) if root is not None and path.is_relative_to(root) else path
    return parse_record(read_file(path, shown=shown), model, file=shown)


def read_file(path: Path, *, shown: PurePath | str | None = None) -> bytes:
    """Return the bytes of a regular file, never following a link, never more than can be parsed.

    Raises:
        InputError: It is not there, no regular file, not readable, or too large.
    """
    place = Place(shown if shown is not None else path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise InputError("does not exist.", place=place) from None
    except OSError as error:
        if path.is_symlink():
            raise InputError("is a symbolic link; records are never read through one.", place=place) from None
        raise InputError(f"cannot be read: {error.strerror}.", place=place) from None
    try:
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path to open
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", place=place) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"has more than {MAX_BYTES:,} bytes, the most that is read.", place=place)
    return data


def _validated(value: Any, data: bytes, model: type[R], file: PurePath | str) -> R:
    if value is None:
        raise InputError("is empty.", place=Place(file))
    if not isinstance(value, dict):
        raise InputError("is a list or a single value, where a record is needed.", place=Place(file, 1))
    if "schema" not in value:
        raise InputError("is missing. A record begins with 'schema: 1'.", place=Place(file, 1, "schema"))
    if "schema_version" in value:
        line = line_of(data, ("schema_version",))
        raise InputError("is not a field of this record.", place=Place(file, line, "schema_version"))
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = refusals(error, value)
    (place, what), *others = found
    # A refused item makes its list look wrong as well; that says nothing new.
    others = [(p, w) for p, w in others if p != place[: len(p)] or p == place]
    also = "; ".join(f"{field_name(p) or 'the record'}: {w}" for p, w in others[:5])
    more = f" Also: {also}{'; and more' if len(others) > 5 else ''}." if others else ""
    raise InputError(f"{what.rstrip('.')}.{more}", place=Place(file, line_of(data, place), field_name(place)))
