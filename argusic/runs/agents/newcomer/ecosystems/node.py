"""Projects of the Node trade: npm, its scripts, and the commands that its manifest declares."""

from __future__ import annotations

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.projects import Project

#: What npm writes as the test script of a project that has none.
_NO_TESTS = "no test specified"


class NodeTrade:
    """Checkouts with a `package.json`."""

    def recognises(self, project: Project) -> bool:
        """Return whether it has a manifest of npm."""
        return bool(project.package_json)

    def install(self, bench: Bench, project: Project) -> Installed | None:
        """Install its dependencies, and build it where its manifest says how."""
        quiet = "--no-audit --no-fund --loglevel=error"
        verb = "ci" if "package-lock.json" in project.files else "install"
        if bench.do(Step("installing it with npm", f"npm {verb} {quiet}", 1800, project.folder)) is None:
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
            summary=str(manifest.get("description", "")),
            bare=("node", "npm", "npx"),
            tests=(Step("its test suite", "npm test", 1800, project.folder),) if runs_tests else (),
        )


def _links(bench: Bench, project: Project, declared: object, name: str) -> str:
    """Give its own commands a place on the path, as npm does for a package that is installed into a project."""
    bins = {name.rsplit("/", 1)[-1]: declared} if isinstance(declared, str) else declared
    if isinstance(bins, dict) and bins:
        bench.look("mkdir -p ~/bin")
        for program, file in bins.items():
            bench.look(f"ln -sf {project.folder}/{file} ~/bin/{program} && chmod +x {project.folder}/{file}")
    return "PATH=$PWD/node_modules/.bin:~/bin:$PATH"
