"""Projects of the Python trade: a virtual environment, pip, and what the distribution says it brought."""

from __future__ import annotations

import re
import shlex

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import PROJECT, Installed, begin_project
from argusic.runs.agents.newcomer.projects import Project

_PYTHON = "~/venv/bin/python"
_ACTIVATE = "source ~/venv/bin/activate"
_BUILDS = ("pyproject.toml", "setup.py", "setup.cfg")
#: What a distribution brought: its version, its commands and its modules, a line each.
_BROUGHT = """\
import os, sys
from importlib.metadata import distribution, distributions
it = distribution({name!r})
print("installed", it.metadata["Name"], it.version)
own = {{f.name for f in it.files or () if f.parent.name == "bin"}}
points = {{e.name for e in it.entry_points if e.group == "console_scripts"}}
known = {{f.name for d in distributions() for f in d.files or () if f.parent.name == "bin"}}
loose = {{n for n in os.listdir(os.path.dirname(sys.executable)) if n not in known}}
loose = {{n for n in loose if not n.lower().startswith(("python", "pip", "activate"))}}
print("commands", *sorted(own | points | loose))
print("modules", *sorted({{f.parts[0] for f in it.files or () if f.suffix in (".py", ".so")}}))
"""


class PythonTrade:
    """Wheels, source distributions, and checkouts with a `pyproject.toml` or `setup.py`, or with requirements alone."""

    def recognises(self, project: Project) -> bool:
        """Return whether pip can install it or its requirements."""
        if project.handed and project.package_json and "PKG-INFO" not in project.files:
            return False
        return "METADATA" in project.texts or any(
            name in project.files for name in (*_BUILDS, "requirements.txt", "PKG-INFO")
        )

    def install(self, bench: Bench, project: Project) -> Installed | None:
        """Install it into a virtual environment of its own, and ask there what it brought.

        A published file is installed from within an empty project, where what its README says is then done.
        """
        begun = begin_project(bench) if project.handed else ""
        if begun is None:
            return None
        made = bench.do(Step("making a virtual environment", "python3 -m venv ~/venv", 300))
        if made is None:
            return None
        bench.values["python"] = _PYTHON
        site = bench.look(f"{_PYTHON} -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))'")
        if site.ok:
            bench.values["site"] = shlex.quote(site.output.strip().splitlines()[-1])
        target = project.handed or project.folder
        if project.handed or any(name in project.files for name in _BUILDS):
            line = f"{_PYTHON} -m pip install -q {target}"
            if bench.do(Step("installing it with pip", line, 1800, PROJECT if begun else "")) is None:
                return None
            return self._brought(bench, project, begun)
        step = Step(
            "installing its requirements with pip", f"{_PYTHON} -m pip install -q -r {target}/requirements.txt", 1800
        )
        if bench.do(step) is None:
            return None
        return Installed(
            shows="The requirements that it lists were installed.",
            folder=project.folder,
            workspace=project.folder,
            before=_ACTIVATE,
            modules=tuple(name.removesuffix(".py") for name in project.files if name.endswith(".py")),
            summary=project.metadata.summary,
            bare=("python", "python3"),
            tests=_tests(project),
        )

    def _brought(self, bench: Bench, project: Project, begun: str) -> Installed | None:
        """Return what the installed distribution says of itself; None where there is no such distribution."""
        name = project.metadata.name or _only_new(bench)
        asked = bench.look(f"{_PYTHON} -c {shlex.quote(_BROUGHT.format(name=name))}")
        lines = {line.split(" ")[0]: line.split()[1:] for line in asked.output.splitlines() if line.strip()}
        if not asked.ok or len(lines.get("installed", [])) != 2:
            bench.do(Step("finding what was installed", f"{_PYTHON} -m pip show -q {shlex.quote(name)}", 60))
            return None
        public, version = lines["installed"]
        modules = tuple(
            part.split(".")[0]
            for part in lines.get("modules", [])
            if re.fullmatch(r"[A-Za-z_]\w*(\..*)?", part) and part.split(".")[0] not in ("tests", "test", "docs")
        )
        bench.own |= set(modules)
        if not begun:
            bench.look(f"mkdir -p {PROJECT}")
        place = f"{begun}, with a virtual environment of its own" if begun else "a virtual environment"
        return Installed(
            shows=f"{public} {version} was installed into {place}.",
            folder=PROJECT if begun else project.folder,
            workspace=PROJECT,
            before=_ACTIVATE,
            programs=tuple(lines.get("commands", [])),
            modules=modules,
            summary=project.metadata.summary,
            bare=("python", "python3"),
            tests=_tests(project),
        )


def _only_new(bench: Bench) -> str:
    """Return the name of what was installed for itself, where the project's files do not say it."""
    listed = bench.look(f"{_PYTHON} -m pip list --not-required --format=freeze")
    names = [line.split("==")[0] for line in listed.output.splitlines() if "==" in line]
    return next((name for name in names if name not in ("pip", "setuptools", "wheel")), "")


def _tests(project: Project) -> tuple[Step, ...]:
    """Return the step that runs its tests, where its files hold any."""
    folder = next((name for name in ("tests", "test") if name in project.files), None)
    alone = [name for name in project.files if re.fullmatch(r"test_\w+\.py|tests\.py", name)]
    if folder is None and not alone:
        return ()
    tools = " ".join(["pytest", *(shlex.quote(need) for need in project.metadata.test_requirements)])
    extra = next(
        (n for n in project.files if re.fullmatch(r"(test|dev)?-?requirements-?(test|tests|dev)?\.txt", n)), ""
    )
    listed = f" -r {extra}" if extra and extra != "requirements.txt" else ""
    where = folder or " ".join(alone)
    return (
        Step(
            "installing what its tests need",
            f"python -m pip install -q {tools}{listed}",
            1200,
            project.folder,
            _ACTIVATE,
        ),
        Step("its test suite", f"python -m pytest -q {where}", 1800, project.folder, _ACTIVATE),
    )
