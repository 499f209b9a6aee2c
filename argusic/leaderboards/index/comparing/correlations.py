"""How far two rankings agree: Spearman's and Kendall's rank correlations, over all and among the first few."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from scipy.stats import kendalltau, spearmanr

from argusic.leaderboards.index.comparing.comparison import Agreement

#: Among how many of the first the agreement is taken a second time: where people look.
TOP: Final = 20
#: With fewer than three there is no correlation to speak of.
_LEAST = 3


def agreement(
    one: str, scores: Mapping[str, float], other: str, others: Mapping[str, float], *, top: int = TOP
) -> Agreement:
    """Return how far two ways agree on the models that both score.

    The first few are those of the common models that `one` scores highest, equals by name. Among them the range is
    narrow by construction, so that a correlation near 0 there can stand beside one near 1 over all.

    Args:
        one: The name of one way.
        scores: Its scores by model.
        other: The name of the other.
        others: Its scores.
        top: How many are the first few.
    """
    both = sorted(scores.keys() & others.keys(), key=lambda model: (-scores[model], model))
    first = both[:top]
    overall, among = ([[of[model] for model in models] for of in (scores, others)] for models in (both, first))
    return Agreement(
        one, other, len(both), spearman(*overall), kendall(*overall), len(first), spearman(*among), kendall(*among)
    )


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Spearman's rho, equals sharing the mean of their ranks; None where it is not defined."""
    return _value(spearmanr(one, other).statistic) if _defined(one, other) else None


def kendall(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Kendall's tau-b; None where it is not defined."""
    return _value(kendalltau(one, other).statistic) if _defined(one, other) else None


def _defined(one: Sequence[float], other: Sequence[float]) -> bool:
    return len(one) >= _LEAST and len(set(one)) > 1 and len(set(other)) > 1


def _value(statistic: float) -> float | None:
    return float(statistic) if math.isfinite(statistic) else None
