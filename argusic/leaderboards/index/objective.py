"""The posterior that a fit maximises, as its negative logarithm: value, gradient and curvature, in blocks.

A result of model i on benchmark j is expected at p = sigmoid(z), z = a (theta - b), with ability theta, difficulty b
and discrimination a = exp(alpha): the two-parameter logistic model of item response theory (Birnbaum, in Lord and
Novick, Statistical Theories of Mental Test Scores, 1968). The unknowns are theta (I), b (J) and alpha (J).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import expit, xlog1py, xlogy

from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Places, Responses


@dataclass(frozen=True, eq=False)
class Point:
    """Values of the unknowns.

    Attributes:
        theta: Abilities; shape (I,).
        difficulty: Difficulties b, in units of ability; shape (J,).
        alpha: Logarithms of the discriminations a; shape (J,).
    """

    theta: Floats
    difficulty: Floats
    alpha: Floats

    @classmethod
    def origin(cls, responses: Responses) -> Point:
        """Return where every fit starts: at the priors' means."""
        items = len(responses.benchmarks)
        return cls(np.zeros(len(responses.models)), np.zeros(items), np.zeros(items))


@dataclass(frozen=True, eq=False)
class Curvature:
    """Second derivatives, in the blocks that they come in: between two models, or two benchmarks, there are none.

    Attributes:
        theta: The diagonal of abilities; shape (I,).
        mixed_difficulty: Of each result, between its ability and its difficulty; shape (n,).
        mixed_alpha: Of each result, between its ability and its alpha; shape (n,).
        difficulty: The diagonal of difficulties; shape (J,).
        alpha: The diagonal of alphas; shape (J,).
        cross: Between difficulty and alpha of a benchmark; shape (J,).
    """

    theta: Floats
    mixed_difficulty: Floats
    mixed_alpha: Floats
    difficulty: Floats
    alpha: Floats
    cross: Floats


@dataclass(frozen=True, eq=False)
class Objective:
    """The negative logarithm of the posterior, up to a constant."""

    responses: Responses
    options: Options

    def expected(self, at: Point) -> Floats:
        """Return what is expected of each result; shape (n,)."""
        return np.asarray(expit(self._z(at)))

    def value(self, at: Point) -> float:
        """Return the objective."""
        return float(np.sum(self._of_models(at, self._z(at)))) + self._of_items(at)

    def gradient(self, at: Point) -> Point:
        """Return the first derivatives, in the shape of a point."""
        r, z, a = self.responses, self._z(at), np.exp(at.alpha)
        slope, _ = self._along(z, exact=False)
        by_z = slope * a[r.benchmark]
        priors = [part / sd**2 for part, sd in self._priors(at)]
        return Point(
            self._per_model(by_z) + priors[0],
            self._per_item(-by_z) + priors[1],
            self._per_item(slope * z) + priors[2],
        )

    def curvature(self, at: Point, *, exact: bool) -> Curvature:
        """Return the second derivatives; without `exact`, only what is positive everywhere (Gauss and Newton's)."""
        z, a = self._z(at), np.exp(at.alpha)[self.responses.benchmark]
        slope, bend = self._along(z, exact=exact)
        # What comes of z being no linear function of the unknowns.
        twist = slope if exact else np.zeros_like(slope)
        options = self.options
        return Curvature(
            theta=self._per_model(bend * a * a) + 1 / options.theta_sd**2,
            mixed_difficulty=-bend * a * a,
            mixed_alpha=bend * a * z + twist * a,
            difficulty=self._per_item(bend * a * a) + 1 / options.difficulty_sd**2,
            alpha=self._per_item(bend * z * z + twist * z) + 1 / options.log_discrimination_sd**2,
            cross=self._per_item(-bend * a * z - twist * a),
        )

    def with_better_abilities(self, at: Point) -> tuple[Point, float]:
        """Return the point with each ability one step of its own on, where that is better, and the objective there.

        Steps are Gauss and Newton's, by 1 at most.
        """
        z, a = self._z(at), np.exp(at.alpha)[self.responses.benchmark]
        slope, bend = self._along(z, exact=False)
        prior = 1 / self.options.theta_sd**2
        first, second = self._per_model(slope * a) + prior * at.theta, self._per_model(bend * a * a) + prior
        moved = replace(at, theta=at.theta - np.clip(first / second, -1.0, 1.0))
        before, after = self._of_models(at, z), self._of_models(moved, self._z(moved))
        better = after < before
        theta = np.where(better, moved.theta, at.theta)
        return replace(at, theta=theta), float(np.sum(np.where(better, after, before))) + self._of_items(at)

    def _z(self, at: Point) -> Floats:
        r = self.responses
        return np.asarray(np.exp(at.alpha)[r.benchmark] * (at.theta[r.model] - at.difficulty[r.benchmark]))

    def _of_models(self, at: Point, z: Floats) -> Floats:
        """Return each model's part of the objective, its results' and its prior's; shape (I,)."""
        y = self.responses.score
        if self.options.likelihood == "gaussian":
            data = 0.5 * ((expit(z) - y) / self.options.sigma) ** 2
        else:
            # With the logarithm of 1 - p taken of z itself, nothing is lost near 0 and 1.
            data = np.logaddexp(0.0, z) - y * z + self._entropy
        return self._per_model(data) + 0.5 * (at.theta / self.options.theta_sd) ** 2

    @cached_property
    def _entropy(self) -> Floats:
        """What a result would cost that is expected exactly, less: so that the objective of such a fit is 0."""
        y = self.responses.score
        return np.asarray(xlogy(y, y) + xlog1py(1 - y, -y))

    def _of_items(self, at: Point) -> float:
        """Return what the priors of the benchmarks say."""
        _, *priors = self._priors(at)
        return 0.5 * sum(float(np.sum((part / sd) ** 2)) for part, sd in priors)

    def _along(self, z: Floats, *, exact: bool) -> tuple[Floats, Floats]:
        """Return first and second derivative of each result's part along its z."""
        p = expit(z)
        off, w = p - self.responses.score, p * (1 - p)
        if self.options.likelihood == "bernoulli":
            return off, w
        scale = self.options.sigma**2
        bend = w * w + (off * w * (1 - 2 * p) if exact else 0.0)
        return off * w / scale, bend / scale

    def _priors(self, at: Point) -> tuple[tuple[Floats, float], ...]:
        options = self.options
        return (
            (at.theta, options.theta_sd),
            (at.difficulty, options.difficulty_sd),
            (at.alpha, options.log_discrimination_sd),
        )

    def _per_model(self, values: Floats) -> Floats:
        return _summed(self.responses.model, values, len(self.responses.models))

    def _per_item(self, values: Floats) -> Floats:
        return _summed(self.responses.benchmark, values, len(self.responses.benchmarks))


def _summed(place: Places, values: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(place, values, minlength=count), dtype=np.float64)
