"""How figures of the index read: scores and points to one decimal, shares in percent, parameters to two."""

from __future__ import annotations

from datetime import date
from typing import Final

from argusic.leaderboards.index.fitting import ORIGIN, UNIT
from argusic.leaderboards.index.standings import Range

_MINUS: Final = "\u2212"


def score(value: float) -> str:
    """Return a score: `133.9`."""
    return _sign(f"{value:.1f}")


def points(value: float) -> str:
    """Return a difference of scores, with its sign: `+0.8`."""
    return _signed(value, 1)


def between(value: Range) -> str:
    """Return a range of scores: `132.2 to 135.6`."""
    return f"{score(value.low)} to {score(value.high)}"


def width(value: Range) -> str:
    """Return how far a range reaches to each side: `±1.7`."""
    return f"\u00b1{(value.high - value.low) / 2:.1f}"


def share(value: float) -> str:
    """Return a share in percent: `85.3 %`."""
    return _sign(f"{100 * value:.1f} %")


def residual(value: float) -> str:
    """Return a difference of shares in percent of the scale, with its sign: `+3.2`."""
    return _signed(100 * value, 1)


def parameter(value: float) -> str:
    """Return a parameter of a benchmark: `1.15`."""
    return _sign(f"{value:.2f}")


def correlation(value: float) -> str:
    """Return a rank correlation: `0.929`."""
    return _sign(f"{value:.3f}")


def raw(value: float) -> str:
    """Return a published score in its benchmark's own unit, as it was published: up to six digits."""
    return _sign(f"{value:.6g}")


def brief(value: float) -> str:
    """Return a score of another way, whose unit is its own: four digits."""
    return _sign(f"{value:.4g}")


def ability_score(ability: float) -> str:
    """Return an ability, or a difficulty, on the scale of scores."""
    return score(ORIGIN + UNIT * ability)


def calendar(value: date) -> str:
    """Return a day: `2026-11-29`."""
    return value.isoformat()


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}"
    return f"{0:.{digits}f}" if float(text) == 0 else _sign(text)


def _sign(text: str) -> str:
    if text.startswith("-") and not any(digit in text for digit in "123456789"):
        return text[1:]
    return text.replace("-", _MINUS) if "e" not in text else text
