"""Whether the fit is as sure of results that it has not seen as it may be: posterior predictive calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import norm

from argusic.leaderboards.index.validation.cross import Predicted

LEVELS: Final = (0.5, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Calibration:
    """How often results that were held out are within the ranges that were predicted for them.

    A range ends where scores end, at 0 and 1, so that it holds whatever lies beyond.

    Attributes:
        shares: For each level that was claimed, the share that was found.
        mean: The mean of the errors in units of the standard deviation that was claimed.
        spread: Their standard deviation; 1 where the claim is right.
        results: How many results, over all deals.
    """

    shares: tuple[tuple[float, float], ...]
    mean: float
    spread: float
    results: int


def calibration(deals: Sequence[Predicted]) -> Calibration:
    """Return the calibration of predictions over several deals of the folds."""
    off = np.concatenate([(deal.score - deal.index) / deal.sd for deal in deals])
    shares = tuple((level, float(np.mean(np.abs(off) <= norm.ppf(0.5 + level / 2)))) for level in LEVELS)
    return Calibration(shares, float(np.mean(off)), float(np.std(off)), len(off))
