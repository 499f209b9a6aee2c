"""Which recorded commands show what a report claims: the way from each field of a report to seconds of the recording.

It judges nothing; `argusic.evidence.audit.auditing` does. Where no command is of the sort that a claim speaks of, none
is returned, and whoever asks has the whole recording.
"""

from __future__ import annotations

from collections.abc import Sequence

from argusic.evidence.audit import matching
from argusic.evidence.audit.claims.errors import met_at
from argusic.evidence.audit.claims.steps import could_launch, prepares, tests_ran
from argusic.evidence.audit.session import Step
from argusic.evidence.audit.tables import Tables, tables
from argusic.records.report import Report, ReportedError, VerifiedHow

#: A claim is shown by at most this many commands; the last ones, which it rests on.
MOST_SHOWN = 5


def installing(session: Sequence[Step]) -> tuple[Step, ...]:
    """Return the commands that installed: those that succeeded, else those that tried, else what could have."""
    able = [step for step in session if not step.is_inert]
    tried = [step for step in able if any(act.role == "installs" for act in step.all_acts) and not prepares(step)]
    done = [step for step in tried if step.succeeded]
    return _last(done or tried or [step for step in able if step.succeeded] or able)


def launching(session: Sequence[Step], known: Tables | None = None) -> tuple[Step, ...]:
    """Return the commands that launched it or ran its tests: those that did, else those that could have."""
    known = known or tables()
    able = [step for step in session if not step.is_inert and could_launch(step, known)]
    return _last([step for step in able if step.succeeded or tests_ran(step)] or able)


def meeting(error: ReportedError, session: Sequence[Step]) -> tuple[Step, ...]:
    """Return the commands at which a reported error was met."""
    return _last(met_at(error, session))


def proving(report: Report, session: Sequence[Step], known: Tables | None = None) -> tuple[Step, ...]:
    """Return the commands that the report names as its proof, as the audit finds them."""
    how = report.verified_how
    command = how.command if isinstance(how, VerifiedHow) else how
    if command is None or report.says_not_verified:
        return ()
    match = matching.find(command, session, known or tables())
    if match is None:
        return ()
    if match.how == "pieces":
        return _last(match.steps)
    return (([step for step in match.steps if step.succeeded] or list(match.steps))[-1],)


def _last(steps: Sequence[Step]) -> tuple[Step, ...]:
    return tuple(steps[-MOST_SHOWN:])
