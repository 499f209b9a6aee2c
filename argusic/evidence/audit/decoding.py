"""What commands come to as a proof: whether they decode, only probe, or run what no table lists."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

from argusic.evidence.audit.acts import Act
from argusic.evidence.audit.session import Step
from argusic.evidence.audit.tables import Tables, named


def comes_to(steps: Sequence[Step], tables: Tables) -> tuple[Literal["decodes", "probes", "runs"], Act | None]:
    """Return what commands come to as a proof, and the act that decides it.

    A program that no table lists comes to no more than its status where it printed nothing.
    """
    pipes = [act for step in steps for act in step.deciding if act.role != "quiet"]
    decoding = next((act for act in pipes if act.role == "decodes"), None)
    if decoding is not None:
        return "decodes", decoding
    last = next((act for act in reversed(pipes) if act.role != "says"), pipes[-1] if pipes else None)
    if last is None:
        return "probes", None
    runs = last.role == "runs" or (last.role == "installs" and named(last.simple.program, tables.builders))
    if runs and not last.silent and any(step.printed.strip() for step in steps):
        return "runs", last
    return "probes", last


def reads_documentation(act: Act, tables: Tables) -> bool:
    """Return whether all files that a program prints or searches come with the project and describe it."""
    if act.role != "decodes" or act.detail != "text":
        return False
    words = [word for word in act.simple.arguments if not word.startswith("-")]
    if act.simple.program in ("grep", "egrep", "fgrep", "rg", "sed", "awk", "perl"):
        words = words[1:]
    names = [word.rstrip("/").rsplit("/", 1)[-1].lower() for word in words if not word.isdigit()]
    return bool(names) and all(any(fnmatchcase(name, known) for known in tables.documentation) for name in names)
