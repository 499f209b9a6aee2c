"""A bank of questions: what a fit found of each, and how sure it is; all that is needed to ask a new model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from argusic.leaderboards.index.fitting import Fit, fit
from argusic.leaderboards.index.objective import Objective
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Places, Responses

#: How an answer scatters around what is expected of it: as one answer to one question does.
OPTIONS = Options(likelihood="bernoulli")
#: Points of a normal distribution, in standard deviations, and their shares: Gauss and Hermite's three.
_NODES: Final = (-float(np.sqrt(3.0)), 0.0, float(np.sqrt(3.0)))
_SHARES: Final = (1 / 6, 2 / 3, 1 / 6)
#: A chance nearer to 0 or 1 than this logit is no chance.
_MOST: Final = 40.0


@dataclass(frozen=True, eq=False)
class Bank:
    """Questions and their parameters. J questions.

    Few models leave a question's parameters unsure, and of many questions those look sharpest that chance made look so.
    So every curve here is the mean over what its parameters may be, which is flatter the less is known.

    Attributes:
        questions: Their names, sorted; length J.
        difficulty: b, in units of ability; shape (J,).
        alpha: Logarithms of the discriminations a; shape (J,).
        difficulty_var: The variance of b; shape (J,).
        alpha_var: The variance of alpha; shape (J,).
        covariance: Of both; shape (J,).
        usable: Whether each may be asked: those that tell nothing or are suspicious count, and are not asked;
            shape (J,).
        ability_sd: Standard deviation of what is thought of a model's ability before it has answered.
        digest: The SHA-256 of the answers that the bank was fitted to.
    """

    questions: tuple[str, ...]
    difficulty: Floats
    alpha: Floats
    difficulty_var: Floats
    alpha_var: Floats
    covariance: Floats
    usable: NDArray[np.bool_]
    ability_sd: float
    digest: str

    def __len__(self) -> int:
        return len(self.questions)

    @classmethod
    def of(cls, fitted: Fit, usable: NDArray[np.bool_] | None = None) -> Bank:
        """Return the bank of a fit. How sure it is of a question is read from the curvature, abilities as fitted."""
        curvature = Objective(fitted.responses, fitted.options).curvature(fitted.at, exact=False)
        determinant = curvature.difficulty * curvature.alpha - curvature.cross**2
        return cls(
            fitted.responses.benchmarks,
            fitted.at.difficulty,
            fitted.at.alpha,
            curvature.alpha / determinant,
            curvature.difficulty / determinant,
            -curvature.cross / determinant,
            np.ones(len(fitted.responses.benchmarks), dtype=bool) if usable is None else usable,
            fitted.options.theta_sd,
            fitted.responses.digest,
        )

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each question stands."""
        return {question: place for place, question in enumerate(self.questions)}

    def places(self, questions: Sequence[str]) -> Places:
        """Return where some questions stand.

        Raises:
            KeyError: The bank has no such question.
        """
        return np.array([self.place[question] for question in questions], dtype=np.intp)

    def logits(self, theta: Floats, places: Places | None = None) -> Floats:
        """Return the logits of the chance of a right answer; shape (questions, abilities)."""
        right, wrong, _ = self._curves(theta, places)
        return np.asarray(np.log(right) - np.log(wrong))

    def information(self, theta: Floats, places: Places | None = None) -> Floats:
        """Return Fisher's information of an answer on the ability; shape (questions, abilities)."""
        right, wrong, slope = self._curves(theta, places)
        return np.asarray(slope * slope / (right * wrong))

    def slopes(self, theta: Floats, places: Places | None = None) -> Floats:
        """Return how fast the chance of a right answer rises with ability; shape (questions, abilities)."""
        return self._curves(theta, places)[2]

    def _curves(self, theta: Floats, places: Places | None) -> tuple[Floats, Floats, Floats]:
        """Return the chances of a right and of a wrong answer, and the slope of the first.

        Over alpha the mean is taken at the three points of Gauss and Hermite. At each, b scatters normally, and the
        mean of a logistic curve over a z of variance s^2 is nearly that of z / sqrt(1 + pi s^2 / 8) (MacKay, The
        evidence framework applied to classification networks, 1992).
        """
        rows = slice(None) if places is None else places
        sd, per_alpha = np.sqrt(self.alpha_var[rows]), self.covariance[rows] / self.alpha_var[rows]
        rest = np.maximum(self.difficulty_var[rows] - self.covariance[rows] * per_alpha, 0.0)
        shape = (len(sd), len(theta))
        right, wrong, slope = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for node, share in zip(_NODES, _SHARES, strict=True):
            a = np.exp(self.alpha[rows] + node * sd)
            b = self.difficulty[rows] + node * sd * per_alpha
            a = a / np.sqrt(1 + np.pi / 8 * a * a * rest)
            z = np.clip(a[:, None] * (theta[None, :] - b[:, None]), -_MOST, _MOST)
            p, q = expit(z), expit(-z)
            right += share * p
            wrong += share * q
            slope += share * a[:, None] * p * q
        return right, wrong, slope


def fit_answers(responses: Responses) -> Fit:
    """Fit questions and models to answers.

    Raises:
        NotConverged: The fit came to no end.
    """
    return fit(responses, OPTIONS)
