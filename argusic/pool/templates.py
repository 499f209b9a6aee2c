"""The files of a template in the commit that holds it: found, digested, proved. Nothing here is run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from argusic.errors import InputError
from argusic.pool import pip
from argusic.pool.archives import ArchiveUnusable, described
from argusic.pool.commits import ContentUnusable
from argusic.pool.fetching import Published
from argusic.pool.files import kept, patiently
from argusic.pool.flavours import FLAVOURS
from argusic.pool.git import Git, GitFailed, hardened
from argusic.pool.kinds.protocol import Workshop
from argusic.pool.published import published_commit, published_commit_id
from argusic.pool.registries import Wanted, wanted
from argusic.records.published import PublishedSource
from argusic.records.sources.cloud_template import EntryFile, Flavour

_LANGUAGES = {
    **{".yaml": "YAML", ".yml": "YAML", ".py": "Python"},
    **{".js": "JavaScript", ".mjs": "JavaScript", ".ts": "TypeScript"},
}
#: No template's own file is larger: the largest that a cloud takes has a megabyte.
MAX_ENTRY = 2_000_000


class Found(NamedTuple):
    """What holds a template, looked up."""

    name: str
    """Its public name."""
    url: str | None
    """Its git address, where it is a repository."""
    published: PublishedSource | None
    """The published archive, where it is one."""
    commit: str
    """Its commit."""
    cached: Path
    """The bare repository of that commit in the cache."""
    summary: str | None
    """What its metadata says it is."""
    licence: str | None
    """Its licence, where its metadata says it."""
    readme: bool | None
    """Whether it has documentation to follow."""
    notes: tuple[str, ...] = ()
    """What a user should know of it."""
    languages: tuple[str, ...] = ()
    """What it says it is written in."""
    heavy_by: str | None = None
    """Its host's own figure, where that makes it heavy."""
    pointers: int | None = None
    """How many of its files hold only a pointer of git LFS, where any do."""


def look_up_published(target: str, workshop: Workshop, pauses: tuple[float, ...]) -> Found | None:
    """Return the published archive that a user means by the name of a package; None where it is no such name.

    A Python package is taken as its source distribution: built files hold no more than the program itself.

    Raises:
        InputError: There is no such package or version, or its file makes no commit.
        SubjectUnavailable: The registry could not be reached.
    """
    asked = wanted(target)
    if asked is None:
        return None
    workshop.progress(f"looking up {target}")
    archive = patiently(lambda: _source_of(asked, workshop), pauses)
    file, sha256 = kept(archive.content, archive.file, workshop)
    try:
        says = described(file)
        if not says.name or not says.version or not asked.registry.client.same_name(says.name, asked.name):
            raise InputError(f"The published file of {target} does not say that it is {asked.name}.")
        ecosystem = asked.registry.ecosystem
        published = PublishedSource(
            ecosystem=ecosystem, name=says.name, version=says.version, file=archive.file, sha256=sha256
        )
        commit = published_commit_id(published, file)
    except (ArchiveUnusable, ContentUnusable, GitFailed) as error:
        raise InputError(f"The published file of {target} is unusable: {error}.") from error
    cached = published_commit(published, commit, workshop, pauses)
    return Found(
        name=says.name,
        url=None,
        published=published,
        commit=commit,
        cached=cached,
        summary=says.summary,
        licence=says.licence,
        languages=says.languages,
        readme=any(name.lower().startswith("readme") for name in _names(cached, commit)),
    )


def entry_files(cached: Path, commit: str, flavour: Flavour, path: str | None) -> tuple[EntryFile, ...]:
    """Return the own files of the template at `path` of a cached commit, digested.

    Raises:
        InputError: There is no template of that flavour there.
    """
    facts = FLAVOURS[flavour]
    front = f"{path}/" if path else ""
    where = path or "the top of its files"
    with hardened() as git:
        if not facts.entries:
            if path is None or (content := _content(git, cached, commit, path)) is None:
                raise InputError(
                    f"There is no file of a template at {where}.", advice="Name the file after its address: //PATH."
                )
            return (_entry(path, content),)
        found: list[EntryFile] = []
        first = b""
        for names in facts.entries:
            held = ((name, _content(git, cached, commit, f"{front}{name}")) for name in names)
            name, content = next(((n, c) for n, c in held if c is not None), (names[0], None))
            if content is None:
                raise InputError(
                    f"There is no {' or '.join(names)} in {where}.",
                    advice="Name the template's folder after its address: //PATH.",
                )
            first = first or content
            found.append(_entry(f"{front}{name}", content))
        starts = facts.main.search(first.decode("utf-8", "replace")) if facts.main else None
        main = f"{front}{starts['main']}" if starts else None
        if main is not None and (content := _content(git, cached, commit, main)) is not None:
            found.append(_entry(main, content))
    return tuple(found)


def languages_of(files: Iterable[EntryFile]) -> tuple[str, ...]:
    """Return what a template's own files are written in, as far as their names say; not what its settings are."""
    written = [_LANGUAGES.get(PurePosixPath(file.path).suffix) for file in files]
    return tuple(dict.fromkeys(language for language in written if language))


def wrong_entry(cached: Path, commit: str, files: Iterable[EntryFile]) -> str | None:
    """Return a sentence on the first file that is not what was pinned; None where all are."""
    with hardened() as git:
        for file in files:
            content = _content(git, cached, commit, file.path)
            if content is None:
                return f"the commit {commit} has no regular file {file.path} of at most {MAX_ENTRY} bytes"
            found = hashlib.sha256(content).hexdigest()
            if found != file.sha256:
                return f"{file.path} has sha256 {found}, but {file.sha256} was pinned"
    return None


def _entry(path: str, content: bytes) -> EntryFile:
    return EntryFile(path=path, sha256=hashlib.sha256(content).hexdigest())


def _content(git: Git, cached: Path, commit: str, path: str) -> bytes | None:
    """Return what a regular file of a commit holds; None where there is no such file, or it is too large."""
    listed = git.run("ls-tree", "-l", "-z", "--full-tree", commit, "--", f":(literal){path}", folder=cached)
    for row in listed.split(b"\0"):
        head, _, name = row.partition(b"\t")
        if name.decode("utf-8", "surrogateescape") != path:
            continue
        mode, _, blob, size = head.split()
        if mode not in (b"100644", b"100755") or int(size) > MAX_ENTRY:
            return None
        return git.run("cat-file", "blob", blob.decode("ascii"), folder=cached)
    return None


def _names(cached: Path, commit: str) -> list[str]:
    """Return the names at the top of a commit."""
    with hardened() as git:
        listed = git.run("ls-tree", "-z", "--name-only", commit, folder=cached)
    return [name.decode("utf-8", "replace") for name in listed.split(b"\0") if name]


def _source_of(asked: Wanted, workshop: Workshop) -> Published:
    """Fetch the archive that holds all that a package's owner published of it."""
    sandbox = workshop.sandbox()
    try:
        if asked.registry.ecosystem == "pypi":
            return pip.newest(sandbox, asked.name, asked.version, source=True)
        return asked.registry.client.newest(sandbox, asked.name, asked.version)
    finally:
        sandbox.destroy()
