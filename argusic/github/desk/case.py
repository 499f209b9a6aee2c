"""An issue understood: what would be written down of it, where, and what is answered below it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from argusic.database.database import Database
from argusic.database.paths import dispute_path, reproduction_request_path, request_path
from argusic.evidence.audit import audit_run
from argusic.evidence.stores.configured import store_of
from argusic.github.answers import answer
from argusic.github.desk.asked import Asked
from argusic.github.desk.replies import answer_to_reproduction, answer_to_stronger
from argusic.github.disputes import understand
from argusic.github.events import Issue
from argusic.github.requests import understand_request
from argusic.records.findings import Acceptance, Dispute
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.referee.findings import find_run
from argusic.runs.held import learnt_later


@dataclass(frozen=True)
class Case:
    """A dispute or a request, as its issue's text says it now.

    Attributes:
        asked: Which of the two it is.
        issue: The number of its issue.
        record: What would be written down.
        path: Where.
        title: What it is about, in a few words of ours.
        answer: What is answered below the issue, as Markdown.
    """

    asked: Asked
    issue: int
    record: Dispute | StrongerRequest | ReproductionRequest
    path: PurePosixPath
    title: str
    answer: str

    @property
    def branch(self) -> str:
        """The branch that it is written down on."""
        return branch_of(self.asked, self.issue)


def branch_of(asked: Asked, issue: int) -> str:
    """Return the branch that an issue's file waits for review on."""
    return f"{asked}s/{issue}"


def case_of(database: Database, asked: Asked, issue: Issue) -> Case:
    """Return an issue understood. What was written down of it before is no matter.

    Raises:
        InputError: It cannot be understood; without a place where the fault is the issue's.
    """
    if asked == "dispute":
        return _dispute(database, issue)
    wanted = understand_request(database, issue)
    if isinstance(wanted, StrongerRequest):
        path = request_path(wanted.cycle, wanted.subject)
        title = f"Request of the stronger agent on {wanted.subject}"
        return Case(asked, issue.number, wanted, path, title, answer_to_stronger(database, wanted))
    path = reproduction_request_path(wanted.cycle, wanted.run)
    run = find_run(database, wanted.run).run
    title = f"Request to make run {wanted.run} again"
    return Case(asked, issue.number, wanted, path, title, answer_to_reproduction(wanted, run))


def accepted(case: Case, acceptance: Acceptance) -> Case:
    """Return a case with who had it written down. Of a request, its pull request alone says so."""
    if not isinstance(case.record, Dispute):
        return case
    facts = {**case.record.model_dump(by_alias=True), "accepted": acceptance}
    return Case(case.asked, case.issue, Dispute.model_validate(facts), case.path, case.title, case.answer)


def _dispute(database: Database, issue: Issue) -> Case:
    _, dispute = understand(database, issue, again=True)
    path, title = dispute_path(dispute.cycle, dispute.issue), f"Dispute of run {dispute.run}"
    return Case("dispute", issue.number, dispute, path, title, answer_to(database, dispute))


def answer_to(database: Database, dispute: Dispute) -> str:
    """Return what the repository holds of a disputed run, and what is said of it.

    Raises:
        InputError: There is no such run, or it cannot be read.
    """
    stored = find_run(database, dispute.run)
    audited = audit_run(database.root / stored.folder, store_of(database), root=database.root)
    score = learnt_later(database, dispute.cycle).score(stored.run, database.edition(stored.run.edition)[0])
    return answer(stored, dispute, score, audited)
