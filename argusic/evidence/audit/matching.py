"""Finding a claimed command among those that ran: whole commands count, text inside of one does not.

A report is often written by a recorded command, so that whatever it claims does stand in the recording. Only what
the shell ran counts: a whole row of the table, or a part of one that the shell must have come to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from argusic.evidence.audit.session import Step
from argusic.evidence.audit.shell.parser import Unreadable, parse
from argusic.evidence.audit.shell.tree import Compound, Item, Pipeline, Script, Simple
from argusic.evidence.audit.shell.unwrap import unwrapped
from argusic.evidence.audit.tables import Tables

#: `whole`: it is a row of the table. `pieces`: its commands are rows of their own. `part`: a longer command ran it.
#: `perhaps`: a longer command holds it and may not have come to it, or it ran without what is said to go before.
#: `abridged`: a row begins and ends like it.
How = Literal["whole", "pieces", "part", "perhaps", "abridged"]

_FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)
_CUT = re.compile(r"\s*(?:\[\.{3}\]|(?<![/\w.])\.{3}(?![/\w.])|…)\s*")


@dataclass(frozen=True)
class Match:
    """Where a claimed command ran.

    Attributes:
        how: How it was found.
        steps: The commands that ran it, in order.
    """

    how: How
    steps: tuple[Step, ...]


def squeezed(command: str) -> str:
    """Return a command with its white space made even, and without what quotes it in a report."""
    command = fenced[1] if (fenced := _FENCE.match(command)) else command
    text = " ".join(command.replace("\\\n", " ").split())
    if len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1]:
        text = text[1:-1].strip()
    return text.removeprefix("$ ").rstrip("; ")


def find(claimed: str, steps: Sequence[Step], tables: Tables) -> Match | None:
    """Return where a claimed command ran, or None where it never did."""
    text = squeezed(claimed)
    if whole := tuple(step for step in steps if squeezed(step.command) == text):
        return Match("whole", whole)
    try:
        script = parse(_FENCE.sub(r"\1", claimed).strip().removeprefix("$ "))
    except Unreadable:
        script = None
    if script is not None and script.items:
        bare = _plain_script(script)
        same = tuple(step for step in steps if step.script is not None and _plain_script(step.script) == bare)
        if same:
            return Match("whole", same)
        if (found := _in_pieces(script, steps, tables)) is not None:
            return found
        return _abridged(text, steps) or _as_part(bare, steps, tables)
    return _abridged(text, steps)


def mentioned(claimed: str, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the commands whose text holds a claimed command without running it."""
    text = squeezed(claimed)
    return tuple(step for step in steps if text and (text in squeezed(step.command) or text in _unescaped(step)))


def _unescaped(step: Step) -> str:
    return " ".join(step.command.replace("\\n", " ").replace('\\"', '"').split())


def _plain_script(script: Script) -> tuple[object, ...]:
    return tuple((item.joined, item.background, _plain(item.pipeline)) for item in script.items)


def _plain(pipeline: Pipeline) -> tuple[object, ...]:
    """Return a pipeline in a form that leaves out where errors are printed."""
    return (pipeline.negated, *(_plain_part(part) for part in pipeline.parts))


def _plain_part(part: Simple | Compound) -> object:
    redirects = tuple(one for one in part.redirects if (one.operator, one.target.text) != ("2>&", "1"))
    if isinstance(part, Simple):
        return (part.words, part.assigned, redirects, part.here)
    bodies = tuple(_plain_script(body) for body in part.bodies)
    return (part.kind, bodies, tuple(_plain_script(one) for one in part.conditions), redirects, part.name)


#: What prepares nothing, and decides whether the shell goes on.
_DECIDES = ("false", "exit", "return", "break", "continue", "exec")


def _is_quiet(item: Item, tables: Tables) -> bool:
    """Return whether a pipeline only prepares, and is as good as sure to succeed."""
    return not item.pipeline.negated and all(
        isinstance(part, Simple) and (not part.words or (part.program in tables.quiet and part.program not in _DECIDES))
        for part in item.pipeline.parts
    )


def _in_pieces(script: Script, steps: Sequence[Step], tables: Tables) -> Match | None:
    """Find each command of a claimed list as a row of its own."""
    if len(script.items) < 2 or any(item.joined == "||" for item in script.items):
        return None
    found: list[Step] = []
    sure = True
    for item in script.items:
        if _is_quiet(item, tables):
            # What prepares may stand in another row, such as the folder; said and never done it is untrue.
            sure = sure and any(_plain(item.pipeline) in _pipelines(step, tables, sure=False) for step in steps)
            continue
        wanted = _plain(item.pipeline)
        rows = [step for step in steps if _within(wanted, _pipelines(step, tables, sure=True))]
        if not rows:
            return None
        found.append(next((row for row in reversed(rows) if row.succeeded), rows[-1]))
    return Match("pieces" if sure else "perhaps", tuple(dict.fromkeys(found))) if found else None


def _as_part(wanted: tuple[object, ...], steps: Sequence[Step], tables: Tables) -> Match | None:
    """Find a single claimed pipeline inside of a longer command."""
    if len(wanted) != 1:
        return None
    pipeline: tuple[object, ...] = wanted[0][2]  # type: ignore[index]
    sure, unsure = [], []
    for step in steps:
        if _within(pipeline, _pipelines(step, tables, sure=True)):
            sure.append(step)
        elif _within(pipeline, _pipelines(step, tables, sure=False)):
            unsure.append(step)
    if sure:
        return Match("part", tuple(sure))
    return Match("perhaps", tuple(unsure)) if unsure else None


def _within(wanted: tuple[object, ...], pipelines: list[tuple[object, ...]]) -> bool:
    """Return whether a pipeline is one of these, or the beginning of one."""
    return any(one[: len(wanted)] == wanted for one in pipelines)


def _pipelines(step: Step, tables: Tables, *, sure: bool) -> list[tuple[object, ...]]:
    """Return the pipelines that a row ran: those that it must have come to, or with `sure` false all of them."""
    if step.script is None:
        return []
    try:
        return _of_script(step.script, tables, sure=sure, succeeded=step.succeeded, depth=0)
    except Unreadable:
        return []


def _of_script(script: Script, tables: Tables, *, sure: bool, succeeded: bool, depth: int) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    if depth > 20:
        return found
    come_to = True
    last_chain = max((n for n, item in enumerate(script.items) if item.joined == ";"), default=0)
    for number, item in enumerate(script.items):
        if item.joined == "||" and sure:
            come_to = False
        if item.joined == ";":
            come_to = True
        previous = script.items[number - 1] if number else None
        # What follows `&&` ran where the whole chain succeeded, or where only preparing went before.
        chained = item.joined == "&&" and previous is not None and not _is_quiet(previous, tables)
        if chained and sure and not (succeeded and number >= last_chain):
            come_to = False
        if not come_to and sure:
            continue
        found.append(_plain(item.pipeline))
        for part in item.pipeline.parts:
            inner = unwrapped(part, tables) if isinstance(part, Simple) else part
            if isinstance(inner, Simple):
                if inner is not part:
                    found.append((item.pipeline.negated, _plain_part(inner)))
                continue
            if isinstance(inner, Compound) and sure and inner.kind not in ("subshell", "group"):
                continue
            bodies = (inner,) if isinstance(inner, Script) else (*inner.conditions, *inner.bodies)
            for body in bodies:
                found += _of_script(body, tables, sure=sure, succeeded=succeeded, depth=depth + 1)
        if sure and any(isinstance(part, Simple) and part.program in ("exit", "exec") for part in item.pipeline.parts):
            break
    return found


def _abridged(text: str, steps: Sequence[Step]) -> Match | None:
    """Find rows that a command with dots in it stands for."""
    pieces = [piece for piece in _CUT.split(text) if piece]
    if len(pieces) < 2 and not _CUT.search(text):
        return None
    if sum(len(piece) for piece in pieces) < 12 or len(pieces) > 6:
        return None
    pattern = re.compile(".*".join(re.escape(piece) for piece in pieces), re.DOTALL)
    rows = tuple(step for step in steps if pattern.match(squeezed(step.command)) and not _only_writes(step))
    return Match("abridged", rows) if rows else None


def _only_writes(step: Step) -> bool:
    return all(act.role in ("says", "quiet") for act in step.all_acts)
