"""How figures read on a page: times, durations, sizes, points, money and counted nouns."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

#: Words whose plural is not made by adding an s.
_PLURALS = {"entry": "entries", "repository": "repositories"}


def time(value: datetime) -> str:
    """Return a UTC time to the second: `2026-11-30 01:45:00 UTC`."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def day(value: datetime) -> str:
    """Return the UTC day: `2026-11-30`."""
    return value.astimezone(UTC).strftime("%Y-%m-%d")


def duration(seconds: float) -> str:
    """Return a length of time in the two largest units that matter: `4.2 s`, `3 min 20 s`, `1 h 30 min`."""
    if 0 < seconds < 0.05:
        return "under 0.1 s"
    if round(seconds, 1) < 10:
        return f"{seconds:.1f} s".replace(".0 ", " ")
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, rest = divmod(round(whole / 60), 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def clock(seconds: float) -> str:
    """Return a place in a recording: `0:07`, `12:34`, `1:02:03`."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def seek(seconds: float) -> str:
    """Return a place in a recording as a link names it: seconds, to the hundredth."""
    return f"{seconds:.2f}".rstrip("0").rstrip(".")


def size(count: int) -> str:
    """Return a size in decimal units: `812 bytes`, `4.1 kB`, `20 MB`."""
    if count < 1000:
        return counted(count, "byte")
    value = float(count)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if round(value) < 1000 or unit == "TB":
            break
    return f"{value:.1f} {unit}" if round(value, 1) < 10 else f"{value:.0f} {unit}"


def points(value: Fraction | int | float) -> str:
    """Return points or a percentage: exact where whole, else rounded to one decimal."""
    exact = Fraction(value)
    return str(exact.numerator) if exact.denominator == 1 else f"{float(exact):.1f}"


def kappa(value: Fraction | float) -> str:
    """Return an agreement beyond chance, or a limit of it: two decimals."""
    return f"{float(value):.2f}"


def usd(value: float) -> str:
    """Return an amount in US dollars: two decimals, four below ten cents."""
    return f"{value:.2f} USD" if value == 0 or value >= 0.1 else f"{value:.4f} USD"


def number(value: int) -> str:
    """Return a whole number with its thousands set apart: `12,345`."""
    return f"{value:,}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `1 run`, `12 runs`."""
    return f"{number(count)} {noun if count == 1 else _PLURALS.get(noun, noun + 's')}"
