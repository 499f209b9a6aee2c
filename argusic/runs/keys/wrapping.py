"""A key on its way from the job that issued it to the attempt that uses it: sealed, for what lies between is public.

In a public repository everyone can read what a job without a secret can. So an attempt's job holds one secret, a
private key of age, and what it is handed is sealed to that key's public half.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyrage
from pydantic import ValidationError
from pyrage import x25519

from argusic.errors import InputError
from argusic.records.base import Part, RunId, Text, UtcTime
from argusic.records.configuration import ModelUsed
from argusic.runs.keys.access import IssuedKey, ModelAccess


class _HandedOver(Part):
    """What is sealed."""

    key: Text
    run: RunId
    expires: UtcTime
    model: ModelUsed
    url: Text
    token: Text


def wrap(issued: IssuedKey, recipient: str) -> str:
    """Return a key sealed to a public key of age, as text.

    Raises:
        InputError: `recipient` is no public key of age.
    """
    access = issued.access
    if access.socket is not None:
        raise ValueError("a key of a gateway is good on this machine alone")
    held = _HandedOver(
        key=issued.key,
        run=issued.run,
        expires=issued.expires,
        model=access.model,
        url=access.url,
        token=access.token,
    )
    try:
        to = x25519.Recipient.from_str(recipient)
    except pyrage.RecipientError:
        raise InputError("that is no public key of age (age1...).") from None
    plain = held.model_dump_json(by_alias=True).encode()
    return bytes(pyrage.encrypt(plain, [to], armored=True)).decode("ascii")


def unwrap(text: str, identities: Sequence[x25519.Identity], run: str | None = None) -> IssuedKey:
    """Return the key that `wrap` sealed.

    Args:
        text: What `wrap` returned.
        identities: Private keys, any of which may open it.
        run: The run that the key must be for, where it is known.

    Raises:
        InputError: None of the keys opens it, or something else or a key of another run is in it.
    """
    try:
        plain = pyrage.decrypt(text.strip().encode(), list(identities))
    except (pyrage.DecryptError, ValueError):
        raise InputError("none of the private keys opens the wrapped key.") from None
    try:
        held = _HandedOver.model_validate(json.loads(plain))
    except (ValueError, ValidationError):  # What it holds must not be quoted.
        raise InputError("what was unwrapped is no key of a run.") from None
    if run is not None and held.run != run:
        raise InputError(f"the wrapped key is for {held.run}, not for {run}.")
    return IssuedKey(held.key, held.run, held.expires, ModelAccess(held.model, held.url, held.token))
