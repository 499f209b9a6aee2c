"""Projects that are compiled in their folder: cargo, go and make."""

from __future__ import annotations

import re

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.projects import Project


class CargoTrade:
    """Checkouts with a `Cargo.toml`."""

    def recognises(self, project: Project) -> bool:
        """Return whether cargo builds it."""
        return "Cargo.toml" in project.files

    def install(self, bench: Bench, project: Project) -> Installed | None:
        """Build it."""
        if bench.do(Step("building it with cargo", "cargo build -q", 3000, project.folder)) is None:
            return None
        name = re.search(r'^name\s*=\s*"([\w-]+)"', project.texts.get("Cargo.toml", ""), re.MULTILINE)
        return Installed(
            shows="cargo built it.",
            folder=project.folder,
            workspace=project.folder,
            before="PATH=$PWD/target/debug:$PATH",
            programs=(name[1],) if name else (),
            bare=("cargo",),
            tests=(Step("its test suite", "cargo test -q", 3000, project.folder),),
        )


class GoTrade:
    """Checkouts with a `go.mod`."""

    def recognises(self, project: Project) -> bool:
        """Return whether go builds it."""
        return "go.mod" in project.files

    def install(self, bench: Bench, project: Project) -> Installed | None:
        """Build it, and leave its programs where `go build` leaves one: in its own folder."""
        build = "GOBIN=$PWD go install ./..."
        if bench.do(Step("building it with go", build, 3000, project.folder)) is None:
            return None
        return Installed(
            shows="go built it.",
            folder=project.folder,
            workspace=project.folder,
            before="PATH=$PWD:$PATH",
            programs=_made(bench, project.folder, "go.mod"),
            bare=("go",),
            tests=(Step("its test suite", "go test ./...", 3000, project.folder),),
        )


class MakeTrade:
    """Checkouts with a `configure` or a `Makefile`."""

    def recognises(self, project: Project) -> bool:
        """Return whether make builds it."""
        return any(name in project.files for name in ("Makefile", "makefile", "GNUmakefile", "configure"))

    def install(self, bench: Bench, project: Project) -> Installed | None:
        """Configure it where it has to be, and build it."""
        configure = Step("configuring it", "./configure", 900, project.folder)
        if "configure" in project.files and bench.do(configure) is None:
            return None
        if bench.do(Step("building it with make", "make", 3000, project.folder)) is None:
            return None
        target = next(
            (t for t in ("test", "check") if re.search(rf"^{t}\s*:", project.texts.get("Makefile", ""), re.MULTILINE)),
            None,
        )
        return Installed(
            shows="make built it.",
            folder=project.folder,
            workspace=project.folder,
            before="PATH=$PWD:$PATH",
            programs=_made(bench, project.folder, "Makefile"),
            bare=("make",),
            tests=(Step("its test suite", f"make {target}", 3000, project.folder),) if target else (),
        )


def _made(bench: Bench, folder: str, since: str) -> tuple[str, ...]:
    """Return the programs at the top of a folder that are newer than a file of it."""
    made = bench.look(f"find {folder} -maxdepth 1 -type f -perm -u+x -newer {folder}/{since}")
    return tuple(sorted(line.rsplit("/", 1)[-1] for line in made.output.split())) if made.ok else ()
