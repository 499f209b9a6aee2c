"""What the template of a run is given: the run with its evidence and with every sentence already made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from argusic.database.database import Database
from argusic.evidence.commands import CommandRow
from argusic.records.cycle import Cycle
from argusic.records.report import VerifiedHow
from argusic.records.run import Run
from argusic.rules.rubric import Score
from argusic.site import sentences
from argusic.site.beside import Beside, installed_beside
from argusic.site.claims import ShownClaims, claims
from argusic.site.evidence import RunEvidence, gather
from argusic.site.page import run_pages
from argusic.site.results import PublishedRun
from argusic.site.signatures import RunSignature, Signatures

#: The most bytes of a recording that is also laid out as a script, for pages opened from a disk.
MOST_SIDECAR_BYTES: Final = 1_000_000
#: That script's name.
SIDECAR: Final = "recording.cast.js"


@dataclass(frozen=True)
class RunView:
    """One run, ready to be shown.

    Attributes:
        published: The run with its score.
        cycle: Its cycle.
        evidence: What of its evidence is here.
        proof: The command of the record that the report names as its verification.
        claims: What of its report the recording does not bear out; None where it left no report.
        signature: Who vouches for it; None where nobody does.
        beside: What its commands listed as installed.
    """

    published: PublishedRun
    cycle: Cycle
    evidence: RunEvidence
    proof: CommandRow | None
    claims: ShownClaims | None = None
    signature: RunSignature | None = None
    beside: tuple[Beside, ...] = ()

    @property
    def run(self) -> Run:
        """The record."""
        return self.published.run

    @property
    def score(self) -> Score:
        """What it came to."""
        return self.published.score

    @property
    def href(self) -> str:
        """The folder of its recording and its log on the site."""
        return run_pages(self.run.cycle, self.run.run)

    @property
    def seconds(self) -> float:
        """How long the whole attempt took."""
        return (self.run.finished - self.run.started).total_seconds()

    @property
    def contradicted(self) -> bool:
        """Whether the record contradicts outright what its report claims."""
        findings = self.claims.findings if self.claims is not None else ()
        return any(shown.finding.severity == "contradicted" for shown in findings)

    @property
    def out_of(self) -> int:
        """The most points that a run can earn."""
        return sum(line.of for _, line in self.score.lines) if self.score.lines else 0

    @property
    def ending(self) -> str:
        """How it ended, in a sentence."""
        return sentences.ending_sentence(self.published)

    @property
    def limits_hit(self) -> str:
        """Which limits held, in words."""
        return sentences.limits_sentence(self.published)

    @property
    def has_sidecar(self) -> bool:
        """Whether the recording is also laid out as a script."""
        recording = self.evidence.recording
        return recording is not None and recording.path.stat().st_size <= MOST_SIDECAR_BYTES

    @property
    def sidecar(self) -> str:
        """The address of that script, from the site's top; empty where there is none."""
        return f"{self.href}{SIDECAR}" if self.has_sidecar else ""


def view(database: Database, published: PublishedRun, cycle: Cycle, signatures: Signatures) -> RunView:
    """Gather what the pages of one run show."""
    evidence = gather(database, published)
    return RunView(
        published,
        cycle,
        evidence,
        _proof(published, evidence.commands),
        claims(published.run, evidence),
        signatures.of(cycle.cycle, published.folder) if evidence.manifest is not None else None,
        installed_beside(evidence),
    )


def _proof(published: PublishedRun, commands: tuple[CommandRow, ...]) -> CommandRow | None:
    """Return the recorded command that the report gives as its proof, the last of the same words."""
    report = published.run.report.content
    if report is None or not isinstance(report.verified_how, VerifiedHow):
        return None
    words = report.verified_how.command.split()
    return next((row for row in reversed(commands) if row.command.split() == words), None)
