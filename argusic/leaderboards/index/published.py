"""What is published of a fit: plain data, rounded so that another processor gives the same bytes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from argusic.leaderboards.index.fitting import Fit
from argusic.leaderboards.index.gate import LEAST_BENCHMARKS

#: Digits after the point of abilities, difficulties and discriminations; and of what is shown.
DIGITS: Final = 6
SHOWN: Final = 4


def published(fitted: Fit) -> dict[str, Any]:
    """Return the models, the highest first, and the benchmarks by name.

    `gated` says whether a model has results on enough benchmarks to be ranked. Where nothing is known of the
    benchmarks' categories, their number is all that is asked for.
    """
    r = fitted.responses
    counted = np.bincount(r.model, minlength=len(r.models))
    low, high = fitted.range(joint=False)
    low_joint, high_joint = fitted.range(joint=True)
    order = sorted(range(len(r.models)), key=lambda i: (-round(float(fitted.at.theta[i]), DIGITS), r.models[i]))
    return {
        "models": [
            {
                "model": r.models[i],
                "theta": rounded(fitted.at.theta[i], DIGITS),
                "score": rounded(fitted.scores[i], SHOWN),
                "low": rounded(low[i], SHOWN),
                "high": rounded(high[i], SHOWN),
                "low_joint": rounded(low_joint[i], SHOWN),
                "high_joint": rounded(high_joint[i], SHOWN),
                "benchmarks": int(counted[i]),
                "gated": bool(counted[i] >= LEAST_BENCHMARKS),
            }
            for i in order
        ],
        "benchmarks": [
            {
                "benchmark": name,
                "difficulty": rounded(fitted.at.difficulty[j], DIGITS),
                "discrimination": rounded(np.exp(fitted.at.alpha[j]), DIGITS),
            }
            for j, name in enumerate(r.benchmarks)
        ],
    }


def rounded(value: float, digits: int = DIGITS) -> float:
    """Return a number as it is published: without a sign on nought, which depends on the last bit."""
    return round(float(value), digits) + 0.0
