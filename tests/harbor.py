"""Harbor's own validator of trajectories, from its published package, in an environment of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from tests.own_environment import OwnEnvironment

#: The validator alone, with what its models are made with. It asks for a later Python than its models need.
ENVIRONMENT: Final = OwnEnvironment(
    "harbor",
    (
        *("harbor==0.26.0", "pydantic==2.14.4", "pydantic-core==2.50.5", "annotated-types==0.8.0"),
        *("typing-extensions==4.16.0", "typing-inspection==0.4.5"),
    ),
    ("--ignore-requires-python",),
)


def complaints(trajectory: Path) -> str:
    """Return what Harbor has against a trajectory; nothing where it reads it."""
    ENVIRONMENT.make()
    words = ["-m", "harbor.utils.trajectory_validator", str(trajectory)]
    done = subprocess.run([ENVIRONMENT.python, *words], capture_output=True, text=True, timeout=120, check=False)
    assert "Trajectory" in done.stdout + done.stderr, done.stderr
    return "" if done.returncode == 0 else done.stderr
