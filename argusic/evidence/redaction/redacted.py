"""What a redaction says of itself: which files changed, by what, and why nothing is served where that is so."""

from __future__ import annotations

from dataclasses import dataclass

from argusic.evidence.fingerprint import Fingerprint
from argusic.evidence.redaction.finding import Class


@dataclass(frozen=True)
class Masked:
    """What was masked in a file.

    Attributes:
        what: The class: the run's own credential, a secret by its shape, or generated key material.
        rule: The credential's name, or the rule's.
        count: How many.
    """

    what: Class
    rule: str
    count: int


@dataclass(frozen=True)
class ServedFile:
    """One file, raw and served.

    Attributes:
        name: Its name.
        raw: The fingerprint of the raw file.
        served: The fingerprint of the served copy; the same where nothing was changed.
        masked: What was masked, by class and rule.
        banner: Whether the start-up banner of the agent's program was blanked.
    """

    name: str
    raw: Fingerprint
    served: Fingerprint
    masked: tuple[Masked, ...]
    banner: bool = False

    @property
    def changed(self) -> bool:
        """Whether the raw file differs from what is served, and must therefore be sealed."""
        return self.raw != self.served


@dataclass(frozen=True)
class Redacted:
    """The redaction of one run's evidence.

    Attributes:
        files: Every file, recording first.
        withheld: Why nothing of it may be served, in one sentence, or None.
    """

    files: tuple[ServedFile, ...]
    withheld: str | None

    @property
    def key_material(self) -> bool:
        """Whether a generated private key was masked anywhere: the run's page says so."""
        return any(masked.what == "key" for file in self.files for masked in file.masked)
