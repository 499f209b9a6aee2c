"""The public keys that a cycle's raw evidence is sealed to. What was sealed stands in each run's manifest."""

from __future__ import annotations

from argusic.records.base import AgeRecipient, Record, Slug, UtcTime


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
