"""Looks around in the subject's folder and reads what explains it, page by page, as the recording shows."""

from __future__ import annotations

import re
import shlex

from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.projects import Project, read_metadata
from argusic.runs.agents.reporting import write_file

#: What reading leaves out, since the recording is published: addresses of package registries.
_LEFT_OUT = """\
s#[^][ ()<>"]*(npmjs|pypi|pythonhosted|debian|crates|rubygems)[.a-z-]*[.](org|com|io)[^][ ()<>"]*#(a registry)#g
"""
_READING = "without-registries.sed"
_ARCHIVE = re.compile(r"\.(whl|tar|tar\.\w+|tgz|txz|tbz2?|zip)$")
#: Lines of a file that one look shows.
_PAGE = 150
#: Lines of a file that are read at most.
_LINES = 1500
#: The files that say how a project is built and used.
_MANIFESTS = (
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "requirements.txt",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "Makefile",
    "PKG-INFO",
)
#: The names under which documentation explains the use of a project, and how many such files are read.
_GUIDE = re.compile(
    r"(?i)^(docs?/(source/)?)?(index|usage|quick-?start|getting[-_]?started|tutorial|examples?)\.(md|rst)$"
)
_GUIDES = 3


def look_around(bench: Bench, folder: str) -> Project:
    """Return what lies in `folder`: a published file that has to be unpacked to be read, or a project's own files."""
    ready_to_read(bench)
    names = names_in(bench, folder)
    archive = next((name for name in names if _ARCHIVE.search(name)), None)
    if archive is None or len(names) > 3:
        return _read_folder(bench, folder, None, names)
    handed = f"{folder}/{archive}"
    if archive.endswith(".whl"):
        return _read_wheel(bench, handed)
    unpack = "python3 -m zipfile -e" if archive.endswith(".zip") else "tar -xf"
    bench.look("mkdir -p ~/unpacked")
    where = "~/unpacked" if archive.endswith(".zip") else "-C ~/unpacked"
    bench.look(f"{unpack} {shlex.quote(handed)} {where}")
    inside = names_in(bench, "~/unpacked")
    top = f"~/unpacked/{inside[0]}" if len(inside) == 1 else "~/unpacked"
    return _read_folder(bench, top, handed, names_in(bench, top))


def _read_wheel(bench: Bench, handed: str) -> Project:
    bench.look(f"python3 -m zipfile -e {shlex.quote(handed)} ~/unpacked")
    texts = {}
    for name in ("METADATA", "entry_points.txt"):
        text = read_text(bench, f"~/unpacked/*.dist-info/{name}")
        if text:
            texts[name] = text
    description = read_metadata(texts).description
    return Project(folder="~/unpacked", handed=handed, files=(), texts=texts, documentation=(description,))


def _read_folder(bench: Bench, folder: str, handed: str | None, names: tuple[str, ...]) -> Project:
    readme = sorted((n for n in names if re.match(r"(?i)readme(\.(md|rst|txt|markdown))?$", n)), key=_by_weight)
    texts = {}
    for name in [*readme[:1], *(n for n in _MANIFESTS if n in names)]:
        if name == "PKG-INFO" and readme and "pyproject.toml" in texts:
            continue
        text = read_text(bench, f"{folder}/{shlex.quote(name)}")
        if text:
            texts[name] = text
    documentation = [texts[name] for name in readme[:1] if name in texts]
    if not documentation:
        documentation = [read_metadata(texts).description]
    if any(name in ("doc", "docs") for name in names):
        found = bench.look(f"cd {folder} && find doc docs -maxdepth 2 -name '*.md' -o -name '*.rst' 2> /dev/null")
        guides = [line for line in found.output.split() if _GUIDE.match(line)]
        documentation += [read_text(bench, f"{folder}/{shlex.quote(name)}") for name in guides[:_GUIDES]]
    return Project(folder=folder, handed=handed, files=names, texts=texts, documentation=tuple(documentation))


def ready_to_read(bench: Bench) -> None:
    """Lay out what reading leaves aside; `read_text` needs it."""
    bench.look(write_file(_READING, _LEFT_OUT))


def names_in(bench: Bench, folder: str) -> tuple[str, ...]:
    """Return the names at the top of a folder, but for git's own."""
    listed = bench.look(f"ls -1A {folder}")
    names = [line.strip() for line in listed.output.splitlines() if line.strip()]
    return tuple(name for name in names if name != ".git") if listed.ok else ()


def read_text(bench: Bench, path: str, lines: int = _LINES) -> str:
    """Return the text of a file, read in pages; empty where it cannot be read. `path` is as the shell takes it."""
    text = ""
    for first in range(1, lines, _PAGE):
        page = bench.look(f"sed -nE -f {_READING} -e '{first},{first + _PAGE - 1}p' {path}")
        if not page.ok:
            return text
        text += page.output
        if page.output.count("\n") < _PAGE:
            break
    return text


def _by_weight(name: str) -> tuple[int, str]:
    return ([".md", ".rst", ".markdown", ".txt", ""].index(re.sub(r"(?i)^readme", "", name).lower()), name)
