"""Where a derived file differs from what the facts give, named by line and field."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from argusic.database.codec import parse
from argusic.database.locating import field_name, line_of
from argusic.errors import Finding, InputError, Place

#: How many fields of one file are named before the others are only counted.
MOST_NAMED = 10

Step = tuple[str | int, ...]
_ABSENT = object()


def differences(path: PurePosixPath, found: bytes, expected: bytes) -> list[Finding]:
    """Return what is wrong with the bytes `found` of the derived file `path`; nothing where they are right."""
    if found == expected:
        return []
    try:
        value = parse(found, file=path)
    except InputError as error:
        return [Finding(error.place or Place(path), error.what)]
    named = list(islice(_differing(value, parse(expected, file=path), ()), MOST_NAMED + 1))
    if not named:
        line = first_differing_line(found, expected)
        return [Finding(Place(path, line), "says what the facts give, but is not written in the canonical form.")]
    findings = [Finding(Place(path, line_of(found, step), field_name(step)), what) for step, what in named[:MOST_NAMED]]
    if len(named) > MOST_NAMED:
        findings.append(Finding(Place(path), "differs in more fields, which are not listed."))
    return findings


def _differing(found: Any, expected: Any, step: Step) -> Iterator[tuple[Step, str]]:
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            yield from _differing(found.get(key, _ABSENT), expected.get(key, _ABSENT), (*step, key))
    elif isinstance(found, list) and isinstance(expected, list):
        for place in range(max(len(found), len(expected))):
            here = found[place] if place < len(found) else _ABSENT
            there = expected[place] if place < len(expected) else _ABSENT
            yield from _differing(here, there, (*step, place))
    elif expected is _ABSENT:
        yield step, "is there, but the facts do not give it."
    elif found is _ABSENT:
        yield step, f"is missing; the facts give {_short(expected)}."
    elif type(found) is not type(expected) or found != expected:
        yield step, f"is {_short(found)}, but the facts give {_short(expected)}."


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def first_differing_line(found: bytes, expected: bytes) -> int:
    """Return the first line (from 1) of `found` that `expected` has otherwise, or has no more."""
    lines, others = found.split(b"\n"), expected.split(b"\n")
    differ = (number for number, pair in enumerate(zip(lines, others, strict=False), start=1) if pair[0] != pair[1])
    return next(differ, min(len(lines), len(others)))
