"""Loaded by every Python that a workflow starts in tests, before anything else: what lies outside of the machine.

Where a job was given an identity, Sigstore's public instance is the local authority that the test serves: the code that
asks for an identity, gets a certificate, signs and logs is the real one. And a machine that a test lets die, dies.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if "ACTIONS_ID_TOKEN_REQUEST_URL" in os.environ and "evidence" in sys.orig_argv:
    from sigstore.models import ClientTrustConfig

    def _served(*_: object, **__: object) -> ClientTrustConfig:
        return ClientTrustConfig.from_json(Path(os.environ["STUB_CONTROL"], "sigstore.json").read_text())

    ClientTrustConfig.production = _served  # type: ignore[method-assign]

if "--job" in sys.orig_argv:
    _job = sys.orig_argv[sys.orig_argv.index("--job") + 1]
    _dying = Path(os.environ["STUB_CONTROL"], "dying")
    if _dying.exists() and _job in _dying.read_text().split():
        os.environ["ARGUSIC_FAULT"] = "agent-done"
