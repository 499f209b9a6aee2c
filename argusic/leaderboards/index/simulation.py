"""What the fit makes of a truth that is known: planted abilities and benchmarks, noise, and reasons for gaps.

Results are made from the truth, some are taken away for a reason, the rest is fitted, and the fit is held against the
truth. Abilities are compared on the fit's own scale (see `validation.linking`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from argusic.leaderboards.index.fitting import UNIT, Fit, fit
from argusic.leaderboards.index.neighbours import rank
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Places, Responses
from argusic.leaderboards.index.validation.halves import TOP, Covered, covered
from argusic.leaderboards.index.validation.linking import known_scale, regressed

#: How many results a model needs to be looked at.
LEAST = 4
#: Of the results that fall short of what a model's ability would give, those who withhold some withhold this share.
WITHHELD = 0.5


@dataclass(frozen=True, eq=False)
class Truth:
    """Abilities and benchmarks that are known. I models, J benchmarks.

    Attributes:
        models: Names, sorted; length I.
        benchmarks: Names, sorted; length J.
        theta: Abilities; shape (I,).
        difficulty: b; shape (J,).
        discrimination: a; shape (J,).
    """

    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    theta: Floats
    difficulty: Floats
    discrimination: Floats

    @classmethod
    def of(cls, fitted: Fit) -> Truth:
        """Return a truth that is what a fit found."""
        r, at = fitted.responses, fitted.at
        return cls(r.models, r.benchmarks, at.theta, at.difficulty, np.exp(at.alpha))

    @classmethod
    def drawn(cls, models: int, benchmarks: int, *, seed: int = 0, difficulty_sd: float = 1.0) -> Truth:
        """Return a truth drawn anew: abilities with standard deviation 1, logarithms of a with 0.5."""
        random = np.random.default_rng(seed)
        return cls(
            tuple(f"model {place:05}" for place in range(models)),
            tuple(f"benchmark {place:05}" for place in range(benchmarks)),
            random.normal(0, 1, models),
            random.normal(0, difficulty_sd, benchmarks),
            np.exp(random.normal(0, 0.5, benchmarks)),
        )

    @property
    def expected(self) -> Floats:
        """Return what each model is to be expected to reach on each benchmark; shape (I, J)."""
        return np.asarray(expit(self.discrimination * (self.theta[:, None] - self.difficulty)))


Pattern = tuple[Places, Places]
"""Which pairs have a result: places of models and of benchmarks, sorted by model and benchmark; each of shape (n,)."""


def pattern_of(responses: Responses) -> Pattern:
    """Return the pairs that have a result in some data: who was run on what is as it is there."""
    return responses.model, responses.benchmark


def at_random(truth: Truth, *, share: float, seed: int = 0) -> Pattern:
    """Return pairs of which each has a result with the same chance."""
    return _kept(np.full((len(truth.models), len(truth.benchmarks)), share), seed)


def by_ability(truth: Truth, *, share: float, seed: int = 0) -> Pattern:
    """Return pairs that are the likelier the nearer a benchmark's difficulty is to the model's ability.

    Coverage then depends on abilities and difficulties, and on no result: it may be ignored.
    """
    near = np.exp(-((truth.theta[:, None] - truth.difficulty) ** 2))
    return _kept(near * (share / np.mean(near)), seed)


def planted(truth: Truth, pattern: Pattern, *, sigma: float = 0.1, seed: int = 0) -> Responses:
    """Return results of a truth with Gaussian noise of `sigma`, cut off at 0 and 1, for the pairs of a pattern."""
    model, benchmark = pattern
    noise = np.random.default_rng(seed).normal(0, sigma, len(model))
    score = np.clip(truth.expected[model, benchmark] + noise, 0, 1)
    return Responses(truth.models, truth.benchmarks, model, benchmark, score)


def silenced(
    truth: Truth, responses: Responses, who: NDArray[np.bool_], *, choosing: bool = True, seed: int = 0
) -> Responses:
    """Return what is left when some models withhold results.

    Args:
        truth: What the results were made from.
        responses: All results.
        who: Which models withhold; shape (I,).
        choosing: Whether they withhold half of the results that fall short of their ability: what is missing then
            depends on what it would have been, which cannot be ignored. Otherwise as many are left out by chance.
        seed: Which of them.
    """
    random = np.random.default_rng(seed)
    short = responses.score < truth.expected[responses.model, responses.benchmark]
    out = short & (random.random(len(short)) < WITHHELD)
    if not choosing:
        out = random.random(len(short)) < WITHHELD * np.mean(short)
    return responses.where(~(out & who[responses.model]))


@dataclass(frozen=True)
class Recovered:
    """How a fit stands to the truth, over several draws of the noise.

    Attributes:
        conditional: What the conditional ranges cover.
        joint: What the joint ranges cover.
        known_scale: What the joint ranges without the scale's own error cover.
        bias: The mean error of the scores of the models that were looked at, in points; 0 by construction where these
            are all models.
        top: The mean error of the ablest 15 %, in points.
        error: The root of the mean square error, in points.
        unit: How long the truth's unit is on the fit's scale: below 1, abilities are drawn together.
        ranks: The share of models whose true rank is within its interval of 90 %; None where ranks were not drawn.
    """

    conditional: Covered
    joint: Covered
    known_scale: Covered
    bias: float
    top: float
    error: float
    unit: float
    ranks: float | None


def recovered(
    truth: Truth,
    made: Callable[[int], Responses],
    *,
    options: Options | None = None,
    draws: int = 10,
    watched: NDArray[np.bool_] | None = None,
    ranked: Sequence[str] = (),
    rank_draws: int = 200,
) -> Recovered:
    """Fit several data sets made from a truth, and hold each fit against it.

    Args:
        truth: The truth.
        made: Returns the data of a draw, by its number.
        options: The settings of the fit.
        draws: How many.
        watched: Whose errors are looked at; all models otherwise; shape (I,). The scale is given by all of them.
        ranked: The field whose ranks are drawn, in the first draw alone.
        rank_draws: How many draws of the benchmarks that takes.
    """
    off: list[list[Floats]] = [[], [], []]
    errors, able, units = [], [], []
    for draw in range(draws):
        fitted = fit(made(draw), options)
        r = fitted.responses
        enough = np.bincount(r.model, minlength=len(r.models)) >= LEAST
        line = regressed(truth.theta[enough], fitted.at.theta[enough])
        look = enough if watched is None else enough & watched
        error = (fitted.at.theta - line.put(truth.theta))[look]
        spreads = (fitted.spread.conditional, fitted.spread.joint, known_scale(fitted, enough))
        for kind, spread in zip(off, spreads, strict=True):
            kind.append(error / spread[look])
        errors.append(UNIT * error)
        able.append(truth.theta[look])
        units.append(line.unit)
    every, ability = np.concatenate(errors), np.concatenate(able)
    conditional, joint, scale = (covered(np.concatenate(kind), ability) for kind in off)
    return Recovered(
        conditional,
        joint,
        scale,
        bias=float(np.mean(every)),
        top=float(np.mean(every[ability >= np.quantile(ability, 1 - TOP)])),
        error=float(np.sqrt(np.mean(every**2))),
        unit=float(np.mean(units)),
        ranks=_ranks(truth, fit(made(0), options), ranked, rank_draws) if ranked else None,
    )


def _ranks(truth: Truth, fitted: Fit, field: Sequence[str], draws: int) -> float:
    found = rank(fitted, field, draws=draws)
    place = {name: number for number, name in enumerate(truth.models)}
    theta = truth.theta[[place[name] for name in found.models]]
    true = 1 + np.sum(theta[None, :] > theta[:, None], axis=1)
    return float(np.mean((found.low <= true) & (true <= found.high)))


def _kept(chance: Floats, seed: int) -> Pattern:
    model, benchmark = np.nonzero(np.random.default_rng(seed).random(chance.shape) < chance)
    return model, benchmark
