"""A session as the audit sees it: every recorded command with what it printed, and what each of them does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, Final

from argusic.evidence.asciicast import prompt
from argusic.evidence.audit.acts import Act, act_of, acts
from argusic.evidence.audit.shell.parser import Unreadable, parse
from argusic.evidence.audit.shell.tree import Script
from argusic.evidence.audit.status import Unheeded, unheeded
from argusic.evidence.audit.tables import Tables, tables
from argusic.evidence.commands import CommandRow

#: Of what a command printed, at most this much is compared, half from each end.
MOST_PRINTED: Final = 1024 * 1024


@dataclass(frozen=True)
class Ran:
    """One recorded command.

    Attributes:
        row: Its row in the command table.
        printed: What it printed, as plain text.
        whole: Whether that is all of it.
    """

    row: CommandRow
    printed: str
    whole: bool = True


class Step:
    """One recorded command, and what it does.

    Args:
        ran: It.
        known: What is known of programs.
    """

    def __init__(self, ran: Ran, known: Tables) -> None:
        self.row = ran.row
        self.number = ran.row.number
        self.command = ran.row.command
        self.printed = ran.printed
        self.whole = ran.whole
        self.succeeded = ran.row.exit_status == 0
        #: Whether the record shows what it printed: what an agent's own program ran printed to that program.
        self.heard = not ran.row.is_inner
        self._known = known

    @cached_property
    def script(self) -> Script | None:
        """Its tree; None where it is no shell that can be read."""
        try:
            return parse(self.command)
        except Unreadable:
            return None

    @cached_property
    def pipes(self) -> tuple[tuple[Act, ...], ...]:
        """What each of its pipelines does; nothing where it cannot be read."""
        try:
            return acts(self.script, self._known) if self.script is not None else ()
        except Unreadable:
            return ()

    @cached_property
    def all_acts(self) -> tuple[Act, ...]:
        """Every program that runs in it."""
        return tuple(act for pipe in self.pipes for act in pipe)

    @cached_property
    def deciding(self) -> tuple[Act, ...]:
        """What each pipeline comes to."""
        return tuple(act_of(pipe, self._known) for pipe in self.pipes if pipe)

    @cached_property
    def unheeded(self) -> tuple[Unheeded, ...]:
        """The commands in it that can fail unnoticed."""
        try:
            return unheeded(self.script, self._known) if self.script is not None else ()
        except Unreadable:
            return ()

    @property
    def readable(self) -> bool:
        """Whether it could be read."""
        return bool(self.pipes)

    @cached_property
    def is_inert(self) -> bool:
        """Whether it can neither install nor launch anything: it prepares, looks, prints or writes text."""
        return self.readable and all(
            act.role in ("quiet", "says", "probes") or (act.role == "decodes" and _only_reads(act))
            for act in self.all_acts
        )

    @cached_property
    def error_lines(self) -> tuple[str, ...]:
        """The lines of its output that say that something went wrong, each once, at most fifty."""
        found: dict[str, None] = {}
        for match in self._known.error.finditer(self.printed):
            start = self.printed.rfind("\n", 0, match.start()) + 1
            end = self.printed.find("\n", match.end())
            found.setdefault(self.printed[start : end if end >= 0 else None][:500].strip())
            if len(found) == 50:
                break
        return tuple(found)


def _only_reads(act: Act) -> bool:
    return act.detail in ("text", "JSON", "YAML or TOML", "XML or HTML", "digest", "document")


def steps_of(session: Iterable[Ran], known: Tables | None = None) -> tuple[Step, ...]:
    """Return the steps of a session in their order."""
    return tuple(Step(ran, known or tables()) for ran in session)


def read_session(rows: Sequence[CommandRow], log: BinaryIO, inner: Sequence[CommandRow] = ()) -> tuple[Ran, ...]:
    """Return each command of the agent with what the log shows that it printed.

    What put the agent's own program in place is none of its deeds. Where the host saw what that program ran, its
    commands stand for it.

    Args:
        rows: What the harness ran, in order.
        log: The log.
        inner: What the agent's own program ran.
    """
    printed = [_Printed() for _ in rows]
    starts = {row.log_line: index for index, row in enumerate(rows)}
    current: int | None = None
    body = 0
    line = 0
    fresh = True
    while piece := log.readline(1024 * 1024):
        if fresh:
            line += 1
            if line in starts:
                current = starts[line]
                body = line + prompt(rows[current].command).count("\n") + 1
        if current is not None and line >= body:
            printed[current].add(piece.decode("utf-8", "replace"))
        fresh = piece.endswith(b"\n")
    ran = [Ran(row, *text.result()) for row, text in zip(rows, printed, strict=True) if _is_a_deed(row)]
    ran += [Ran(row, "", whole=False) for row in inner]
    return tuple(sorted(ran, key=lambda one: one.row.number))


def _is_a_deed(row: CommandRow) -> bool:
    return row.source != "set_up" and row.seen_by != "observed"


class _Printed:
    """What one command printed, cut in the middle where it is too long."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._tail: list[str] = []
        self._in_head = 0
        self._in_tail = 0
        self._whole = True

    def add(self, text: str) -> None:
        if self._in_head < MOST_PRINTED // 2:
            self._head.append(text)
            self._in_head += len(text)
            return
        self._tail.append(text)
        self._in_tail += len(text)
        if self._in_tail > MOST_PRINTED:
            kept = "".join(self._tail)[-MOST_PRINTED // 2 :]
            self._tail, self._in_tail, self._whole = [kept], len(kept), False

    def result(self) -> tuple[str, bool]:
        return "".join(self._head) + "".join(self._tail), self._whole
