"""Recognises failures in what commands printed, and fills known repairs with the values of the case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from argusic.runs.agents.newcomer.knowledge import Repair, Repairs
from argusic.runs.session import CommandResult

#: Characters that a value taken from a program's output may have in a command of ours.
_SAFE = re.compile(r"[A-Za-z0-9@][A-Za-z0-9._+@/ \[\],-]{0,120}")
#: Lines that tools print beside an error and that say nothing of it.
_ASIDE = re.compile(r"(?i)complete log of this run|^\s*(hint|note):|^npm (error|ERR!)\s*$|\[notice\]")
_ADDRESS = re.compile(r"\b\w+://(?!localhost|127\.0\.0\.1)\S+")


@dataclass(frozen=True)
class Recognised:
    """A failure of one command.

    Attributes:
        kind: Its class; `unknown` where the table does not know it.
        says: What went wrong, in a few words.
        evidence: The line of output that shows it.
        values: The named parts of that line.
        repairs: What is known to help.
    """

    kind: str
    says: str
    evidence: str
    values: Mapping[str, str] = field(default_factory=dict)
    repairs: tuple[Repair, ...] = ()

    @property
    def sentence(self) -> str:
        """What went wrong and the line that shows it."""
        return f"{self.says}: {self.evidence}" if self.evidence else self.says

    @property
    def same(self) -> tuple[str, str, tuple[str, ...]]:
        """What makes two failures of one step the same."""
        evidence = re.sub(r"\d+(\.\d+)?", "0", self.evidence) if self.kind == "unknown" else ""
        return self.kind, self.says + evidence, tuple(sorted(self.values.values()))


def recognise(result: CommandResult, table: Repairs) -> Recognised:
    """Name the failure of a command by the table; the last line of output speaks where the table does not."""
    if result.cut == "command_time":
        return Recognised("timeout", table.classes["timeout"], _last_line(result.output))
    for failure in table.failures:
        for expression in failure.when:
            match = _last_match(expression, result.output)
            if match:
                values = {name: value for name, value in match.groupdict().items() if value}
                if "module" in values:
                    values["package"] = table.packages.get(values["module"], values["module"])
                repairs = failure.repairs if all(_SAFE.fullmatch(v) for v in values.values()) else ()
                return Recognised(failure.kind, failure.says, _line_of(result.output, match), values, repairs)
    ended = "it was cut off" if result.cut else f"it ended with status {result.exit_status}"
    return Recognised("unknown", ended, _last_line(result.output))


def fill(text: str, values: Mapping[str, str]) -> str | None:
    """Return `text` with each {{name}} replaced by its value; None where a value is not known."""
    names = set(re.findall(r"\{\{(\w+)\}\}", text))
    if names - set(values):
        return None
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text)


def public(text: str, limit: int = 300) -> str:
    """Return one line of output as a report quotes it: addresses of other machines left out, not too long."""
    text = " ".join(_ADDRESS.sub("(an address)", text).split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _last_match(expression: str, output: str) -> re.Match[str] | None:
    found = None
    for match in re.finditer(expression, output, re.MULTILINE):
        found = match
    return found


def _line_of(output: str, match: re.Match[str]) -> str:
    start = output.rfind("\n", 0, match.start()) + 1
    end = output.find("\n", match.end())
    return public(output[start : end if end >= 0 else len(output)].strip())


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip() and not _ASIDE.search(line)]
    telling = [n for n, line in enumerate(lines) if re.search(r"(?i)\b\w*(error|exception|fatal|failed)\b", line)]
    if telling and lines[telling[-1]].endswith(":"):
        return public(" ".join(lines[telling[-1] : telling[-1] + 3]))
    return public(lines[telling[-1]] if telling else (lines or [""])[-1])
