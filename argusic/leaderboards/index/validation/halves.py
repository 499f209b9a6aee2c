"""What the ranges of 90 % cover, by halves of the data: two halves that know nothing of each other should agree.

The truth is not known; but if each half errs as its range says, so does their difference, whose standard deviation is
the root of the sum of squares. Dealt in two ways:

- *Frozen*: each model's results are dealt into halves, the benchmarks' parameters are those of all results. It tests
  what a conditional range claims: the error of an ability on a scale that is settled.
- *Free*: the benchmarks are dealt into halves, and each half is fitted alone, benchmarks and all. It tests what a joint
  range claims: the two halves have no benchmark in common, so that they share no error of a benchmark's parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from argusic.leaderboards.index.abilities import held
from argusic.leaderboards.index.fitting import Fit, fit
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.ranges import LEVEL, WIDTH
from argusic.leaderboards.index.responses import Floats
from argusic.leaderboards.index.validation.cross import dealt
from argusic.leaderboards.index.validation.linking import known_scale, standardised

#: How many results a model needs to be halved, and how many in each half where the benchmarks are dealt.
LEAST_TO_HALVE, LEAST_IN_HALF = 10, 4
#: How often benchmarks are dealt into halves, where nobody asks for another number: a ranking's figures are of these.
SPLITS = 10
#: The share of models, the ablest, that is looked at on its own.
TOP = 0.15


@dataclass(frozen=True)
class Covered:
    """How often a range of 90 % held.

    Attributes:
        level: The share that was claimed.
        share: The share that was found.
        top: The share among the ablest 15 % of the models.
        spread: The standard deviation of the differences in units of what was claimed: 1 where the claim is right.
        pairs: How many differences were looked at.
    """

    level: float
    share: float
    top: float
    spread: float
    pairs: int


@dataclass(frozen=True)
class Halves:
    """What the ranges cover, by halves.

    Attributes:
        frozen: The conditional range, the benchmarks' parameters being those of all results.
        conditional: The conditional range, everything fitted in each half.
        joint: The joint range, everything fitted in each half.
        known_scale: The joint range without the scale's own error, both halves being put on one scale.
    """

    frozen: Covered
    conditional: Covered
    joint: Covered
    known_scale: Covered


@one_thread()
def halves(fitted: Fit, *, frozen: int = 10, free: int = SPLITS, seed: int = 0) -> Halves:
    """Deal the results and the benchmarks into halves, and compare.

    Args:
        fitted: The fit on all results. Nothing is held in the halves that are fitted freely.
        frozen: How often results are dealt.
        free: How often benchmarks are.
        seed: Which deals.
    """
    return Halves(_frozen(fitted, frozen, seed), *_free(fitted, free, seed))


def _frozen(fitted: Fit, deals: int, seed: int) -> Covered:
    counted = np.bincount(fitted.responses.model, minlength=len(fitted.responses.models))
    off, able = [], []
    for model in np.flatnonzero(counted >= LEAST_TO_HALVE):
        # As equal as can be, and dealt anew each time.
        even = np.arange(counted[model]) % 2 == 0
        first = np.random.default_rng([seed, int(model)]).permuted(np.tile(even, (deals, 1)), axis=1)
        one = held(fitted, int(model))
        left, right = one.modes(first.astype(np.float64)), one.modes((~first).astype(np.float64))
        off.append((left.theta - right.theta) / np.hypot(left.spread, right.spread))
        able.append(np.full(deals, fitted.at.theta[model]))
    return covered(np.concatenate(off or [np.zeros(0)]), np.concatenate(able or [np.zeros(0)]))


def _free(fitted: Fit, deals: int, seed: int) -> tuple[Covered, Covered, Covered]:
    r = fitted.responses
    off: tuple[list[Floats], list[Floats], list[Floats]] = ([], [], [])
    able = []
    for deal in range(deals):
        first = (dealt(len(r.benchmarks), 2, _seed(seed, deal, len(r.models))) == 0)[r.benchmark]
        parts = [r.where(first), r.where(~first)]
        counts = [np.bincount(part.model, minlength=len(r.models)) for part in parts]
        both = (counts[0] >= LEAST_IN_HALF) & (counts[1] >= LEAST_IN_HALF)
        if np.sum(both) < 3:
            continue
        made = [fit(part, fitted.options) for part in parts]
        apart = made[0].at.theta - made[1].at.theta
        lines = [standardised(one.at.theta[both]) for one in made]
        linked = lines[0].put(made[0].at.theta) - lines[1].put(made[1].at.theta)
        scaled = [line.unit * known_scale(one, both) for line, one in zip(lines, made, strict=True)]
        off[0].append((apart / np.hypot(made[0].spread.conditional, made[1].spread.conditional))[both])
        off[1].append((apart / np.hypot(made[0].spread.joint, made[1].spread.joint))[both])
        off[2].append((linked / np.hypot(scaled[0], scaled[1]))[both])
        able.append(fitted.at.theta[both])
    ability = np.concatenate(able or [np.zeros(0)])
    conditional, joint, scale = (covered(np.concatenate(part or [np.zeros(0)]), ability) for part in off)
    return conditional, joint, scale


def covered(off: Floats, ability: Floats) -> Covered:
    """Return how often differences, in units of their claimed standard deviation, are within a range of 90 %.

    Args:
        off: The differences; shape (n,).
        ability: How able whoever each belongs to is; shape (n,).
    """
    if not len(off):
        return Covered(LEVEL, float("nan"), float("nan"), float("nan"), 0)
    inside = np.abs(off) <= WIDTH
    top = ability >= np.quantile(ability, 1 - TOP)
    return Covered(
        LEVEL, float(np.mean(inside)), float(np.mean(inside[top])), float(np.sqrt(np.mean(off**2))), len(off)
    )


def _seed(*parts: int) -> int:
    """Return a seed made of several numbers."""
    return int(np.random.SeedSequence(parts).generate_state(1)[0])
