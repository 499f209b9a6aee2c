"""What the audit of a report's claims found: where the recording does not show what the report says.

Findings change no score. They stand beside the run and on its page, each with the commands that show it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from argusic.records.base import Items, Part, Record, RunId, Sha256, Slug, Text

#: How much a finding says. `contradicted`: the record contradicts the claim outright. `unsupported`: nothing in the
#: record bears the claim out. `note`: something a reader should know, and no reproach.
Severity = Literal["contradicted", "unsupported", "note"]

#: What can be found.
FindingClass = Literal[
    # Of the command that is said to have verified
    "command_never_ran",
    "command_failed",
    "command_part",
    "command_too_early",
    "status_hidden",
    "mere_probe",
    "documentation_read",
    "decoding_unknown",
    "command_unreadable",
    # Of what it is said to have returned
    "result_contradicted",
    "result_not_printed",
    "result_paraphrased",
    "error_in_output",
    # Of the depth
    "proof_missing",
    "stand_in_used",
    # Of the steps
    "nothing_installed",
    "install_failed",
    "nothing_launched",
    "launch_failed",
    # Of the errors
    "error_not_seen",
    "more_errors_than_seen",
    "fix_without_success",
    "error_not_reported",
    # Of the closing sentence
    "stated_not_observed",
]


class ClaimFinding(Part):
    """One claim that the record does not bear out."""

    finding: FindingClass
    """What was found."""
    severity: Severity
    """How much that says."""
    field: Text
    """The field of the report, such as `verified_how.command` or `errors[0].fixed`."""
    what: Text
    """One sentence for readers."""
    commands: Items[Annotated[int, Field(ge=1)]] = ()
    """The numbers of the commands that show it, as the command table counts."""
    seconds: Items[Annotated[float, Field(ge=0)]] = ()
    """Where in the recording each of them starts."""


class AuditedClaims(Part):
    """What the audit came to when the run was published, as far as it decides whether the run may count yet.

    It stands in the run's own record, as a fact of that day: a later audit that knows more changes no published run.
    """

    program_sha256: Sha256
    """The digest of the audit's program and tables: another one may judge otherwise."""
    contradicted: Items[Text] = ()
    """The fields of the report that the record contradicts outright, sorted. While there are any, an agent's run is
    held: it counts nowhere until a person has said what they are."""
    problem: Text | None = None
    """Why the audit itself failed, where it did. Such a run is held likewise."""

    @property
    def holds(self) -> bool:
        """Whether a person has to look before the run may count."""
        return bool(self.contradicted) or self.problem is not None


class Audit(Record):
    """The audit of one run's report."""

    run: RunId
    """The run."""
    cycle: Slug
    """Its cycle."""
    audited: bool
    """Whether there was a report that could be audited, and a recording to compare it with."""
    reason: Text | None = None
    """Why not, where it was not."""
    tables: Sha256
    """The digest of the tables of decoders and probes that it was judged by."""
    findings: Items[ClaimFinding] = ()
    """What was found, the gravest first."""
