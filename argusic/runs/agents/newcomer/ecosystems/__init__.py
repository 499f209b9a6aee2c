"""The trades a project can be of: how each installs, what it leaves, how its tests run. One module each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.projects import Project


@dataclass(frozen=True)
class Installed:
    """An installed project.

    Attributes:
        shows: What showed that it is installed, in a sentence.
        folder: Where its commands run.
        workspace: Where its examples run: for a project that is imported from elsewhere, a folder of the user's own.
        before: What has to be said to the shell before them.
        programs: The commands that it brought.
        modules: The Python modules that it brought.
        packages: The Node packages that it brought.
        summary: What it says it is, in a few words.
        bare: Programs of the trade that documented commands may begin with, such as `python` or `npm`.
        tests: Steps that run its test suite, the best first.
    """

    shows: str
    folder: str
    workspace: str
    before: str = ""
    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    summary: str = ""
    bare: tuple[str, ...] = ()
    tests: tuple[Step, ...] = ()


#: The folder of the user's own that a published package is installed into.
PROJECT = "~/project"


def begin_project(bench: Bench) -> str | None:
    """Begin a project of the user's own, as whoever installs a published package does; return what to call it.

    None where there can be no such folder.
    """
    begun = bench.do(Step("beginning an empty project", f"mkdir -p {PROJECT} && ls -A {PROJECT}", 10))
    if begun is None:
        return None
    return "a project that is not empty" if begun.output.strip() else "an empty project"


class Ecosystem(Protocol):
    """One trade."""

    def recognises(self, project: Project) -> bool:
        """Return whether the project is of this trade."""

    def install(self, bench: Bench, project: Project) -> Installed | None:
        """Install the project; None where that kept failing."""
