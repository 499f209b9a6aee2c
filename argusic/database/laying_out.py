"""Laying out the files of a commit that nobody has approved, as data: nothing of it is run, on any way that git knows.

A checkout obeys what it checks out: attributes that re-code files as they are written, so that what is read is not what
would be merged, filters, links to other places, caches that the program believes. Here the files lie as the commit
holds them, in a folder of their own that has the objects of a trusted clone and nothing of its configuration.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from argusic.database.database import Database
from argusic.database.git import Git
from argusic.errors import Finding, InputError, Place

#: The largest file that is laid out: that of a pack of evidence, which is the largest that a repository has.
MOST_BYTES: Final = 50_000_000
#: The most bytes and files of a change; a cycle's results are far less.
MOST_BYTES_CHANGED: Final = 2_000_000_000
MOST_FILES_CHANGED: Final = 200_000
#: The most bytes of the list of a commit's files: some two million of them.
MOST_LISTED: Final = 400_000_000
#: The longest name of a file or folder, and of the whole path, in bytes.
MOST_NAME: Final = 255
MOST_PATH: Final = 1_000
#: Where the program keeps what it believes because it wrote it itself.
OWN_FOLDER: Final = ".argusic"
#: Overrides every attribute that files of the commit state: `!` leaves one unsaid, `-` says no.
_PLAIN = "* -text !eol -ident !filter !working-tree-encoding !diff !merge !whitespace\n"


class _File(NamedTuple):
    mode: str
    blob: str
    size: int


class Commit(Git):
    """A commit of a trusted clone, which is not checked out there."""

    def __init__(self, clone: Path, revision: str) -> None:
        super().__init__(clone)
        self.id = self.commit(revision)

    def parents(self) -> tuple[str, ...]:
        """Return the ids of the commits that it follows, in order."""
        return tuple(self._answer("rev-list", "--parents", "-n", "1", self.id).decode("ascii").split()[1:])

    def meeting_point(self) -> str:
        """Return the last commit that it has in common with what is checked out.

        Raises:
            InputError: There is none.
        """
        done = self._ask("merge-base", "HEAD", self.id)
        if done.returncode != 0:
            raise InputError(f"{self.id} has no commit in common with what is checked out.")
        return done.stdout.decode("ascii").strip()

    def unfit(self, base: str) -> Iterator[Finding]:
        """Yield why it cannot be laid out: it is too large, or poses as the program's own memory.

        Args:
            base: The commit before it, whose files are taken as they are.
        """
        before, size, changed = self._files(base), 0, 0
        try:
            files = self._files(self.id)
        except InputError as error:
            yield Finding(Place("."), error.what)
            return
        for path, file in files.items():
            if PurePosixPath(path).parts[0].casefold() == OWN_FOLDER:
                yield Finding(Place(path), f"lies in {OWN_FOLDER}/, which each checkout has of its own.")
            elif max(map(len, os.fsencode(path).split(b"/"))) > MOST_NAME or len(os.fsencode(path)) > MOST_PATH:
                yield Finding(Place(path), "has a longer name than a file can have everywhere.")
            elif file.size > MOST_BYTES:
                yield Finding(Place(path), f"has {file.size:,} bytes; a file has {MOST_BYTES:,} at most.")
            if before.get(path) != file:
                size, changed = size + file.size, changed + 1
        if size > MOST_BYTES_CHANGED or changed > MOST_FILES_CHANGED:
            most = f"{MOST_FILES_CHANGED:,} files and {MOST_BYTES_CHANGED:,} bytes"
            yield Finding(
                Place("."), f"{changed:,} files of {size:,} bytes changed; one pull request has {most} at most."
            )

    def lay_out(self, target: Path, *, cache: Path | None = None) -> Database:
        """Write its files into a folder that is not there yet, as a checkout that other questions can be asked of.

        Args:
            target: The folder.
            cache: Where records that were read are kept; by default in the folder.

        Raises:
            InputError: git cannot, in its words.
        """
        objects = self._line("rev-parse", "--path-format=absolute", "--git-path", "objects")
        shallow = Path(self._line("rev-parse", "--path-format=absolute", "--git-path", "shallow"))
        form = self._line("rev-parse", "--show-object-format")
        target.mkdir(parents=True)
        laid = _Laid(target)
        laid.begin(form)
        own = target / ".git"
        (own / "objects" / "info" / "alternates").write_bytes(os.fsencode(objects) + b"\n")
        (own / "info").mkdir(exist_ok=True)
        (own / "info" / "attributes").write_text(_PLAIN, encoding="ascii")
        if shallow.is_file():
            shutil.copyfile(shallow, own / "shallow")
        laid.check_out(self.id)
        if lacking := sorted(laid.differing()):
            raise InputError("could not be written as the commit holds it.", place=Place(lacking[0]))
        return Database(target, cache_folder=cache or own / "argusic-cache")

    def _line(self, *arguments: str) -> str:
        return os.fsdecode(self._answer(*arguments)).removesuffix("\n")

    def _files(self, commit: str) -> dict[str, _File]:
        found = {}
        for line in self._listed(commit).split(b"\0")[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, _, blob, size = facts.decode("ascii").split()
            found[os.fsdecode(path)] = _File(mode, blob, int(size) if size != "-" else 0)
        return found

    def _listed(self, commit: str) -> bytes:
        """Return git's list of its files, which a few folders that hold each other many times make endless.

        Raises:
            InputError: It is too long.
        """
        words = ("ls-tree", "-r", "-l", "-z", "--full-tree", commit)
        command, variables = self._called(*words, environment={})
        with subprocess.Popen(
            command, cwd=self.folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as asked:
            assert asked.stdout is not None
            listed = asked.stdout.read(MOST_LISTED + 1)
            asked.kill()
        if len(listed) > MOST_LISTED:
            raise InputError(f"the commit holds more files than {MOST_LISTED:,} bytes can name.")
        return listed


class _Laid(Git):
    """The folder that files are laid out in."""

    def begin(self, form: str) -> None:
        self._answer("init", "--quiet", "--template=", f"--object-format={form}")

    def check_out(self, commit: str) -> None:
        plain = ("-c", "core.symlinks=true", "-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null")
        self._answer(*plain, "checkout", "--quiet", "--detach", "--no-recurse-submodules", commit)
