"""What the signatures over some runs say, as whoever verified them is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from argusic.database.paths import MANIFEST_FILE
from argusic.errors import Finding, Place
from argusic.evidence.one_run import CheckedRun
from argusic.evidence.signing.trusting import Trusting


@dataclass(frozen=True)
class VerifiedSignature:
    """One signature that holds.

    Attributes:
        path: Where its bundle lies.
        identity: Who signed, by the certificate.
        signer: The signer's name in the verifier's policy; None where the verifier was told of nobody.
        authority: Who certified it: the root that the verifier found it by.
        at: When, to a few minutes.
        runs: The runs it vouches for.
        attempts: Those of them whose attempt the signer ran itself.
        not_seen: What the signer says it takes from others.
        by_digests: Whether the signer read no file, and signed the digests that another job had taken.
    """

    path: PurePosixPath
    identity: str
    signer: str | None
    authority: str
    at: datetime
    runs: int
    attempts: int
    not_seen: tuple[str, ...]
    by_digests: bool = False


@dataclass
class Vouching:
    """What the signatures say.

    Attributes:
        told: Whether the verifier was told whom to trust. Where not, nobody's identity was judged.
        sources: The files that said so.
        signatures: The signatures that hold.
        unsigned: The folders of the runs that none of them names.
        unknown: Bundles of authorities that are not known here, where the verifier was told of nobody.
        findings: Everything that is wrong.
    """

    told: bool
    sources: tuple[Path, ...] = ()
    signatures: list[VerifiedSignature] = field(default_factory=list)
    unsigned: list[Path] = field(default_factory=list)
    unknown: list[Finding] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @classmethod
    def without_signatures(cls, root: Path, runs: Iterable[CheckedRun], trusted: Trusting) -> Vouching:
        """Return what there is to say where there is no signature."""
        made = cls(trusted.told, trusted.sources)
        for run in runs:
            made.add_unsigned(root, run)
        return made

    def add_unsigned(self, root: Path, run: CheckedRun) -> None:
        """Note a run that nobody vouches for. Where the verifier expects signatures, that is wrong."""
        shown = run.folder.relative_to(root)
        self.unsigned.append(shown)
        if self.told and run.manifest is not None:
            self.findings.append(Finding(Place(shown / MANIFEST_FILE), "no valid signature names this run"))
