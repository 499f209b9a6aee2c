"""What a fit takes for granted: the noise, the priors, and when it has converged. Recorded with every result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

#: How small and how large a standard deviation may be: beyond these its square leaves nothing to compute with.
LEAST: Final = 1e-6
MOST: Final = 1e6


@dataclass(frozen=True)
class Options:
    """The settings of a fit.

    Attributes:
        likelihood: How a result scatters around what is expected of it. `gaussian`: with a standard deviation of
            `sigma` on the scale from 0 to 1. `bernoulli`: as a share of right answers to one question would, which
            takes hardly anything for certain.
        sigma: That standard deviation.
        theta_sd: Standard deviation of the prior of abilities, around 0.
        difficulty_sd: Standard deviation of the prior of difficulties, around 0, in units of ability.
        log_discrimination_sd: Standard deviation of the prior of the logarithm of discriminations, around 0.
        tolerance: The largest element of the gradient that counts as none.
        most_steps: Steps after which a fit has failed.
    """

    likelihood: Literal["gaussian", "bernoulli"] = "gaussian"
    sigma: float = 0.1
    theta_sd: float = 1.0
    difficulty_sd: float = 2.0
    log_discrimination_sd: float = 0.5
    tolerance: float = 1e-8
    most_steps: int = 200

    def __post_init__(self) -> None:
        for name in ("sigma", "theta_sd", "difficulty_sd", "log_discrimination_sd"):
            if not LEAST <= getattr(self, name) <= MOST:
                raise ValueError(f"{name} must be from {LEAST:g} to {MOST:g}")
        for name in ("tolerance", "most_steps"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0")
