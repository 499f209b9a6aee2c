"""What the newcomer has seen so far, and the report that follows from it.

Nothing gets into the report but through here, and nothing gets in here but results of recorded commands.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from argusic.records.report import NOT_VERIFIED, Report, ReportedError, TestDepth, VerifiedHow
from argusic.runs.agents.newcomer.failures import Recognised, public
from argusic.runs.session import CommandResult

#: How much of a proof's output the report quotes, in characters.
_QUOTED = 1200


@dataclass
class Met:
    """One error that was met: a step, failing for one reason."""

    step: str
    failure: Recognised
    fixed: bool = False
    fix: str = ""


@dataclass(frozen=True)
class Proof:
    """A command that decoded what the project produced, and what it showed.

    Raises:
        ValueError: The command did not end by itself with status 0. Such a thing proves nothing.
    """

    result: CommandResult
    shows: str
    mock: bool = False

    def __post_init__(self) -> None:
        if not self.result.ok:
            raise ValueError("a command that failed is no proof")


@dataclass
class Journal:
    """The newcomer's notes on one attempt."""

    name: str
    installed: str = ""
    """What showed that it is installed; empty while nothing did."""
    launched: str = ""
    """What showed that it launched; empty while nothing did."""
    proof: Proof | None = None
    """What verified it."""
    errors: list[Met] = field(default_factory=list)
    stopped: str = ""
    """Why the work ended before its end, where it did."""
    stand_in: str = ""
    """What was put into the place of a service that the project needs; empty while nothing was."""

    def meet(self, step: str, failure: Recognised) -> Met:
        """Note a failure of a step, and return the note; the same failure of a step is one error."""
        for met in self.errors:
            if met.step == step and met.failure.same == failure.same and not met.fixed:
                return met
        self.errors.append(Met(step, failure))
        return self.errors[-1]

    def launch(self, what: str) -> None:
        """Note that it launched. The first observation stays."""
        self.launched = self.launched or what

    def report(self) -> Report:
        """Return the report that the notes support."""
        installed = bool(self.installed)
        launched = installed and bool(self.launched)
        proof = self.proof if launched else None
        depth: TestDepth = "tier3_none"
        how: VerifiedHow | str = NOT_VERIFIED
        if proof is not None:
            depth = "tier2_mock" if proof.mock or self.stand_in else "tier1_real"
            how = VerifiedHow(command=proof.result.command, result=_quoted(proof))
        return Report(
            installed=installed,
            launched=launched,
            errors=tuple(
                ReportedError(
                    what=f"{met.step}: {met.failure.sentence}",
                    fixed=met.fixed,
                    fix=met.fix if met.fixed or not met.fix else f"tried in vain: {met.fix}",
                )
                for met in self.errors
            ),
            test_depth=depth,
            verified_how=how,
            final_state=self._sentences(launched, proof),
        )

    def _sentences(self, launched: bool, proof: Proof | None) -> str:
        """Return what happened, in sentences of which each states one thing that was observed."""
        said = [self.installed or f"{self.name} could not be installed."]
        if self.installed:
            said.append(self.launched or "Nothing of it could be launched.")
        if proof:
            said.append(proof.shows)
        elif launched:
            said.append("What it does was not verified.")
        if self.stand_in:
            said.append(f"A service that it needs was not there: {self.stand_in}.")
        if self.errors:
            fixed = sum(met.fixed for met in self.errors)
            said.append(f"{_errors(len(self.errors))} met, {fixed} fixed.")
        last = next((met for met in reversed(self.errors) if not met.fixed), None)
        if last and not proof:
            said.append(f"What stopped it: {public(last.step)}: {public(last.failure.says)}.")
        if self.stopped:
            said.append(self.stopped)
        return " ".join(said)


def _errors(count: int) -> str:
    return "One error was" if count == 1 else f"{count} errors were"


def _quoted(proof: Proof) -> str:
    lines = [
        public(line.rstrip(), 400) if "://" in line else line.rstrip() for line in proof.result.output.splitlines()
    ]
    text = "\n".join(lines).strip("\n")
    if len(text) > _QUOTED:
        text = f"[…]\n{text[-_QUOTED:]}"
    return text or proof.shows
