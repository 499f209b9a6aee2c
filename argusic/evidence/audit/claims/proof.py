"""Claims of the proof: that its command ran, when and how it ended, whether it decodes, and what it returned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from argusic.evidence.audit import facts, matching
from argusic.evidence.audit.acts import Act
from argusic.evidence.audit.claims.making import finding, numbered, quoted
from argusic.evidence.audit.counts import contradicted_counts
from argusic.evidence.audit.decoding import comes_to, reads_documentation
from argusic.evidence.audit.session import Step
from argusic.evidence.audit.tables import Tables
from argusic.records.audit import ClaimFinding, Severity
from argusic.records.report import Report, VerifiedHow

_COMMAND = "verified_how.command"
_RESULT = "verified_how.result"
#: Media whose content may well speak of errors.
_TEXTS = frozenset(("text", "JSON", "HTTP body", "database", "table", "XML or HTML", "YAML or TOML", "reply"))
_SAYS_FAILED = re.compile(r"(?i)\b(fail|error|exception|traceback|crash|broken|not found|unable|could not)")


def proof(report: Report, steps: Sequence[Step], tables: Tables) -> Iterator[ClaimFinding]:
    """Yield what is to be said of `test_depth` and `verified_how`."""
    verified = report.test_depth != "tier3_none"
    how = report.verified_how
    if report.says_not_verified or how is None:
        if verified:
            what = "says that it is not verified" if how is not None else "names no command"
            severity: Severity = "unsupported" if how is not None else "note"
            yield finding(
                "proof_missing", severity, "verified_how", f"The depth is {report.test_depth}; the proof {what}."
            )
        return
    if not isinstance(how, VerifiedHow):
        how = VerifiedHow(command=how, result="exit status 0")
        if matching.find(how.command, steps, tables) is None:
            if verified:
                yield finding("proof_missing", "unsupported", "verified_how", "The proof names no command that ran.")
            return
    match = matching.find(how.command, steps, tables)
    if match is None:
        yield _never_ran(how.command, steps)
        return
    yield from _Found(report, how, match, steps, tables).findings()


def _never_ran(command: str, steps: Sequence[Step]) -> ClaimFinding:
    what = f"No recorded command is {quoted(command)}."
    inside = matching.mentioned(command, steps)
    if inside:
        what += f" It stands only in the text of {numbered(inside)}, which did not run it."
    return finding("command_never_ran", "contradicted", _COMMAND, what, inside)


class _Found:
    """A proof whose command was found."""

    def __init__(
        self, report: Report, how: VerifiedHow, match: matching.Match, steps: Sequence[Step], tables: Tables
    ) -> None:
        self._verified = report.test_depth != "tier3_none"
        self._how = how
        self._match = match
        self._steps = steps
        self._tables = tables
        good = [step for step in match.steps if step.succeeded]
        #: The run that the proof rests on: the last that succeeded, else the last.
        self._step = (good or list(match.steps))[-1]
        self._used = match.steps if match.how == "pieces" else (self._step,)

    def findings(self) -> Iterator[ClaimFinding]:
        yield from self._place()
        failed = list(self._status())
        yield from failed
        yield from self._order()
        if self._verified:
            yield from self._decoding()
        yield from self._result(failed=bool(failed))
        if self._verified and not failed:
            yield from self._hidden()

    def _place(self) -> Iterator[ClaimFinding]:
        match self._match.how:
            case "part" | "pieces":
                what = f"The command is no row of its own; {numbered(self._used)} ran it, or what it is made of."
                yield finding("command_part", "note", _COMMAND, what, self._used)
            case "abridged":
                what = f"The command is abridged; {numbered(self._used)} begins and ends like it."
                yield finding("command_part", "note", _COMMAND, what, self._used)
            case "perhaps":
                what = f"Of {numbered(self._used)}, which hold the command, none is sure to have run it as it is given."
                yield finding("command_part", "unsupported", _COMMAND, what, self._used)

    def _status(self) -> Iterator[ClaimFinding]:
        if not self._verified:
            return
        failed = [step for step in self._used if not step.succeeded]
        if not failed:
            if (shown := self._shown_failure()) is not None:
                what = f"{numbered([self._step]).capitalize()} printed that what it ran ended with status {shown}."
                yield finding("command_failed", "contradicted", _COMMAND, what, self._used)
            return
        status = failed[-1].row.exit_status
        cut = failed[-1].row.cut
        ended = f"ended with status {status}" if status is not None else f"was cut off ({cut or 'before its end'})"
        whole = self._match.how == "whole"
        what = f"The depth is claimed with a command that {ended}" + (" each time it ran." if whole else ".")
        yield finding("command_failed", "contradicted" if whole else "unsupported", _COMMAND, what, failed)

    def _shown_failure(self) -> int | None:
        """Return the status that the command printed of what decodes, where that is a failure."""
        for act in self._significant():
            for one in self._step.unheeded:
                if one.simple == act.simple and one.shown is not None:
                    values = [int(found) for found in re.findall(one.shown, self._step.printed)]
                    if values and values[-1] != 0:
                        return values[-1]
        return None

    def _significant(self) -> list[Act]:
        """What matters in the command: what decodes, or where nothing does what it runs."""
        acts = [act for step in self._used for act in step.all_acts]
        wanted = matching.squeezed(self._how.command)
        if self._match.how == "part":
            inside = [act for act in acts if act.simple.words and act.simple.words[0].text in wanted]
            acts = inside or acts
        decoding = [act for act in acts if act.role == "decodes" and act.simple.program not in self._tables.accepting]
        return decoding or [act for act in acts if act.role in ("decodes", "runs")]

    def _order(self) -> Iterator[ClaimFinding]:
        installs = [step for step in self._steps if any(act.role == "installs" for act in step.all_acts)]
        last = max(step.number for step in self._match.steps)
        first = next((step for step in installs if step.succeeded), None)
        if first is not None and last < first.number:
            what = f"It ran before anything was installed: {numbered([first])} is the first that installs."
            severity: Severity = "unsupported" if self._verified else "note"
            yield finding("command_too_early", severity, _COMMAND, what, (*self._used, first))

    def _decoding(self) -> Iterator[ClaimFinding]:
        if not all(step.readable for step in self._used):
            what = "The command is written so that what it does could not be read."
            yield finding("command_unreadable", "note", _COMMAND, what, self._used)
            return
        role, act = comes_to(self._used, self._tables)
        if role == "decodes":
            decoding = [act for step in self._used for act in step.deciding if act.role == "decodes"]
            if all(reads_documentation(act, self._tables) for act in decoding):
                what = "It prints what comes with the project, not what the project did here."
                yield finding("documentation_read", "unsupported", _COMMAND, what, self._used)
        elif role == "probes":
            sees = (act.detail if act is not None else "") or "that it ended with status 0"
            what = f"It decodes nothing. It only sees {sees}."
            yield finding("mere_probe", "unsupported", _COMMAND, what, self._used)
        else:
            program = act.simple.program if act is not None else ""
            what = f"Whether {quoted(program)} decodes is not known; what it printed is in the recording."
            yield finding("decoding_unknown", "note", _COMMAND, what, self._used)

    def _hidden(self) -> Iterator[ClaimFinding]:
        """Yield where a failure of what decodes would not have shown."""
        significant = {act.simple for act in self._significant()}
        lost = [one for step in self._used for one in step.unheeded if one.simple in significant]
        if not lost or len({one.simple for one in lost}) < len(significant):
            return
        if all(one.shown is not None and re.search(one.shown, self._step.printed) for one in lost):
            return
        why = {
            "or": "what stands behind || succeeds instead",
            "sequence": "another command follows and gives the status",
            "pipe": "the end of the pipe succeeds whatever comes in",
            "background": "nobody waits for it",
        }[lost[0].how]
        printed = "\n".join(step.printed for step in self._used)
        agreement = facts.compare(self._how.result, facts.Shown(printed)).agreement
        seen = bool(printed.strip()) and agreement in ("printed", "same_facts")
        severity: Severity = "note" if lost[0].how in ("pipe", "sequence") and seen else "unsupported"
        what = f"If {quoted(lost[0].simple.program)} failed, the status would not say so: {why}."
        yield finding("status_hidden", severity, _COMMAND, what, self._used)

    def _result(self, *, failed: bool) -> Iterator[ClaimFinding]:
        result = self._how.result
        printed = "\n".join(step.printed for step in self._used)
        where = numbered(self._used)
        for claimed, shown in contradicted_counts(result, printed):
            what = f"The result says {quoted(claimed)} and {where} printed {quoted(shown)}."
            yield finding("result_contradicted", "contradicted", _RESULT, what, self._used)
            return
        compared = facts.compare(result, facts.Shown(printed, self._how.command))
        silent = facts.claims_silence(result)
        if silent and printed.strip():
            shown = printed.strip().splitlines()[0]
            what = f"The result says that nothing was printed; {where} printed {quoted(shown)}."
            yield finding("result_not_printed", "unsupported", _RESULT, what, self._used)
        elif compared.agreement == "missing" and all(step.whole for step in self._used):
            lacking = ", ".join(quoted(one, 40) for one in compared.missing)
            what = f"{where.capitalize()} did not print {lacking}."
            yield finding("result_not_printed", "unsupported", _RESULT, what, self._used)
        elif compared.agreement == "missing":
            what = f"What {where} printed is too long to be compared whole with the result."
            yield finding("result_paraphrased", "note", _RESULT, what, self._used)
        elif compared.agreement != "printed" and not printed.strip() and not facts.says_nothing_else(result):
            if compared.agreement == "other_words" and not self._decodes_silently():
                what = f"{where.capitalize()} printed nothing of what the result says."
                yield finding("result_not_printed", "unsupported", _RESULT, what, self._used)
        elif compared.agreement != "printed":
            what = f"The result is told in other words than {where} printed."
            yield finding("result_paraphrased", "note", _RESULT, what, self._used)
        if self._verified and not failed and not _SAYS_FAILED.search(facts.ended_well(result)):
            lines = [line for step in self._used for line in step.error_lines if not _is_zero(line)]
            if lines and not _looks_for_errors(self._how.command) and not self._is_content(lines, compared.agreement):
                what = f"{where.capitalize()} printed {quoted(lines[-1])}, which the result does not say."
                yield finding("error_in_output", "unsupported", _RESULT, what, self._used)

    def _decodes_silently(self) -> bool:
        """Return whether saying nothing is what a decoder does when all is well."""
        return any(act.role == "decodes" for step in self._used for act in step.deciding)

    def _is_content(self, lines: list[str], agreement: facts.Agreement) -> bool:
        """Return whether the lines are what was decoded, or the result quotes them itself."""
        if agreement not in ("printed", "same_facts"):
            return False
        result = facts.plain(self._how.result)
        media = {act.detail for step in self._used for act in step.deciding if act.role == "decodes"}
        if media and media <= _TEXTS:
            return not any("Traceback" in line or line.startswith(("curl:", "jq:", "grep:", "cat:")) for line in lines)
        return all(facts.plain(line) in result for line in lines)


def _is_zero(line: str) -> bool:
    return re.search(r"(?i)\b(0|no) (failed|failures?|errors?)\b|errors?\s*[:=]\s*0\b", line) is not None


def _looks_for_errors(command: str) -> bool:
    return re.search(r"(?i)\b(error|fail|exception|traceback)", command) is not None
