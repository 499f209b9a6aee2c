"""What the task says of a template: its flavour, where it lies, and the digests of its own files."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.session import CommandResult

_PORT = """python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'"""
_FILE = re.compile(r"^\s*(?P<sha256>[0-9a-f]{64})  (?P<path>/.+)$", re.MULTILINE)


class Brief(NamedTuple):
    """A template as the task describes it."""

    flavour: str
    """What it is written for."""
    template: str
    """Where it lies: a file, or a folder."""
    folder: str
    """Where everything lies that it comes with."""
    files: tuple[tuple[str, str], ...]
    """The digest and the path of each of its own files."""

    @property
    def digest(self) -> str:
        """The digest of the first of its own files, as a sentence quotes it."""
        return f"{self.files[0][0][:12]}…"


def read_brief(task: str, folder: str) -> Brief | None:
    """Return what a task says; None where it does not say what kind of template this is."""
    flavour = re.search(r"^Flavour: (\S+)$", task, re.MULTILINE)
    template = re.search(r"^Template: (/.+)$", task, re.MULTILINE)
    files = tuple((match["sha256"], match["path"]) for match in _FILE.finditer(task))
    if not (flavour and template and files):
        return None
    return Brief(flavour[1], template[1].rstrip("/"), folder, files)


def prove_unchanged(bench: Bench, brief: Brief) -> CommandResult | None:
    """Prove that the template's own files are what was handed in, and that nothing beside them was changed."""
    listed = "\n".join(f"{sha256}  {path}" for sha256, path in brief.files)
    line = (
        f"printf '%s\\n' {shlex.quote(listed)} | sha256sum -c --strict - && "
        f'test -z "$(git -C {shlex.quote(brief.folder)} status --porcelain --untracked-files=no | tee /dev/stderr)"'
    )
    return bench.do(Step("finding the template as it was handed in", line, 120))


def free_port(bench: Bench) -> int:
    """Return a port of this machine that nobody listens on."""
    said = bench.look(_PORT).output.strip()
    return int(said) if said.isdigit() else 8765
