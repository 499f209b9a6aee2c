"""The error table: what each ending of an attempt means. One row a class, and nothing else decides validity.

A fault of ours is never scored as the agent's, and an agent's own fault is never a free re-run.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from argusic.records.run import EndingClass

#: Whose doing an ending was.
Whose = Literal["agent", "subject", "environment", "referee"]
#: What decides the score: the report; or every line is 0 (as a timeout, or as a fail); or there is no score.
ScoredBy = Literal["report", "timeout", "zero", "nothing"]


class EndingRule(NamedTuple):
    """One row of the table."""

    scored_by: ScoredBy
    """What decides the score."""
    rerun: bool
    """Whether the attempt is run again, because a set or a chain still lacks it."""
    whose: Whose
    """Whose doing it was."""
    sentence: str
    """What a page says of it."""

    @property
    def valid(self) -> bool:
        """Whether the run is a complete attempt and counts."""
        return self.scored_by != "nothing"


def _valid(scored_by: ScoredBy, sentence: str) -> EndingRule:
    return EndingRule(scored_by, rerun=False, whose="agent", sentence=sentence)


def _invalid(whose: Whose, sentence: str) -> EndingRule:
    return EndingRule("nothing", rerun=True, whose=whose, sentence=sentence)


#: The table. An invalid attempt stays published with its reason, counts nowhere, and is run again.
ENDINGS: Mapping[EndingClass, EndingRule] = MappingProxyType(
    {
        "completed": _valid("report", "The agent worked to its own end."),
        "time_limit": _valid("timeout", "The time budget ran out before the agent was done."),
        "agent_crashed": _valid("report", "The agent's own program ended with an error; what it reported stands."),
        "sandbox_destroyed": _valid("zero", "The agent destroyed the machine that it was working in."),
        "memory_limit": _valid("zero", "The agent's work used more memory than the limit, which ended the machine."),
        "disk_limit": _valid("zero", "The agent's work used more disk than the limit, which ended the machine."),
        "sandbox_start_failed": _invalid("environment", "The test machine could not be started."),
        "program_not_installed": _invalid("environment", "The agent's own program could not be put in place."),
        "model_unavailable": _invalid("environment", "The agent's model could not be reached, or gave no answer."),
        "sandbox_lost": _invalid("environment", "The test machine was lost through no doing of the agent."),
        "subject_unavailable": _invalid(
            "subject", "The pinned subject could not be fetched from where it is published."
        ),
        "host_disk_full": _invalid("environment", "The disk of the machine that hosts the test was full."),
        "recording_incomplete": _invalid("referee", "The recording or the log does not cover the whole attempt."),
        "report_unreadable": _invalid("referee", "Argusic's own tooling could not read the agent's report."),
        "harness_error": _invalid("referee", "Argusic's own tooling failed and cut the attempt short."),
        "withheld": _invalid("referee", "The recording is withheld: it could not be proven free of a live credential."),
        "interrupted": _invalid("environment", "The machine that hosts the test stopped in the middle of the attempt."),
        "cancelled": _invalid("referee", "The attempt was cancelled before its end."),
    }
)
