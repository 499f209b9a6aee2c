"""Projects of the Node trade: npm, its scripts, and the commands that a manifest declares."""

from __future__ import annotations

import re
import shlex

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import PROJECT, Installed, begin_project
from argusic.runs.agents.newcomer.projects import Project

#: What npm writes as the test script of a project that has none.
_NO_TESTS = "no test specified"
_QUIET = "--no-audit --no-fund --no-progress --loglevel=error"
_NAME = re.compile(r"(@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*")
#: What a package brought: its version and its commands, a line each.
_BROUGHT = """\
const it = JSON.parse(require("fs").readFileSync("node_modules/{name}/package.json"));
const bin = typeof it.bin === "string" ? [it.name.split("/").pop()] : Object.keys(it.bin || {{}});
console.log("installed", it.name, it.version);
console.log("commands", ...bin);
"""


class NodeTrade:
    """Archives of npm, and checkouts with a `package.json`."""

    def recognises(self, project: Project) -> bool:
        """Return whether it has a manifest of npm."""
        return bool(project.package_json)

    def install(self, bench: Bench, project: Project) -> Installed | None:
        """Install an archive into an empty project; in a checkout, install what it depends on and build it."""
        return _installed_archive(bench, project) if project.handed else _prepared_checkout(bench, project)


def _installed_archive(bench: Bench, project: Project) -> Installed | None:
    """Install the archive as its users do, and ask there what it brought."""
    name = str(project.package_json.get("name", ""))
    begun = begin_project(bench)
    begin = Step("giving the project a manifest", "npm init -y --no-progress > /dev/null", 60, PROJECT)
    if begun is None or bench.do(begin) is None:
        return None
    install = Step("installing it with npm", f"npm install {_QUIET} {project.handed}", 1800, PROJECT)
    if bench.do(install) is None:
        return None
    found = "node_modules" if not _NAME.fullmatch(name) else name
    asked = bench.look(f"cd {PROJECT} && node -e {shlex.quote(_BROUGHT.format(name=found))}")
    lines = {line.split(" ")[0]: line.split()[1:] for line in asked.output.splitlines() if line.strip()}
    if not asked.ok or len(lines.get("installed", [])) != 2:
        bench.do(
            Step(
                "finding what was installed",
                f"npm ls --no-progress --loglevel=error {shlex.quote(name)}",
                60,
                PROJECT,
            )
        )
        return None
    public, version = lines["installed"]
    return Installed(
        shows=f"{public} {version} was installed into {begun}.",
        folder=PROJECT,
        workspace=PROJECT,
        before=f"PATH={PROJECT}/node_modules/.bin:$PATH",
        programs=tuple(lines.get("commands", [])),
        packages=(public,),
        summary=_summary(project),
        # What its documentation says of `npm start` is about another project than the empty one.
        bare=("node", "npx"),
    )


def _prepared_checkout(bench: Bench, project: Project) -> Installed | None:
    verb = "ci" if "package-lock.json" in project.files else "install"
    if bench.do(Step("installing it with npm", f"npm {verb} {_QUIET}", 1800, project.folder)) is None:
        return None
    manifest = project.package_json
    scripts = manifest.get("scripts", {})
    if "build" in scripts and bench.do(Step("building it", "npm run -s build", 1800, project.folder)) is None:
        return None
    name = str(manifest.get("name", "it"))
    declared = manifest.get("bin", {})
    programs = (name.rsplit("/", 1)[-1],) if isinstance(declared, str) else tuple(declared)
    runs_tests = "test" in scripts and _NO_TESTS not in str(scripts["test"])
    return Installed(
        shows=f"npm installed what {name} {manifest.get('version', '')} needs.".replace("  ", " "),
        folder=project.folder,
        workspace=project.folder,
        before=_links(bench, project, declared, name),
        programs=programs,
        packages=(name,),
        summary=_summary(project),
        bare=("node", "npm", "npx"),
        tests=(Step("its test suite", "npm test -s", 1800, project.folder),) if runs_tests else (),
    )


def _summary(project: Project) -> str:
    """Return what its manifest says it is: its description and its keywords."""
    manifest = project.package_json
    words = manifest.get("keywords")
    listed = ", ".join(word for word in words if isinstance(word, str)) if isinstance(words, list) else ""
    return " ".join(filter(None, [str(manifest.get("description", "")), f"({listed})" if listed else ""]))


def _links(bench: Bench, project: Project, declared: object, name: str) -> str:
    """Give its own commands a place on the path, as npm does for a package that is installed into a project."""
    bins = {name.rsplit("/", 1)[-1]: declared} if isinstance(declared, str) else declared
    if isinstance(bins, dict) and bins:
        bench.look("mkdir -p ~/bin")
        for program, file in bins.items():
            path = f"{project.folder}/{shlex.quote(str(file))}"
            bench.look(f"ln -sf {path} ~/bin/{shlex.quote(program)} && chmod +x {path}")
    return "PATH=$PWD/node_modules/.bin:~/bin:$PATH"
