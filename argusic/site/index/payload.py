"""What the browser is given to refit the index with: every result that counts, as small as it can be sent."""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np

from argusic.leaderboards.index.fitting import ORIGIN, UNIT
from argusic.site.escape import printable
from argusic.site.index.contents import Contents

#: Digits of a result and of a parameter: a score moves by less than a thousandth of a point by what they leave out.
_DIGITS: Final = 5
_PARAMETER_DIGITS: Final = 6


def payload(contents: Contents) -> dict[str, Any]:
    """Return the data of a refit.

    `models` and `benchmarks` are columns. `results` has one list for each model: benchmark, score, benchmark, score,
    scores in units of `1 / scale`.
    """
    made = contents.index.fit
    r, options = made.responses, made.options
    known = contents.by_model
    scale = 10**_DIGITS
    results: list[list[int]] = [[] for _ in r.models]
    for model, benchmark, score in zip(r.model, r.benchmark, r.score, strict=True):
        results[model] += [int(benchmark), round(float(score) * scale)]
    standings = [known.get(name) for name in r.models]
    about = [contents.facts.benchmarks[benchmark] for benchmark in r.benchmarks]
    return {
        "scale": scale,
        "origin": ORIGIN,
        "unit": UNIT,
        "options": {
            "likelihood": options.likelihood,
            "sigma": options.sigma,
            "theta_sd": options.theta_sd,
            "difficulty_sd": options.difficulty_sd,
            "log_discrimination_sd": options.log_discrimination_sd,
        },
        "models": {
            "name": [printable(name) for name in r.models],
            "page": [contents.model_slugs[name] for name in r.models],
            "theta": _rounded(made.at.theta),
            "open": [int(s is not None and s.model.open_weights is True) for s in standings],
            "ranked": [int(s is not None and s.refused is None) for s in standings],
        },
        "benchmarks": {
            "id": [contents.benchmark_slugs[one.benchmark] for one in about],
            "name": [printable(one.name) for one in about],
            "category": [one.category for one in about],
            "difficulty": _rounded(made.at.difficulty),
            "alpha": _rounded(made.at.alpha),
            "held": [int(held) for held in made.held],
        },
        "results": results,
    }


def script(contents: Contents) -> str:
    """Return the payload as a script: a page can load that from a disk too. ASCII, and nothing in it ends a script."""
    text = json.dumps(payload(contents), separators=(",", ":")).replace("<", "\\u003c")
    return f"window.argusicIndex = {text};\n"


def _rounded(values: np.typing.NDArray[np.float64]) -> list[float]:
    return [round(float(value), _PARAMETER_DIGITS) for value in values]
