"""A bank as a document: what a fit of questions publishes, rounded, and read again to ask a new model."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from argusic.errors import InputError, Place
from argusic.leaderboards.index.fitting import Fit
from argusic.leaderboards.index.items.bank import Bank
from argusic.leaderboards.index.items.screening import Screened
from argusic.leaderboards.index.published import SHOWN, rounded
from argusic.leaderboards.index.reading.cells import MAX_NAME
from argusic.leaderboards.index.reading.rows import read_text

#: The largest bank that is read, in bytes: some two hundred thousand questions.
MAX_BYTES: Final = 64_000_000
#: How large a parameter of a question may be: far more than any fit gives.
_MOST: Final = 1e4


def as_document(fitted: Fit, screened: Screened) -> dict[str, Any]:
    """Return the questions by name, and the models, the highest ability first."""
    r, bank = fitted.responses, Bank.of(fitted)
    discrimination = np.exp(bank.alpha)
    low, high = fitted.range(joint=True)
    count = np.bincount(r.model, minlength=len(r.models))
    right = np.bincount(r.model, r.score, len(r.models)) / np.maximum(count, 1)
    theta, score = fitted.at.theta, fitted.scores
    order = sorted(range(len(r.models)), key=lambda i: (-rounded(float(theta[i])), r.models[i]))
    return {
        "answers": len(r),
        "digest": r.digest,
        "ability_sd": fitted.options.theta_sd,
        "models": [
            {
                "model": r.models[i],
                "theta": rounded(theta[i]),
                "score": rounded(score[i], SHOWN),
                "low": rounded(low[i], SHOWN),
                "high": rounded(high[i], SHOWN),
                "questions": int(count[i]),
                "right": rounded(right[i], SHOWN),
            }
            for i in order
        ],
        "questions": [
            {
                "question": question,
                "difficulty": rounded(bank.difficulty[j]),
                "discrimination": rounded(discrimination[j]),
                "difficulty_var": rounded(bank.difficulty_var[j]),
                "log_discrimination_var": rounded(bank.alpha_var[j]),
                "covariance": rounded(bank.covariance[j]),
                "models": int(screened.models[j]),
                "right": rounded(screened.right[j], SHOWN),
                "correlation": None if np.isnan(screened.correlation[j]) else rounded(screened.correlation[j], SHOWN),
                "note": screened.notes[j],
                "repeats": r.benchmarks[screened.repeats[j]] if screened.repeats[j] >= 0 else None,
            }
            for j, question in enumerate(bank.questions)
        ],
    }


def read_bank(path: Path) -> Bank:
    """Return the bank of a document.

    Raises:
        InputError: It cannot be read, or is no such document.
    """
    try:
        said = json.loads(read_text(path, MAX_BYTES))
    except json.JSONDecodeError as error:
        raise InputError(f"is no JSON: {error.msg}.", place=Place(path, error.lineno)) from error
    except (ValueError, RecursionError) as error:
        raise InputError("is no JSON.", place=Place(path)) from error
    if not isinstance(said, dict) or not isinstance(said.get("questions"), list):
        what = "is no bank of questions: `argusic index items fit --json` prints one."
        raise InputError(what, place=Place(path))
    if not said["questions"]:
        raise InputError("holds no question.", place=Place(path, field="questions"))
    digest = said.get("digest")
    if not isinstance(digest, str) or not digest.isalnum() or len(digest) > MAX_NAME:
        raise InputError("is no digest.", place=Place(path, field="digest"))
    rows = sorted((_row(path, number, row) for number, row in enumerate(said["questions"])), key=lambda row: row[0])
    names = tuple(row[0] for row in rows)
    for first, second in pairwise(names):
        if first == second:
            raise InputError(f"{first} stands twice.", place=Place(path, field="questions"))
    columns = np.array([row[1:] for row in rows], dtype=np.float64).T
    ability_sd = _number(path, "ability_sd", said.get("ability_sd"), above=0.0)
    b, alpha, var_b, var_alpha, both, usable = columns
    return Bank(names, b, alpha, var_b, var_alpha, both, usable > 0, ability_sd, digest)


def _row(path: Path, number: int, row: object) -> tuple[str, float, float, float, float, float, float]:
    """Return name, difficulty, alpha, both variances, covariance, and 1 where it may be asked."""
    field = f"questions[{number}]"
    if not isinstance(row, dict):
        raise InputError("is no object.", place=Place(path, field=field))
    name = row.get("question")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise InputError("is no name.", place=Place(path, field=f"{field}.question"))

    def number_of(key: str, above: float) -> float:
        return _number(path, f"{field}.{key}", row.get(key), above=above)

    difficulty, discrimination = number_of("difficulty", -_MOST), number_of("discrimination", 0.0)
    var_b, var_alpha = number_of("difficulty_var", 0.0), number_of("log_discrimination_var", 0.0)
    both = number_of("covariance", -_MOST)
    if both * both > 1.01 * var_b * var_alpha + 1e-9:
        what = "is larger than the variances allow."
        raise InputError(what, place=Place(path, field=f"{field}.covariance"))
    usable = 1.0 if row.get("note") is None else 0.0
    return name, difficulty, math.log(discrimination), var_b, var_alpha, both, usable


def _number(path: Path, field: str, value: object, *, above: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not above < value < _MOST:
        raise InputError(f"is no number above {above:g} and below {_MOST:g}.", place=Place(path, field=field))
    return float(value)
