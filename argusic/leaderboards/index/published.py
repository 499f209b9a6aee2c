"""What is published of a fit: plain data, rounded so that another processor gives the same bytes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from argusic.leaderboards.index.fitting import Fit

#: Digits after the point of abilities, difficulties and discriminations; and of what is shown.
_DIGITS: Final = 6
_SHOWN: Final = 4
#: How many benchmarks a model needs before it has a place.
LEAST_BENCHMARKS: Final = 4


def published(fitted: Fit) -> dict[str, Any]:
    """Return the models, the highest first, and the benchmarks by name.

    `gated` says whether a model has results on enough benchmarks to be ranked. Where nothing is known of the
    benchmarks' categories, their number is all that is asked for.
    """
    r = fitted.responses
    counted = np.bincount(r.model, minlength=len(r.models))
    low, high = fitted.range(joint=False)
    low_joint, high_joint = fitted.range(joint=True)
    order = sorted(range(len(r.models)), key=lambda i: (-round(float(fitted.at.theta[i]), _DIGITS), r.models[i]))
    return {
        "models": [
            {
                "model": r.models[i],
                "theta": _rounded(fitted.at.theta[i], _DIGITS),
                "score": _rounded(fitted.scores[i], _SHOWN),
                "low": _rounded(low[i], _SHOWN),
                "high": _rounded(high[i], _SHOWN),
                "low_joint": _rounded(low_joint[i], _SHOWN),
                "high_joint": _rounded(high_joint[i], _SHOWN),
                "benchmarks": int(counted[i]),
                "gated": bool(counted[i] >= LEAST_BENCHMARKS),
            }
            for i in order
        ],
        "benchmarks": [
            {
                "benchmark": name,
                "difficulty": _rounded(fitted.at.difficulty[j], _DIGITS),
                "discrimination": _rounded(np.exp(fitted.at.alpha[j]), _DIGITS),
            }
            for j, name in enumerate(r.benchmarks)
        ],
    }


def _rounded(value: float, digits: int) -> float:
    # Without a sign on nought, which depends on the last bit.
    return round(float(value), digits) + 0.0
