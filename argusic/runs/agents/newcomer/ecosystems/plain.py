"""Projects that ask for no installation: files that are run where they lie."""

from __future__ import annotations

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.projects import Project

_SCRIPTS = (".py", ".sh", ".js", ".mjs")


class PlainTrade:
    """Checkouts without any manifest, with scripts at their top."""

    def recognises(self, project: Project) -> bool:
        """Return whether there is a script to run."""
        return any(name.endswith(_SCRIPTS) for name in project.files)

    def install(self, bench: Bench, project: Project) -> Installed | None:
        """Make a virtual environment for what its scripts may lack; nothing else is asked for."""
        if bench.do(Step("making a virtual environment", "python3 -m venv ~/venv", 300)) is None:
            return None
        bench.values["python"] = "~/venv/bin/python"
        bench.own |= {name.removesuffix(".py") for name in project.files if name.endswith(".py")}
        return Installed(
            shows="It has no manifest that asks for an installation: its scripts are run where they lie.",
            folder=project.folder,
            workspace=project.folder,
            before="source ~/venv/bin/activate",
            programs=tuple(name for name in project.files if name.endswith(_SCRIPTS)),
            modules=tuple(name.removesuffix(".py") for name in project.files if name.endswith(".py")),
            bare=("python", "python3", "node", "bash", "sh"),
        )
