"""When a workflow's schedule should have begun it: cron's five fields, in UTC, as far as GitHub takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from argusic.errors import InputError

_PART: Final = re.compile(r"(\*|\d+(?:-\d+)?)(?:/(\d+))?")
#: The lowest and the highest value of minute, hour, day of the month, month and day of the week.
_RANGES: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
#: How far back ticks are looked for.
_MOST_DAYS: Final = 62


def last_ticks(schedule: str, now: datetime, count: int) -> list[datetime]:
    """Return the last times until `now` that a schedule names, the latest first; fewer where they are long ago.

    Raises:
        InputError: It is no schedule of five fields of numbers.
    """
    minutes, hours, days, months, weekdays = _fields(schedule)
    start = now.replace(second=0, microsecond=0)

    def ticks() -> Iterator[datetime]:
        for back in range(_MOST_DAYS * 24 * 60):
            at = start - timedelta(minutes=back)
            if at.minute in minutes and at.hour in hours and at.month in months and _is_day(at, days, weekdays):
                yield at

    return list(islice(ticks(), count))


def _is_day(at: datetime, days: frozenset[int], weekdays: frozenset[int]) -> bool:
    """Return whether a day is named. Where both fields name some, either will do, as cron has it."""
    day, weekday = at.day in days, at.isoweekday() % 7 in weekdays
    return (day or weekday) if len(days) < 31 and len(weekdays) < 7 else (day and weekday)


def _fields(schedule: str) -> list[frozenset[int]]:
    fields = schedule.split()
    if len(fields) != len(_RANGES):
        raise InputError(f"{schedule!r} is no schedule of five fields.")
    return [_values(field, low, high, schedule) for field, (low, high) in zip(fields, _RANGES, strict=True)]


def _values(field: str, low: int, high: int, schedule: str) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise InputError(f"{schedule!r} is no schedule of numbers.")
        said, step = match.groups()
        first, _, last = (f"{low}-{high}" if said == "*" else said).partition("-")
        end = int(last) if last else high if step else int(first)
        found |= set(range(int(first), end + 1, max(1, int(step or 1))))
    if not found or min(found) < low or max(found) > high:
        raise InputError(f"{schedule!r} names a time that there is not.")
    return frozenset(found)
