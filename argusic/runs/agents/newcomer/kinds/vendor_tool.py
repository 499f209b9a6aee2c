"""The newcomer's way with a vendor's tool: a package as its users install it, and a build that is only unpacked.

What a registry has is installed by the registry's client. A package of Debian cannot be installed where the system's
folders cannot be written to: it is unpacked into the home folder, which is said. So is an archive; a program that
comes as one file is run as it is, and a script that installs is let do so.
"""

from __future__ import annotations

import re
import shlex

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.looking import look_around, read_text, ready_to_read
from argusic.runs.agents.newcomer.manuals import as_document
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.newcomer.working import launch_and_verify, work_on_project
from argusic.runs.session import Mission

_TOOL = "~/tool"
_ARCHIVE = re.compile(r"\.(whl|tar|tar\.\w+|tgz|txz|tbz2?|zip)$")
_INSTALLER = re.compile(r"(?i)^(install|setup)[\w.-]*\.(sh|bash)$")
#: What stands in the names of files behind a program's own: version, system, processor.
_BEHIND = re.compile(r"(?i)[-_.]v?\d.*$|[-_.](linux|x86_64|amd64|x64|gnu|musl|static|bin|sh|bash)\b.*$")
#: Documents of a tool that are read at most.
_MOST = 4


def work(bench: Bench, mission: Mission) -> None:
    """Install and launch the build that was handed in."""
    bench.session.note("reading")
    listed = bench.look(f"ls -1A {mission.subject_folder}")
    names = [line.strip() for line in listed.output.splitlines() if line.strip()]
    handed = f"{mission.subject_folder}/{names[0]}" if len(names) == 1 else ""
    if handed.endswith(".deb"):
        _work_on_deb(bench, handed)
    elif not handed or not _ARCHIVE.search(handed):
        _work_on_program(bench, handed or mission.subject_folder, names[0] if names else "")
    else:
        project = look_around(bench, mission.subject_folder)
        if project.package_json or project.metadata.version:
            work_on_project(bench, mission.subject_folder, project)
        else:
            _work_on_unpacked(bench, project, handed)


def _work_on_deb(bench: Bench, handed: str) -> None:
    """Unpack a package of Debian, and use what it brings where it lies."""
    file = shlex.quote(handed)
    asked = bench.look(f"dpkg-deb --showformat='${{Package}} ${{Version}}\\n${{binary:Summary}}\\n' --show {file}")
    first, _, summary = asked.output.strip().partition("\n")
    bench.session.note("installing")
    if bench.do(Step("unpacking the package", f"dpkg-deb -x {file} {_TOOL}", 300)) is None:
        return
    bench.look(f"cd {_TOOL} && find usr/share/doc usr/share/man -name '*.gz' -exec gunzip -f '{{}}' + 2> /dev/null")
    programs = _programs(bench, _TOOL, "bin sbin usr/bin usr/sbin usr/games")
    shows = f"{first} was unpacked into the home folder with dpkg-deb: the system's own folders take no package here."
    bench.look("mkdir -p ~/project")
    project = Project(_TOOL, handed, (), {}, _explained(bench, tuple(one.rpartition("/")[2] for one in programs)))
    launch_and_verify(bench, project, _as_installed(bench, shows, programs, summary.strip()))


def _explained(bench: Bench, programs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the documentation of an unpacked package: its READMEs, and the manual pages of its programs."""
    ready_to_read(bench)
    guides = bench.look(f"cd {_TOOL} && find usr/share/doc -maxdepth 3 -type f -iname 'readme*' 2> /dev/null | sort")
    pages = bench.look(f"cd {_TOOL} && find usr/share/man/man[168] -type f 2> /dev/null | sort")
    documents = [read_text(bench, f"{_TOOL}/{shlex.quote(name)}") for name in _lines(guides.output)[:_MOST]]
    wanted = [name for name in _lines(pages.output) if name.rpartition("/")[2].rpartition(".")[0] in programs]
    return (*documents, *(as_document(read_text(bench, f"{_TOOL}/{shlex.quote(name)}")) for name in wanted[:_MOST]))


def _work_on_unpacked(bench: Bench, project: Project, handed: str) -> None:
    """Use a build that came as an archive where it was unpacked."""
    bench.session.note("installing")
    programs = _programs(bench, project.folder, ". bin usr/bin */bin")
    if not programs:
        # There is none yet: what came is its source, or is run by an interpreter.
        work_on_project(bench, project.folder, project)
        return
    bench.look("mkdir -p ~/project")
    shows = f"{handed.rpartition('/')[2]} was unpacked into the home folder, with {len(programs)} programs in it."
    launch_and_verify(bench, project, _as_installed(bench, shows, programs, ""))


def _work_on_program(bench: Bench, handed: str, name: str) -> None:
    """Use a program that is one file, or let a script that installs do so."""
    file = shlex.quote(handed)
    bench.session.note("installing")
    bench.look("mkdir -p ~/project ~/bin && touch ~/project/.begun")
    if _INSTALLER.match(name):
        if bench.do(Step("running the vendor's installer", f"sh {file} < /dev/null", 1800, "~/project")) is None:
            return
        made = bench.look("find ~ -newer ~/project/.begun -type f -perm -u+x -path '*bin/*' | head -n 20")
        programs, shows = tuple(_lines(made.output)), f"{name} ran to its end."
    else:
        plain = _BEHIND.sub("", name) or "tool"
        put = Step("making it a program", f"install -m 755 {file} ~/bin/{shlex.quote(plain)}", 60)
        if bench.do(put) is None:
            return
        programs = tuple(one for one in _programs(bench, "~", "bin") if one.endswith(f"/{plain}"))
        shows = f"{name} was put into the home folder as a program."
    project = Project("~/project", handed, (), {}, ())
    launch_and_verify(bench, project, _as_installed(bench, shows, programs, ""))


def _programs(bench: Bench, folder: str, places: str) -> tuple[str, ...]:
    """Return the programs in some places of a folder, by their whole paths."""
    found = bench.look(
        f"cd {folder} && for d in {places}; do "
        '[ -d "$d" ] && find "$PWD/$d" -maxdepth 1 ! -type d -perm -u+x ! -name "*.so*"; done | sort -u'
    )
    return tuple(line for line in _lines(found.output) if re.fullmatch(r"/[\w./+~@-]+", line))


def _as_installed(bench: Bench, shows: str, programs: tuple[str, ...], summary: str) -> Installed:
    """Return what was unpacked as something installed: its programs on the path, its libraries where they are found."""
    folders = dict.fromkeys(program.rpartition("/")[0] for program in programs)
    path = ":".join([*map(shlex.quote, folders), "$PATH"])
    libraries = bench.look(
        f"find {_TOOL}/usr/lib {_TOOL}/lib -name '*.so*' 2> /dev/null | xargs -r -n 1 dirname | sort -u"
    )
    sought = ":".join(line for line in _lines(libraries.output) if line.startswith("/"))
    before = f"export PATH={path}" + (f" LD_LIBRARY_PATH={shlex.quote(sought)}" if sought else "")
    names = tuple(program.rpartition("/")[2] for program in programs)
    return Installed(shows, "~/project", "~/project", before, names, summary=summary)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
