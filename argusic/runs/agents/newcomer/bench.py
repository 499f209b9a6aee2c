"""The newcomer's hands: runs steps in the session, recognises what failed, applies known repairs, tries again.

A step is something that a user is meant to do, and its failure is an error. A look only reads: its failure is
an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from argusic.runs.agents.newcomer.failures import Recognised, fill, recognise
from argusic.runs.agents.newcomer.journal import Journal, Met
from argusic.runs.agents.newcomer.knowledge import Knowledge, Repair
from argusic.runs.session import CommandResult, Session

#: Seconds of the budget that are kept for the report.
_RESERVE = 20.0
#: How often one step is repaired at most.
_REPAIRS = 8
#: Blanks in a row that are read of what a command printed, and more of them.
_BLANKS = 200
_ENDLESS = re.compile(rf"\s{{{_BLANKS + 1},}}")


class OutOfTime(Exception):
    """What is left of the budget is needed for the report."""


@dataclass(frozen=True)
class Step:
    """Something to do.

    Attributes:
        what: What it is, in words that begin an error's description.
        line: The command, as the documentation or the trade writes it.
        seconds: How long it may take.
        folder: Where it runs.
        before: What has to be said to the shell before it, such as the environment to use.
        fine: Says whether a result is a success.
        leaves: The classes of failures that are left to the caller: they are neither noted nor repaired.
    """

    what: str
    line: str
    seconds: float
    folder: str = ""
    before: str = ""
    fine: Callable[[CommandResult], bool] = lambda result: result.ok
    leaves: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The whole shell command."""
        place = f"cd {self.folder}" if self.folder else ""
        return " && ".join(part for part in (place, self.before, self.line) if part)


@dataclass
class Bench:
    """A session, the notes on it, and what is known.

    Attributes:
        session: Where commands run.
        journal: The notes.
        knowledge: What is known of failures, samples and runners.
        values: Values that repairs may use.
        display: The display that the task promises; empty where it promises none.
        own: Module names that belong to the project itself: never fetched from anywhere else.
        last: The result of the last try of a step.
        tried: That step, as it was repaired by then.
        left: The class of the failure that the step left to its caller; empty where it left none.
    """

    session: Session
    journal: Journal
    knowledge: Knowledge
    values: dict[str, str] = field(default_factory=dict)
    display: str = ""
    own: set[str] = field(default_factory=set)
    last: CommandResult | None = None
    tried: Step | None = None
    left: str = ""
    _applied: set[str] = field(default_factory=set)

    def limit(self, seconds: float) -> float:
        """Return how long a command may take that would like `seconds`.

        Raises:
            OutOfTime: Nothing is left but what the report needs.
        """
        left = self.session.remaining - _RESERVE
        if left < 1:
            raise OutOfTime
        return min(seconds, left)

    def look(self, command: str, seconds: float = 60) -> CommandResult:
        """Run a command whose failure is an answer, not an error."""
        return tamed(self.session.run(command, timeout=self.limit(seconds)))

    def do(self, step: Step) -> CommandResult | None:
        """Do a step, repairing what can be repaired; return its passing result, or None where it kept failing."""
        open_errors: list[Met] = []
        self.left = ""
        for _ in range(_REPAIRS):
            result = self.last = tamed(self.session.run(step.command, timeout=self.limit(step.seconds)))
            self.tried = step
            if step.fine(result):
                _close(open_errors)
                return result
            failure = self._recognise(result)
            if failure.kind in step.leaves:
                _close(open_errors)
                self.left = failure.kind
                return None
            met = self.journal.meet(step.what, failure)
            if met not in open_errors:
                _close(open_errors)
                open_errors = [met]
            repaired = self._repair(failure, step, met)
            if repaired is None:
                return None
            step = repaired
        return None

    def failed(self, step: Step, log: CommandResult) -> Step | None:
        """Note that a step that runs in the background did not come up; return the step as repaired, if it can be.

        Args:
            step: The step.
            log: The command that showed what it wrote.
        """
        failure = self._recognise(log)
        if failure.kind == "unknown":
            failure = replace(failure, says="it did not come up")
        met = self.journal.meet(step.what, failure)
        return self._repair(failure, step, met)

    def _recognise(self, result: CommandResult) -> Recognised:
        failure = recognise(result, self.knowledge.repairs)
        module = failure.values.get("module", "")
        if module in self.own or self.knowledge.repairs.is_made_up(module):
            failure = replace(failure, repairs=())
        return failure

    def _repair(self, failure: Recognised, step: Step, met: Met) -> Step | None:
        """Apply the next repair that was not applied yet; return the step to try again."""
        values = {**self.values, **failure.values, "folder": step.folder or "."}
        for repair in failure.repairs:
            filled = [fill(text, values) for text in (repair.what, *repair.run)]
            changed = _changed(step, repair, values)
            if None in filled or changed is None:
                continue
            what, *commands = (text for text in filled if text is not None)
            key = "\n".join([*commands, changed.line, repair.sample or "", str(failure.values.get("missing", ""))])
            if key in self._applied:
                continue
            self._applied.add(key)
            if repair.sample and not self._make(values.get("missing", ""), step.folder):
                continue
            if all(self.look(command, 900).ok for command in commands):
                met.fix = what
                self.journal.stand_in = self.journal.stand_in or (what if repair.mock else "")
                return changed
        return None

    def _make(self, name: str, folder: str) -> bool:
        """Make the sample file called `name` in `folder`; return whether that was possible."""
        sample = self.knowledge.samples.of(name)
        if sample is None or re.search(r"(^|/)\.\.(/|$)|^/|\s", name):
            return False
        make = fill(sample.make, {"path": name}) or ""
        parent = name.rpartition("/")[0]
        steps = [f"cd {folder}" if folder else "", f"mkdir -p {parent}" if parent else "", make]
        return self.look(" && ".join(step for step in steps if step)).ok


def tamed(result: CommandResult) -> CommandResult:
    """Return a result without endless blanks in what it printed, over which whoever reads it would never be done."""
    return result._replace(output=_ENDLESS.sub(lambda blanks: blanks[0][:_BLANKS], result.output))


def _close(errors: list[Met]) -> None:
    """Note that the step got past these errors by what was done about them."""
    for met in errors:
        met.fixed = bool(met.fix)


def _changed(step: Step, repair: Repair, values: dict[str, str]) -> Step | None:
    """Return the step as the repair changes its command; None where a value is not known or nothing changes."""
    append, prepend = fill(repair.append or "", values), fill(repair.prepend or "", values)
    if append is None or prepend is None:
        return None
    if (append and append in step.line) or (prepend and step.line.startswith(prepend)):
        return None
    return replace(step, line=f"{prepend}{step.line}{append}")
