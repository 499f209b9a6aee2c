"""Whether more than one ability would predict better: a second dimension, or what benchmarks of one group share.

Both add a term to what is expected of model i on benchmark j, sigmoid(a (theta - b) + extra):

- a second ability eta with a loading c of either sign on each benchmark, extra = c_j eta_i (the compensatory model of
  Reckase, Multidimensional Item Response Theory, 2009);
- a term of each model for each group of benchmarks, extra = u_ig (the testlet model of Bradlow, Wainer and Wang, A
  Bayesian Random Effects Model for Testlets, 1999).

They are judged by what they predict of results that were held out, and are no part of the index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import spearmanr

from argusic.leaderboards.index.fitting import Fit, fit
from argusic.leaderboards.index.gate import LEAST_BENCHMARKS
from argusic.leaderboards.index.objective import Point
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats, Places, Responses
from argusic.leaderboards.index.solving import NotConverged
from argusic.leaderboards.index.validation.cross import dealt, rms

#: Standard deviations of the priors of loadings, or of the groups' terms, that are tried.
WIDTHS = (0.125, 0.25, 0.5)
#: How many benchmarks are named at each end of a second ability.
_ENDS = 5
Kind = Literal["second ability", "groups"]


@dataclass(frozen=True)
class Tried:
    """What a wider model predicts.

    Attributes:
        kind: Which term it has.
        width: The standard deviation of that term's prior.
        error: Root mean square error on results held out, the mean over the deals.
        gain: By how much that is smaller than that of one ability, the mean over the deals.
        deals: In how many deals it is smaller.
        agreement: The rank correlation of its theta, on all results, with the abilities of the index, over models with
            at least four results: near 1, it would change no order.
        ends: The benchmarks with the lowest and the highest loadings on the second ability, the furthest first.
    """

    kind: Kind
    width: float
    error: float
    gain: float
    deals: int
    agreement: float
    ends: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Wider:
    """The negative logarithm of the posterior with an extra term, for a Gaussian likelihood.

    Attributes:
        responses: The results.
        options: The settings.
        kind: Which term.
        width: The standard deviation of its prior.
        group: The group of each benchmark, of which there are `groups`; shape (J,). For `second ability` all 0.
        groups: How many groups.
    """

    responses: Responses
    options: Options
    kind: Kind
    width: float
    group: Places
    groups: int

    @property
    def sizes(self) -> tuple[int, int, int, int, int]:
        """How many unknowns there are of theta, b and alpha; of the models' part of the term, and of the loadings."""
        models, items = len(self.responses.models), len(self.responses.benchmarks)
        of_models, loadings = (models, items) if self.kind == "second ability" else (models * self.groups, 0)
        return models, items, items, of_models, loadings

    def expected(self, x: Floats, responses: Responses) -> Floats:
        """Return what is expected of results of the same models on the same benchmarks."""
        theta, b, alpha, u, c = self.split(x)
        i, j = responses.model, responses.benchmark
        extra = c[j] * u[i] if self.kind == "second ability" else u[i * self.groups + self.group[j]]
        return np.asarray(expit(np.exp(alpha)[j] * (theta[i] - b[j]) + extra))

    def value_and_slope(self, x: Floats) -> tuple[float, Floats]:
        """Return the objective and its gradient."""
        r, options = self.responses, self.options
        i, j = r.model, r.benchmark
        theta, b, alpha, u, c = parts = self.split(x)
        a = np.exp(alpha)[j]
        p = self.expected(x, r)
        along = (p - r.score) * p * (1 - p) / options.sigma**2
        second = self.kind == "second ability"
        priors = (options.theta_sd, options.difficulty_sd, options.log_discrimination_sd)
        widths = (*priors, *((1.0, self.width) if second else (self.width, 1.0)))
        cell, sizes = (i if second else i * self.groups + self.group[j]), self.sizes
        slopes = (
            np.bincount(i, along * a, minlength=sizes[0]),
            np.bincount(j, -along * a, minlength=sizes[1]),
            np.bincount(j, along * a * (theta[i] - b[j]), minlength=sizes[2]),
            np.bincount(cell, along * c[j] if second else along, minlength=sizes[3]),
            np.bincount(j, along * u[i], minlength=sizes[4]) if second else np.zeros(0),
        )
        value = 0.5 * float(np.sum(((p - r.score) / options.sigma) ** 2))
        value += 0.5 * sum(float(np.sum((part / sd) ** 2)) for part, sd in zip(parts, widths, strict=True))
        slope = [s + part / sd**2 for s, part, sd in zip(slopes, parts, widths, strict=True)]
        return value, np.concatenate(slope)

    def split(self, x: Floats) -> list[Floats]:
        """Return the unknowns in their parts."""
        return [np.asarray(part) for part in np.split(x, np.cumsum(self.sizes)[:-1])]

    def solved(self, start: Point) -> Floats:
        """Return the mode, from a fit of one ability and what it leaves over.

        Raises:
            NotConverged: The optimiser came to no end.
        """
        first = self._leftover(start) if self.kind == "second ability" else np.zeros(self.sizes[3])
        x = np.concatenate([start.theta, start.difficulty, start.alpha, first])
        found = minimize(
            self.value_and_slope,
            x,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 2000, "maxfun": 4000, "maxcor": 30},
        )
        if not found.success:
            raise NotConverged(f"with {self.kind}: {found.message}")
        return np.asarray(found.x)

    def _leftover(self, start: Point) -> Floats:
        """Return the direction in which residuals go together: at none, a second ability would have no slope."""
        r = self.responses
        table = np.zeros((len(r.models), len(r.benchmarks)))
        p = expit(np.exp(start.alpha)[r.benchmark] * (start.theta[r.model] - start.difficulty[r.benchmark]))
        table[r.model, r.benchmark] = r.score - p
        left, _, right = np.linalg.svd(table, full_matrices=False)
        # Which of the two signs it comes with is the library's choice.
        sign = np.sign(right[0][np.argmax(np.abs(right[0]))])
        scale = 0.3 * np.sqrt(len(left)), self.width * np.sqrt(len(right[0]))
        return np.concatenate([sign * left[:, 0] * scale[0], sign * right[0] * scale[1]])


def tried(
    responses: Responses,
    options: Options | None = None,
    *,
    groups: Mapping[str, str],
    widths: Sequence[float] = WIDTHS,
    folds: int = 5,
    seeds: Sequence[int] = (0, 1, 2),
) -> tuple[float, tuple[Tried, ...]]:
    """Cross-validate one ability against both wider models, on the same deals.

    Args:
        responses: The results.
        options: The settings; the likelihood is Gaussian whatever they say.
        groups: The group of a benchmark, by name; those without are each alone.
        widths: Widths of the extra term's prior.
        folds: How many parts the results are dealt into.
        seeds: Which deals.

    Returns:
        The error with one ability, the mean over the deals; and what each wider model does.

    Raises:
        NotConverged: A fit came to no end.
    """
    settings = options or Options()
    grouped = _numbered(responses, groups)
    kinds: list[tuple[Kind, float]] = [(kind, width) for kind in ("second ability", "groups") for width in widths]
    errors = np.zeros((len(seeds), 1 + len(kinds)))
    for row, seed in enumerate(seeds):
        fold = dealt(len(responses), folds, seed)
        said = np.zeros((1 + len(kinds), len(responses)))
        for number in range(folds):
            out = fold == number
            seen, unseen = responses.where(~out), responses.where(out)
            made = fit(seen, settings)
            said[0, out] = _expected(made, unseen)
            for column, (kind, width) in enumerate(kinds, 1):
                wider = _wider(seen, settings, kind, width, grouped)
                said[column, out] = wider.expected(wider.solved(made.at), unseen)
        errors[row] = [rms(one - responses.score) for one in said]
    gains = errors[:, :1] - errors[:, 1:]
    one = fit(responses, settings)
    enough = np.bincount(responses.model, minlength=len(responses.models)) >= LEAST_BENCHMARKS
    found = []
    for n, (kind, width) in enumerate(kinds):
        wider = _wider(responses, settings, kind, width, grouped)
        theta, _, _, _, loading = wider.split(wider.solved(one.at))
        order = [responses.benchmarks[place] for place in np.argsort(loading, kind="stable")]
        ends = tuple(order[:_ENDS]), tuple(order[::-1][:_ENDS])
        agreement = float(spearmanr(theta[enough], one.at.theta[enough]).statistic)
        error, gain = float(np.mean(errors[:, n + 1])), float(np.mean(gains[:, n]))
        found.append(Tried(kind, width, error, gain, int(np.sum(gains[:, n] > 0)), agreement, ends))
    return float(np.mean(errors[:, 0])), tuple(found)


def by_first_word(benchmarks: Sequence[str]) -> dict[str, str]:
    """Return groups of benchmarks whose names begin with the same word, for those that are not alone."""
    word = {name: name.split("-")[0].split(" ")[0] for name in benchmarks}
    count = Counter(word.values())
    return {name: first for name, first in word.items() if count[first] > 1}


def _wider(responses: Responses, options: Options, kind: Kind, width: float, grouped: Places) -> Wider:
    group = grouped if kind == "groups" else np.zeros_like(grouped)
    return Wider(responses, options, kind, width, group, int(np.max(group, initial=0)) + 1)


def _numbered(responses: Responses, groups: Mapping[str, str]) -> Places:
    named = [groups.get(name, f"alone: {name}") for name in responses.benchmarks]
    number = {name: place for place, name in enumerate(sorted(set(named)))}
    return np.array([number[name] for name in named], dtype=np.intp)


def _expected(made: Fit, unseen: Responses) -> Floats:
    j = unseen.benchmark
    return np.asarray(expit(np.exp(made.at.alpha)[j] * (made.at.theta[unseen.model] - made.at.difficulty[j])))
