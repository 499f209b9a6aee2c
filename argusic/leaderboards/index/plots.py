"""A fit in pictures, by matplotlib, which is not installed unless it is asked for.

Each function draws on the axes it is given, or on new ones, and returns them; `axes.figure.savefig(...)` writes a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from argusic.errors import EnvironmentLack
from argusic.leaderboards.index.fitting import UNIT, Fit, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches of a new figure, and of each line of a forest plot.
_WIDE, _HIGH, _LINE = 7.0, 4.5, 0.22


def curves(fitted: Fit, benchmarks: Sequence[str] | None = None, *, axes: Axes | None = None) -> Axes:
    """Draw what is expected on benchmarks over the scores of models, and the results that there are.

    Args:
        fitted: The fit.
        benchmarks: Which; all where None.
        axes: Where to draw.

    Raises:
        ValueError: A benchmark is not in the fit.
        EnvironmentLack: matplotlib is not installed.
    """
    r, at = fitted.responses, fitted.at
    names = list(r.benchmarks if benchmarks is None else benchmarks)
    places = _places(names, r.benchmarks)
    axes = _axes(axes, _HIGH)
    theta = np.linspace(np.min(at.theta, initial=-1.0) - 0.5, np.max(at.theta, initial=1.0) + 0.5, 200)
    for name, place in zip(names, places, strict=True):
        expected = 1 / (1 + np.exp(-np.exp(at.alpha[place]) * (theta - at.difficulty[place])))
        (line,) = axes.plot(shown(theta), expected, label=name)
        own = r.benchmark == place
        axes.plot(shown(at.theta[r.model[own]]), r.score[own], ".", color=line.get_color(), alpha=0.4)
    axes.set(xlabel="score", ylabel="result, from guessing (0) to the ceiling (1)", ylim=(-0.02, 1.02))
    if len(names) <= 12:
        axes.legend(fontsize="small")
    return axes


def ranges(fitted: Fit, models: Sequence[str] | None = None, *, top: int = 30, axes: Axes | None = None) -> Axes:
    """Draw scores with both ranges of 90 %, one model a line, the highest on top (a forest plot).

    The thick line takes the benchmarks' parameters as known, the thin one as uncertain as they are.

    Args:
        fitted: The fit.
        models: Which; the first `top` where None.
        top: How many, where `models` is None.
        axes: Where to draw.

    Raises:
        ValueError: A model is not in the fit.
        EnvironmentLack: matplotlib is not installed.
    """
    r = fitted.responses
    order = np.argsort(-fitted.at.theta, kind="stable")
    chosen = order[:top] if models is None else order[np.isin(order, _places(models, r.models))]
    axes = _axes(axes, 1.0 + _LINE * len(chosen))
    line = -np.arange(len(chosen))
    for joint, width in ((True, 1.0), (False, 3.0)):
        low, high = fitted.range(joint=joint)
        axes.hlines(line, low[chosen], high[chosen], linewidth=width)
    axes.plot(fitted.scores[chosen], line, "o", markersize=4)
    axes.set_yticks(line, [r.models[place] for place in chosen], fontsize="small")
    axes.set(xlabel=f"score, {UNIT:g} points a unit of ability")
    return axes


def residuals(fitted: Fit, *, axes: Axes | None = None) -> Axes:
    """Draw what each result differs by from what is expected of it, over that; the lines are two sigmas away.

    Raises:
        EnvironmentLack: matplotlib is not installed.
    """
    axes = _axes(axes, _HIGH)
    axes.plot(fitted.expected, fitted.responses.score - fitted.expected, ".", alpha=0.4)
    axes.axhline(0.0, linewidth=1)
    if fitted.options.likelihood == "gaussian":
        for off in (-2 * fitted.options.sigma, 2 * fitted.options.sigma):
            axes.axhline(off, linewidth=1, linestyle="--")
    axes.set(xlabel="expected result", ylabel="result less that", xlim=(0, 1))
    return axes


def _axes(axes: Axes | None, high: float) -> Axes:
    if axes is not None:
        return axes
    if find_spec("matplotlib") is None:
        raise EnvironmentLack("matplotlib is not installed.", advice="Install it with: pip install 'argusic[plots]'")
    # A figure of its own, and none of pyplot's, which would keep it alive.
    from matplotlib.figure import Figure

    return Figure(figsize=(_WIDE, high), layout="constrained").subplots()


def _places(names: Sequence[str], known: Sequence[str]) -> list[int]:
    of_name = {name: place for place, name in enumerate(known)}
    unknown = [name for name in names if name not in of_name]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not in the fit")
    return [of_name[name] for name in names]
