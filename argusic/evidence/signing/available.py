"""Whether this machine can sign at all, asked without loading the library that does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

from argusic.evidence.keys import KeyFolder
from argusic.evidence.trust.authority import LocalAuthority

#: Which authority a user asks for.
Wanted = Literal["any", "local", "public"]


def can_sign(keys: KeyFolder, environment: Mapping[str, str] | None = None) -> bool:
    """Return whether there is somebody to certify a signer: a local authority, or the identity of an Actions job.

    Args:
        keys: The user's folder of private keys.
        environment: The environment variables; by default this process's.
    """
    given = os.environ if environment is None else environment
    in_actions = bool(given.get("GITHUB_ACTIONS") and given.get("ACTIONS_ID_TOKEN_REQUEST_URL"))
    return in_actions or LocalAuthority.exists(keys)
