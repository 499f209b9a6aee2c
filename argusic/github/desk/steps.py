"""The steps of the desk: an issue is answered, accepted by somebody who may, and its later edits are kept.

Each may run twice, or at the same time as another: what is there already is left as it is.
"""

from __future__ import annotations

from typing import Final

from argusic.database.codec import dump
from argusic.database.paths import dispute_path, dispute_revision_path
from argusic.errors import InputError
from argusic.github.answers import MOST_QUOTED, refusal
from argusic.github.desk import replies
from argusic.github.desk.asked import Asked, what_is_asked
from argusic.github.desk.branches import MAIN
from argusic.github.desk.case import Case, accepted, answer_to, branch_of, case_of
from argusic.github.desk.desk import Desk, Done, Kept, is_requested, kept_dispute, must_be_ours
from argusic.github.desk.replies import ACCEPTED, ENDED, UNCLEAR
from argusic.github.desk.resolving import ended_as
from argusic.github.events import Happening
from argusic.github.outside import block
from argusic.records.findings import Acceptance, Dispute, DisputeRevision
from argusic.referee.findings import stated

#: The most changes to a dispute's text that are kept.
MOST_REVISIONS: Final = 20
_FORMS: Final[dict[Asked, tuple[str, str]]] = {
    "dispute": ("dispute", "Dispute a result"),
    "request": ("request", "Request a run"),
}


def answer_issue(desk: Desk, happening: Happening) -> Done:
    """Answer an issue with what is recorded of what it names, or with why it cannot be understood. Writes nothing down.

    Raises:
        InputError: A file of the repository is at fault.
        EnvironmentLack: GitHub cannot be reached.
    """
    number = happening.issue.number
    asked = what_is_asked(desk.database, happening)
    if asked is None or happening.action not in ("opened", "edited", "reopened"):
        return Done("left alone", f"Nothing is to be answered to issue {number}.")
    if asked == "request" and is_requested(desk.database, number):
        return Done("left alone", f"What issue {number} requests is written down already.")
    try:
        case = case_of(desk.database, asked, happening.issue)
    except InputError as error:
        _refuse(desk, number, asked, error)
        return Done("refused", f"Issue {number} was refused: {error.what}")
    desk.forge.say(number, "answer", case.answer)
    if UNCLEAR in happening.labels:
        desk.forge.label(number, remove=[UNCLEAR])
    return Done("answered", f"Issue {number} was answered.")


def _refuse(desk: Desk, number: int, asked: Asked, error: InputError) -> None:
    must_be_ours(error)
    desk.forge.say(number, "answer", refusal(error, *_FORMS[asked]))
    desk.forge.label(number, add=[UNCLEAR])


def accept_issue(desk: Desk, happening: Happening) -> Done:
    """Write an issue down on a branch of its own, by a pull request, where somebody who may decide labelled it so.

    Anybody else's label is taken off again. So is one that says how a dispute ended, which takes more than a label.

    Raises:
        InputError: A file of the repository is at fault, or the branch holds another file.
        EnvironmentLack: GitHub or the remote cannot be reached.
    """
    number, label, sender = happening.issue.number, happening.label, happening.sender
    asked = what_is_asked(desk.database, happening)
    if asked is None or happening.action != "labeled" or label not in (ACCEPTED, *ENDED.values()):
        return Done("left alone", f"Nothing is decided of issue {number}.")
    if label != ACCEPTED and ended_as(desk, number) == label:
        return Done("left alone", f"Issue {number} ended so.")  # Whoever set it, an app of the repository's own too.
    if not desk.decides(sender):
        return _taken_off(desk, number, label, replies.may_not(sender, label), f"{sender} may not decide.")
    if label != ACCEPTED:
        said = replies.needs_more_than_a_label(number, label)
        return _taken_off(desk, number, label, said, "How a dispute ended takes more than a label.")
    if label not in desk.forge.labels(number):
        return Done("left alone", f"The label {label!r} was taken off issue {number} again meanwhile.")
    if asked == "dispute" and (kept := kept_dispute(desk, number)) is not None:
        return _again(desk, number, kept)
    if asked == "request" and is_requested(desk.database, number):
        return Done("accepted before", f"What issue {number} requests is written down already.")
    try:
        case = case_of(desk.database, asked, happening.issue)
    except InputError as error:
        _refuse(desk, number, asked, error)
        return _taken_off(desk, number, label, replies.cannot_be_accepted(), error.what)
    return _write_down(desk, accepted(case, Acceptance(by=sender, at=happening.at)), sender)


def _write_down(desk: Desk, case: Case, by: str) -> Done:
    data, said = dump(desk.database.checked(case.path, case.record)), case.answer
    try:
        message = f"{case.title}, from issue {case.issue}\n\nAccepted by {by}."
        desk.branches.put(case.branch, {case.path: data}, message)
    except InputError:
        # Somebody else accepted it in the same moment, or before an edit; what they accepted stays.
        there = desk.branches.below(case.branch, case.path.parent).get(case.path)
        if there is None:
            raise
        if case.asked == "dispute" and (kept := kept_dispute(desk, case.issue)) is not None:
            return _again(desk, case.issue, kept)
        said = block(there.decode(), MOST_QUOTED)
    text = replies.for_review(case.issue, by, [case.path], said)
    pull = desk.forge.pull(case.branch, MAIN, f"{case.title} (issue {case.issue})", text)
    desk.forge.say(case.issue, "decision", replies.written_down(case.path, pull, by))
    return Done("accepted", f"Issue {case.issue} waits for review in pull request {pull}.", case.path, pull)


def _again(desk: Desk, number: int, kept: Kept) -> Done:
    """Do nothing new, but open the pull request again whose files still wait."""
    if not kept.waiting:
        return Done("accepted before", f"Issue {number} is written down already.")
    path, pull = dispute_path(kept.dispute.cycle, number), _pull(desk, kept)
    if path in kept.waiting:
        desk.forge.say(number, "decision", replies.written_down(path, pull, _by(kept.dispute)))
    else:
        path = kept.waiting[-1]
        desk.forge.say(number, "revision", replies.revised(pull, path))
    return Done("accepted before", f"Issue {number} waits for review in pull request {pull}.", path, pull)


def _pull(desk: Desk, kept: Kept) -> int:
    dispute = kept.dispute
    said = answer_to(desk.database, dispute)
    text = replies.for_review(dispute.issue, _by(dispute), kept.waiting, said, kept.revisions)
    title = f"Dispute of run {dispute.run} (issue {dispute.issue})"
    return desk.forge.pull(branch_of("dispute", dispute.issue), MAIN, title, text)


def _by(dispute: Dispute) -> str:
    return dispute.accepted.by if dispute.accepted is not None else dispute.by


def _taken_off(desk: Desk, number: int, label: str, said: str, why: str) -> Done:
    desk.forge.label(number, remove=[label])
    desk.forge.say(number, "label", said)
    return Done("not accepted", f"The label {label!r} was taken off issue {number}: {why}")


def revise_issue(desk: Desk, happening: Happening) -> Done:
    """Keep what the text of an accepted dispute was changed to, beside what was accepted, by the same pull request.

    Raises:
        InputError: A file of the repository is at fault.
        EnvironmentLack: GitHub or the remote cannot be reached.
    """
    number = happening.issue.number
    asked = what_is_asked(desk.database, happening)
    if happening.action != "edited":
        return Done("left alone", f"The text of issue {number} was not changed.")
    kept = kept_dispute(desk, number) if asked != "request" else None
    if kept is None:
        return Done("left alone", f"Issue {number} is no dispute that was accepted.")
    try:
        case = case_of(desk.database, "dispute", happening.issue)
    except InputError as error:
        must_be_ours(error)
        return _not_revised(desk, number, error.what)
    dispute, new = kept.dispute, case.record
    assert isinstance(new, Dispute), "a dispute is understood as one"
    if (new.claim, new.expected, new.evidence) == kept.pieces and new.run == dispute.run:
        return Done("left alone", f"Issue {number} says what is kept of it.")
    if dispute.resolution is not None:
        return _not_revised(desk, number, "It was resolved before. Whoever has further evidence opens another dispute.")
    if new.run != dispute.run:
        return _not_revised(desk, number, f"It is of run {dispute.run}. A dispute of another run is another issue.")
    if len(kept.revisions) >= MOST_REVISIONS:
        return _not_revised(desk, number, f"It was changed {MOST_REVISIONS} times. Say what is new in a comment.")
    return _revise(desk, kept, new, happening)


def _revise(desk: Desk, kept: Kept, new: Dispute, happening: Happening) -> Done:
    number, cycle = happening.issue.number, kept.dispute.cycle
    revision = stated(
        DisputeRevision,
        issue=number,
        cycle=cycle,
        edited=happening.at,
        by=happening.sender,
        claim=new.claim,
        expected=new.expected,
        evidence=new.evidence,
    )
    path = dispute_revision_path(cycle, number, revision.edited)
    message = f"Dispute of run {new.run}: issue {number} was changed"
    try:
        desk.branches.put(branch_of("dispute", number), {path: dump(revision)}, message)
    except InputError as error:
        if path not in desk.branches.below(branch_of("dispute", number), path.parent):
            raise
        return _not_revised(desk, number, f"It was changed twice within one second: {error.what}")
    now = kept_dispute(desk, number)
    assert now is not None, "a part of it was just written"
    pull = _pull(desk, now)
    desk.forge.say(number, "revision", replies.revised(pull, path))
    return Done("revised", f"The change of issue {number} waits for review in pull request {pull}.", path, pull)


def _not_revised(desk: Desk, number: int, why: str) -> Done:
    desk.forge.say(number, "revision", replies.not_revised(why))
    return Done("not revised", f"The change of issue {number} is not kept: {why}")
