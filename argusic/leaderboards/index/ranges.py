"""How sure an ability is: standard deviations by Laplace's approximation of the posterior at its mode.

Two kinds, side by side. *Conditional*: the benchmarks' parameters are taken as known. *Joint*: they are as uncertain as
the data leave them. The curvature is Gauss and Newton's, which is positive everywhere (the Fisher information of the
model, for the Gaussian likelihood at the fitted values).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from argusic.leaderboards.index.elimination import System
from argusic.leaderboards.index.objective import Objective, Point
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats
from argusic.leaderboards.index.solving import NotConverged

#: The share of a range, and how many standard deviations that is to each side.
LEVEL = 0.9
WIDTH = float(norm.ppf(0.5 + LEVEL / 2))


@dataclass(frozen=True, eq=False)
class Spread:
    """Standard deviations of abilities, in units of ability.

    Attributes:
        conditional: With the benchmarks' parameters as they were fitted; shape (I,).
        system: The curvature where they were.
    """

    conditional: Floats
    system: System

    @cached_property
    def joint(self) -> Floats:
        """With the benchmarks' parameters as uncertain as they are; shape (I,). Never smaller.

        Found when it is asked for: it takes as long as a step or two of the fit.

        Raises:
            NotConverged: The fit ended where the curvature is not positive.
        """
        with one_thread():
            variances = self.system.ability_variances()
        if variances is None:
            raise NotConverged("the curvature is not positive where the fit ended")
        return np.sqrt(variances)


def spread(objective: Objective, at: Point, held: NDArray[np.bool_] | None = None) -> Spread:
    """Return how sure each ability is.

    Args:
        objective: What was minimised.
        at: Where it is smallest.
        held: Which benchmarks' parameters were held, so that they are certain; shape (J,).
    """
    free = ~held if held is not None else np.ones(len(objective.responses.benchmarks), dtype=bool)
    system = System.of(objective.responses, objective.curvature(at, exact=False), free)
    return Spread(1 / np.sqrt(system.curvature.theta), system)
