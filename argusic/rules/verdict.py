"""The project verdict: the best outcome that any attempt reached, and when testing has settled it.

Decision: one pass proves that a project runs, so a pass of any agent that is no control counts, whatever the
attempt was made for. A failure proves little, so failures settle a verdict only along the chain: the standard
agent's complete attempts, or the stronger agent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from argusic.records.edition import VerdictRules
from argusic.rules.scored import ScoredRun, in_order

#: What is said of a project.
VerdictWord = Literal["runs", "runs_with_mocks", "could_not_verify", "not_yet_verified"]


@dataclass(frozen=True)
class Chain:
    """Who tests: the cycle's standard agent and, if any, the stronger one, under the edition's rules."""

    standard: str | None
    stronger: str | None
    rules: VerdictRules | None
    """None under an edition that gives no verdicts."""


@dataclass(frozen=True)
class Verdict:
    """A verdict and what decided it.

    Attributes:
        word: The verdict.
        decided_by: The run that decided; None while nothing has.
        rule: The id of the rule that decided.
        sentence: What that rule says.
    """

    word: VerdictWord
    decided_by: ScoredRun | None
    rule: str
    sentence: str


def verdict(runs: Sequence[ScoredRun], chain: Chain) -> Verdict:
    """Reach the verdict on one subject in one cycle.

    Args:
        runs: All its runs by agents that are no controls, in any order, invalid ones included.
        chain: The agents of the chain and the edition's rules.
    """
    if chain.rules is None:
        return Verdict("not_yet_verified", None, "verdict.not_in_edition", "The edition gives no verdicts on projects.")
    complete = in_order(run for run in runs if run.valid)
    for run in complete:
        if run.outcome == "pass_full":
            return Verdict("runs", run, "verdict.runs", "An attempt ran it and verified it for real.")
    for run in complete:
        if run.outcome == "pass_mock":
            sentence = "The best attempt ran it, verified against mock services."
            return Verdict("runs_with_mocks", run, "verdict.runs_with_mocks", sentence)
    if any(run.held for run in runs):
        sentence = "A run is held: the record contradicts what its report claims, and a person has to look."
        return Verdict("not_yet_verified", None, "verdict.held", sentence)
    settled = _settled_by(complete, chain, chain.rules)
    if settled is None:
        return Verdict("not_yet_verified", None, "verdict.not_yet_verified", "Testing has not finished.")
    run, by = settled
    if by == "stronger":
        sentence = "The stronger agent's attempt ended without a pass."
        return Verdict("could_not_verify", run, "verdict.stronger_agent", sentence)
    needed = chain.rules.complete_attempts
    attempts = "attempt" if needed == 1 else "attempts"
    sentence = f"{needed} complete {attempts} of the standard agent ended without a pass."
    return Verdict("could_not_verify", run, "verdict.standard_agent", sentence)


def next_agent(runs: Sequence[ScoredRun], chain: Chain, *, requested: bool = False) -> str | None:
    """Return who runs next in a subject's chain, or None where its verdict stands or nobody is left to ask.

    The standard agent comes first, as often as the edition says, and one pass of anybody ends the chain. The stronger
    agent follows once: as the chain's last step, or, where the edition lets it run on request, after a request.

    Args:
        runs: All its runs by agents that are no controls, invalid ones included; those are simply run again.
        chain: The agents of the chain and the edition's rules.
        requested: Whether somebody asked for the stronger agent on this subject.
    """
    if chain.rules is None or chain.standard is None or any(run.held for run in runs):
        return None  # What becomes of a run that is held may settle the verdict: the chain waits.
    complete = [run for run in runs if run.valid]
    reached = verdict(runs, chain).word
    if reached == "not_yet_verified":
        tried = sum(run.agent == chain.standard for run in complete)
        if tried < chain.rules.complete_attempts:
            return chain.standard
    elif reached != "could_not_verify":
        return None
    follows = requested or chain.rules.stronger_agent == "third_step"
    return chain.stronger if follows and all(run.agent != chain.stronger for run in complete) else None


def _settled_by(
    complete: Sequence[ScoredRun], chain: Chain, rules: VerdictRules
) -> tuple[ScoredRun, Literal["standard", "stronger"]] | None:
    """Return the failed run that settled the verdict, and whose it was. The earliest that did, by start."""
    waits_for_stronger = rules.stronger_agent == "third_step" and chain.stronger is not None
    tried = 0
    for run in complete:
        if chain.stronger is not None and run.agent == chain.stronger:
            return run, "stronger"
        if run.agent == chain.standard:
            tried += 1
            if tried == rules.complete_attempts and not waits_for_stronger:
                return run, "standard"
    return None
