"""A fit as a pandas frame, for whoever goes on with its numbers. pandas is not installed unless it is asked for."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from argusic.errors import EnvironmentLack
from argusic.leaderboards.index.published import published

if TYPE_CHECKING:
    from pandas import DataFrame

    from argusic.leaderboards.index.fitting import Fit


def frame(fitted: Fit, of: Literal["models", "benchmarks", "results"]) -> DataFrame:
    """Return a frame of a fit.

    Args:
        fitted: The fit.
        of: `models`, the highest first, and `benchmarks`, by name, have the columns and the rounding of
            `argusic index fit --json`; `results` has each result with what is expected of it and what it differs by.

    Raises:
        EnvironmentLack: pandas is not installed.
    """
    if find_spec("pandas") is None:
        raise EnvironmentLack("pandas is not installed.", advice="Install it with: pip install 'argusic[frames]'")
    import pandas as pd

    if of != "results":
        return pd.DataFrame(published(fitted)[of])
    r, expected = fitted.responses, fitted.expected
    return pd.DataFrame(
        {
            "model": [r.models[place] for place in r.model],
            "benchmark": [r.benchmarks[place] for place in r.benchmark],
            "score": r.score,
            "expected": expected,
            "residual": r.score - expected,
        }
    )
