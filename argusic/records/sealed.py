"""The public keys that a cycle's raw evidence is sealed to, and the sealed configuration of an agent.

What was sealed of a run stands in its manifest.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from argusic.records.base import AgeRecipient, Items, Part, Record, Sha256, Slug, UtcTime


class Recipients(Record):
    """The public keys that a cycle's raw evidence is sealed to. The private keys are never in the repository."""

    cycle: Slug
    """The cycle."""
    cycle_key: AgeRecipient
    """The cycle's own key."""
    recovery_key: AgeRecipient
    """The key that opens what every cycle sealed, kept apart, should a cycle's own be lost."""
    made: UtcTime
    """When the cycle's key was made."""

    def keys(self) -> tuple[str, str]:
        """Return both keys, sorted."""
        first, second = sorted((self.cycle_key, self.recovery_key))
        return first, second


class SealedConfiguration(Part):
    """The exact configuration of an agent, encrypted, in the evidence store."""

    sealed_size: Annotated[int, Field(ge=0)]
    """The size of the encrypted file."""
    sealed_sha256: Sha256
    """The digest of the encrypted file, under which the evidence store has it."""
    recipients: Annotated[Items[AgeRecipient], Field(min_length=2)]
    """The public keys that it was encrypted to; any one of their private keys opens it."""
