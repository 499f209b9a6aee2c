"""Claims of errors: that each was met, that each fix was followed by a success, and that none was left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from argusic.evidence.audit import facts
from argusic.evidence.audit.claims.making import finding, numbered, quoted
from argusic.evidence.audit.session import Step
from argusic.evidence.audit.tables import Tables
from argusic.records.audit import ClaimFinding
from argusic.records.report import Report, ReportedError

_PART = re.compile(r"[^\W_]{3,}")
#: Steps whose failing says little: they ask, search, wait or compare.
_ASKING = ("probes", "says", "quiet")


def errors(report: Report, session: Sequence[Step], tables: Tables) -> Iterator[ClaimFinding]:
    """Yield what is to be said of `errors` and of the counts."""
    if not all(step.heard for step in session):
        return  # What went wrong was printed where the record does not show it.
    steps = [step for step in session if not _writes_only(step)]
    trouble = [step for step in steps if _is_trouble(step)]
    seen = sum(max(1, len(step.error_lines)) for step in trouble)
    field = "errors" if report.errors is not None else "errors_encountered"
    if report.encountered > seen:
        what = (
            f"{report.encountered} errors are claimed; the record shows {seen or 'none'}."
            if report.encountered > 1 or seen
            else "An error is claimed; no recorded command failed or printed one."
        )
        yield finding("more_errors_than_seen", "unsupported", field, what, trouble)
    elif report.errors is not None:
        everything = facts.Shown("\n".join(f"{step.command}\n{step.printed}" for step in steps))
        for number, error in enumerate(report.errors):
            yield from _one(number, error, trouble, steps, everything)
    fixed = report.fixed
    if report.errors is None and fixed and trouble:
        got_past = [step for step in trouble if _success_after(step, steps)]
        if not got_past:
            what = "Fixed errors are claimed; no step that failed succeeded later."
            yield finding("fix_without_success", "unsupported", "errors_fixed", what, trouble)
    yield from _left_out(report, trouble, steps)


def _one(
    number: int, error: ReportedError, trouble: list[Step], steps: list[Step], everything: facts.Shown
) -> Iterator[ClaimFinding]:
    """Yield what is to be said of one listed error."""
    quotations = facts.quotations(error.what)
    facts_of = _facts_of(error)
    missing = [fact for fact in facts_of if not everything.holds(fact)]
    # The class of an exception is met often; what it says in quotes tells one from another.
    if facts_of and (len(missing) == len(facts_of) or (quotations and set(quotations) <= set(missing))):
        what = f"Nothing recorded shows {', '.join(quoted(fact, 60) for fact in missing[:3])}."
        yield finding("error_not_seen", "unsupported", f"errors[{number}].what", what)
        return
    met = _steps_of(error, facts_of, trouble)
    if error.fixed and met and not any(_success_after(step, steps) for step in met):
        what = f"It is said to be fixed; after {numbered(met)} the same step did not succeed."
        yield finding("fix_without_success", "unsupported", f"errors[{number}].fixed", what, met)


def met_at(error: ReportedError, session: Sequence[Step]) -> list[Step]:
    """Return the steps at which an error was met, as far as its words tell."""
    trouble = [step for step in session if not _writes_only(step) and _is_trouble(step)]
    return _steps_of(error, _facts_of(error), trouble)


def _facts_of(error: ReportedError) -> list[str]:
    """Return what the words of an error state that can be looked up."""
    found = [*facts.quotations(error.what), *facts.names(error.what), *_long(facts.numbers(error.what))]
    return [fact for fact in found if len(fact) > 2]


def _steps_of(error: ReportedError, facts_of: list[str], trouble: list[Step]) -> list[Step]:
    """Return the steps at which an error was met, as far as its words tell; all of them where they do not."""
    scores = []
    words = set(_PART.findall(error.what.casefold()))
    for step in trouble:
        shown = facts.Shown("\n".join(step.error_lines) + "\n" + step.command + "\n" + step.printed[-4000:])
        exact = sum(shown.holds(fact) for fact in facts_of)
        loose = len(words & set(_PART.findall(shown.plain)))
        scores.append((exact, loose))
    if not scores:
        return []
    best = max(scores)
    if best[0] == 0 and best[1] < 2:
        return trouble
    return [step for step, score in zip(trouble, scores, strict=True) if score[0] == best[0] and score >= best]


def _long(numbers: list[str]) -> list[str]:
    """Return the numbers that are no mere counts."""
    return [number for number in numbers if len(number) > 2]


def _is_trouble(step: Step) -> bool:
    return not step.succeeded or bool(step.error_lines)


def _writes_only(step: Step) -> bool:
    """Return whether a step only writes text, such as the report itself."""
    return step.readable and all(act.role in ("says", "quiet") for act in step.all_acts)


def _key(step: Step) -> frozenset[str]:
    """Return what a step is about: its programs with their first word, and the files and addresses it names."""
    found = set()
    for act in step.all_acts:
        if act.role in ("quiet", "says") or not act.simple.words:
            continue
        operands = [word for word in act.simple.arguments if not word.startswith("-")]
        program = re.sub(r"[\d.]+$", "", act.simple.program)
        found.add(f"{program} {operands[0]}" if operands else program)
        found |= {word for word in operands if len(word) > 3}
        if act.role == "installs":
            found.add("installs")
        if act.detail == "test counts":
            found.add("tests")
    return frozenset(found)


def _success_after(step: Step, steps: Sequence[Step]) -> bool:
    """Return whether a later step that does the same, or something of the kind, got past the failure."""
    key = _key(step)
    if step.succeeded and not step.error_lines:
        return True
    mine = set(step.error_lines)
    for later in steps:
        if later.number <= step.number or not later.succeeded:
            continue
        if mine and mine & set(later.error_lines):
            continue
        if not key or key & _key(later):
            return True
    # A command of several may have failed in one and got past it in the next.
    return step.succeeded and bool(step.error_lines)


def _left_out(report: Report, trouble: list[Step], steps: list[Step]) -> Iterator[ClaimFinding]:
    """Yield that errors were met and none is listed."""
    if report.encountered:
        return
    clear = [
        step
        for step in trouble
        if not step.succeeded
        and step.error_lines
        and any(act.role in ("installs", "runs") or act.detail == "test counts" for act in step.deciding)
        and not any(act.role in ("probes",) for act in step.deciding)
    ]
    again = [step for step in clear if any(_same(step, later) for later in steps)]
    if again:
        line = again[0].error_lines[-1]
        what = f"No error is listed; {numbered(again)} failed with {quoted(line)} and succeeded when run again."
        yield finding("error_not_reported", "unsupported", "errors", what, again)
    elif clear:
        what = f"No error is listed; {numbered(clear)} failed with {quoted(clear[0].error_lines[-1])}."
        yield finding("error_not_reported", "note", "errors", what, clear)


def _same(step: Step, later: Step) -> bool:
    return later.number > step.number and later.succeeded and later.command == step.command
