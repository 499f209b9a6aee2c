"""Where a token for GitHub may be: in the environment, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from argusic.errors import EnvironmentLack

#: The variables, the first first, as GitHub's own program has it.
TOKENS: Final = ("GH_TOKEN", "GITHUB_TOKEN")


def token_of(environment: Mapping[str, str]) -> str | None:
    """Return the token that an environment holds; None where it holds none.

    Raises:
        EnvironmentLack: What it holds is no token. It is not said what it is.
    """
    for name in TOKENS:
        token = environment.get(name, "").strip()
        if token and not re.fullmatch(r"[\x21-\x7e]+", token):
            raise EnvironmentLack(f"what is in {name} is no token: it has characters that none has.")
        if token:
            return token
    return None
