"""A fit of the index: data and options in, a frozen result out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from argusic.leaderboards.index.objective import Objective, Point
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.ranges import WIDTH, Spread, spread
from argusic.leaderboards.index.responses import Floats, Responses
from argusic.leaderboards.index.solving import Solved, solve

if TYPE_CHECKING:
    from pandas import DataFrame

#: The scale on which abilities are shown: an ability of 0, the mean of the prior, is 100, and a unit of it 25 points.
ORIGIN, UNIT = 100.0, 25.0


class Item(NamedTuple):
    """The parameters of a benchmark."""

    difficulty: float
    """The ability that scores half-way between guessing and the ceiling."""
    discrimination: float
    """How sharply it tells abilities near its difficulty apart: the slope there, times four."""


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """A fitted index. I models, J benchmarks, n results.

    Attributes:
        responses: What it was fitted to.
        options: The settings.
        at: The fitted unknowns.
        spread: Standard deviations of the abilities.
        held: Which benchmarks had parameters that were held; shape (J,).
        objective: The negative logarithm of the posterior there, up to a constant.
        gradient: The largest element of its gradient there.
        steps: How many steps it took.
        ended_by: Why it ended there: `gradient`, which is within the options' tolerance, or `step`: a further one would
            move nothing, and with a very small sigma the gradient is not known any better.
    """

    responses: Responses
    options: Options
    at: Point
    spread: Spread
    held: np.typing.NDArray[np.bool_]
    objective: float
    gradient: float
    steps: int
    ended_by: Literal["gradient", "step"]

    @property
    def scores(self) -> Floats:
        """The abilities as they are shown; shape (I,)."""
        return shown(self.at.theta)

    @property
    def expected(self) -> Floats:
        """What is expected of each result; shape (n,)."""
        return Objective(self.responses, self.options).expected(self.at)

    @property
    def rmse(self) -> float:
        """The root of the mean square of what the results differ by from what is expected, from 0 to 1."""
        off = self.expected - self.responses.score
        return float(np.sqrt(np.mean(off**2))) if len(off) else 0.0

    def item(self, benchmark: str) -> Item:
        """Return the parameters of a benchmark."""
        place = self.responses.benchmarks.index(benchmark)
        return Item(float(self.at.difficulty[place]), float(np.exp(self.at.alpha[place])))

    def range(self, *, joint: bool) -> tuple[Floats, Floats]:
        """Return the low and the high end of the shown abilities' ranges of 90 %; each of shape (I,)."""
        half = UNIT * WIDTH * (self.spread.joint if joint else self.spread.conditional)
        return self.scores - half, self.scores + half

    def __repr__(self) -> str:
        """Return what it was fitted to and how well it fits; `summary` says more."""
        return f"<Fit of {self.responses!r}: {self.steps} steps, RMSE {self.rmse:.4f}>"

    def summary(self, *, top: int = 10) -> str:
        """Return the fit in a few lines: how large, how it ended, how well it fits, who is first, what to beware of.

        Ranges are of 90 %, with the benchmarks as they were fitted and, joint, with those uncertain too.
        """
        from argusic.leaderboards.index.warning import of_table

        r = self.responses
        (low, high), (joint_low, joint_high) = self.range(joint=False), self.range(joint=True)
        per_model = np.bincount(r.model, minlength=len(r.models))
        noise = f"gaussian likelihood, sigma {self.options.sigma:g}"
        lines = [
            f"{len(r)} results of {len(r.models)} models on {len(r.benchmarks)} benchmarks; data {r.digest[:12]}",
            f"{noise if self.options.likelihood == 'gaussian' else 'bernoulli likelihood'}; objective "
            f"{self.objective:.3f}, converged in {self.steps} steps to a gradient of {self.gradient:.0e}; "
            f"RMSE {self.rmse:.4f}",
            f"{'':>4} {'score':>6} {'90 % range':>15} {'joint':>15} {'results':>7}  model",
        ]
        for rank, i in enumerate(np.argsort(-self.at.theta, kind="stable")[:top], 1):
            between, joint = f"{low[i]:.1f} to {high[i]:.1f}", f"{joint_low[i]:.1f} to {joint_high[i]:.1f}"
            lines.append(f"{rank:>4} {self.scores[i]:>6.1f} {between:>15} {joint:>15} {per_model[i]:>7}  {r.models[i]}")
        return "\n".join([*lines, *of_table(self)])

    def frame(self, of: Literal["models", "benchmarks", "results"] = "models") -> DataFrame:
        """Return the fit as a pandas frame: its models, its benchmarks, or its results beside what is expected.

        Raises:
            EnvironmentLack: pandas is not installed.
        """
        from argusic.leaderboards.index.frames import frame

        return frame(self, of)


@one_thread()
def fit(responses: Responses, options: Options | None = None, *, anchors: Mapping[str, Item] | None = None) -> Fit:
    """Fit the index: the mode of the posterior, from the priors' means, with no random start.

    Args:
        responses: The results.
        options: The settings.
        anchors: Benchmarks whose parameters are held; those that the results lack are passed over.

    Raises:
        NotConverged: The fit came to no end.
    """
    objective = Objective(responses, options or Options())
    start = Point.origin(responses)
    held = np.zeros(len(responses.benchmarks), dtype=bool)
    for place, benchmark in enumerate(responses.benchmarks):
        item = (anchors or {}).get(benchmark)
        if item is not None:
            held[place] = True
            start.difficulty[place], start.alpha[place] = item.difficulty, np.log(item.discrimination)
    solved: Solved = solve(objective, start, held)
    return Fit(
        responses,
        objective.options,
        solved.at,
        spread(objective, solved.at, held),
        held,
        solved.objective,
        solved.gradient,
        solved.steps,
        solved.ended_by,
    )


def shown(theta: Floats) -> Floats:
    """Return abilities on the scale on which they are shown."""
    return ORIGIN + UNIT * theta
