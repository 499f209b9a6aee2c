"""Stating in the committed policy that a local authority's signer may sign."""

from __future__ import annotations

from argusic.database.database import Database
from argusic.database.paths import TRUST_PATH
from argusic.errors import InputError, Place
from argusic.records.trust import Trust


def publish(database: Database, own: Trust) -> None:
    """Add an authority and its signer to `rules/trust/policy.yaml`.

    Raises:
        InputError: It names that authority already.
    """
    before = database.read(TRUST_PATH, Trust) if database.holds(TRUST_PATH) else Trust()
    known = {root.fingerprint for root in before.roots}
    if any(root.fingerprint in known for root in own.roots):
        raise InputError("names this authority already.", place=Place(TRUST_PATH))
    after = Trust(roots=(*before.roots, *own.roots), signers=(*before.signers, *own.signers))
    database.write(TRUST_PATH, after, replace=True)
