"""How an exact fraction is shown: as text that loses nothing, and as a rounded number for reading."""

from __future__ import annotations

from fractions import Fraction

#: Decimal places of a shown figure.
PLACES = 2


def exact(value: Fraction) -> str:
    """Return `value` as text that loses nothing, such as `260/3` or `80`."""
    return str(value)


def shown(value: Fraction) -> float:
    """Return `value` rounded to two places, halves to even. Rounded before it becomes a float: same bytes anywhere."""
    return float(round(value, PLACES))
