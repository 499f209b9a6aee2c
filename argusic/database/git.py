"""The few questions that the database asks git, asked so that a hostile checkout cannot run anything.

Hooks, file system monitors, external diffs, text converters and filters of the repository's configuration are
turned off, no transport is allowed, no submodule is entered, no index is refreshed on the side, and every name is
passed and read NUL-separated.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from argusic.errors import EnvironmentLack, InputError

_HARMLESS = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.quotePath=false",
    "-c", "core.pager=cat",
    "-c", "diff.external=",
    "-c", "protocol.allow=never",
    "-c", "submodule.recurse=false",
)  # fmt: skip


#: What a filter's configuration may name that git would run.
_FILTER_KEYS = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))

_PERSON = ("name", "email")


class TreeEntry(NamedTuple):
    """A tracked path: its file mode (`100644`), its blob id, and whether git may not know its
    content: it was told not to look, or a merge left several."""

    path: str
    mode: str
    blob: str
    unwatched: bool


@dataclass(frozen=True)
class Change:
    """One path that differs between two states: `A` added, `M` edited, `D` deleted, `T` made another type."""

    status: str
    path: PurePosixPath


@dataclass(frozen=True)
class Revision:
    """One commit that changed a file: its id, when it was made, and its subject."""

    commit: str
    at: str
    subject: str


class Git:
    """The git repository that a database lies in, seen from the database's top folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def around(cls, folder: Path) -> Git | None:
        """Return the repository whose work tree `folder` lies in; None where there is none that git trusts."""
        git = cls(folder)
        try:
            done = git._ask("rev-parse", "--is-inside-work-tree")
        except EnvironmentLack:
            return None
        return git if done.returncode == 0 and done.stdout.strip() == b"true" else None

    @classmethod
    def required_around(cls, folder: Path) -> Git:
        """Return the repository whose work tree `folder` lies in.

        Raises:
            InputError: There is none, or none that git trusts; in git's words.
        """
        git = cls(folder)
        if git._answer("rev-parse", "--is-inside-work-tree").strip() != b"true":
            raise InputError(f"{folder} is not in the work tree of a git repository.")
        return git

    def tracked(self, *under: str) -> list[TreeEntry]:
        """Return the index's entries below the given folders, sorted by path."""
        lines = os.fsdecode(self._answer("ls-files", "-z", "-s", "-v", "--", *under)).split("\0")
        entries = []
        for line in lines[:-1]:
            facts, _, path = line.partition("\t")
            tag, mode, blob, _ = facts.split(" ")
            entries.append(TreeEntry(path, mode, blob, tag != "H"))
        return entries

    def differing(self, *under: str) -> set[str]:
        """Return the tracked paths whose file was edited or removed since it entered the index."""
        return self._names("ls-files", "-z", "-m", "-d", "--", *under)

    def untracked(self, *under: str) -> set[str]:
        """Return the files that git does not track, the ignored ones included; a trailing `/` is a folder
        that is a repository of its own."""
        return self._names("ls-files", "-z", "-o", "--", *under)

    def commit(self, revision: str) -> str:
        """Return the full id of the commit that `revision` names.

        Raises:
            InputError: There is no such commit.
        """
        if revision.startswith("-"):
            raise InputError(f"{revision!r} names no commit.")
        done = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if done.returncode != 0:
            raise InputError(f"{revision!r} names no commit of this repository.")
        return done.stdout.decode("ascii").strip()

    def descends_from(self, commit: str) -> bool:
        """Return whether `commit` is what is checked out or came before it."""
        return self._ask("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0

    def head(self) -> str | None:
        """Return the full id of the commit that is checked out; None before the first."""
        try:
            return self.commit("HEAD")
        except InputError:
            return None

    def origin(self) -> str | None:
        """Return the address that the repository was cloned from and is pushed to; None where it has none."""
        return self.address("origin")

    def address(self, remote: str) -> str | None:
        """Return the address of a remote, by its name; None where there is no such remote."""
        done = self._ask("config", "--get", f"remote.{remote}.url")
        return done.stdout.decode("utf-8", "replace").strip() or None

    def person(self) -> tuple[str, str] | None:
        """Return the name and the mail address that commits made here bear; None where none are set."""
        said = [self._ask("config", "--get", f"user.{what}").stdout.decode("utf-8", "replace") for what in _PERSON]
        name, address = (" ".join(one.split()) for one in said)
        return (name, address) if name and address else None

    def is_dirty(self) -> bool:
        """Return whether the work tree differs from its commit, new files included."""
        return bool(self._answer("status", "--porcelain", "-z", "--ignore-submodules=dirty", "--", "."))

    def show(self, commit: str, path: PurePosixPath) -> bytes | None:
        """Return the bytes of `path` in `commit`; None where the commit has no such file."""
        done = self._ask("cat-file", "blob", f"{commit}:./{path}")
        return done.stdout if done.returncode == 0 else None

    def holds_any(self, commit: str, folder: PurePosixPath) -> bool:
        """Return whether `commit` has any file below `folder`."""
        return bool(self._ask("ls-tree", "-z", "--name-only", commit, "--", f"{folder}/").stdout)

    def names(self, commit: str, folder: PurePosixPath) -> list[str]:
        """Return the names of what lies directly in `folder` in `commit`; none where it has no such folder."""
        done = self._ask("ls-tree", "-z", "--name-only", commit, "--", f"{folder}/")
        return [PurePosixPath(os.fsdecode(name)).name for name in done.stdout.split(b"\0") if name]

    def containing(self, pattern: str, *under: str) -> list[str]:
        """Return the text files below some folders, new ones included, that a line of matches an extended pattern."""
        options = ("-z", "-l", "-I", "-E", "--untracked", "--no-exclude-standard", "--no-textconv")
        done = self._ask("grep", *options, "-e", pattern, "--", *under)  # It says 1 where there is nothing.
        return sorted(os.fsdecode(name) for name in done.stdout.split(b"\0") if name)

    def history(self, path: PurePosixPath) -> list[Revision]:
        """Return the commits that changed the file at `path`, the latest first."""
        done = self._ask("log", "-z", "--format=%H%x01%cI%x01%s", "--no-show-signature", "HEAD", "--", str(path))
        lines = done.stdout.decode("utf-8", "replace").split("\0") if done.returncode == 0 else []
        return [Revision(*line.split("\x01", 2)) for line in lines if line]

    def changes(self, commit: str, *under: str, new: bool = True) -> list[Change]:
        """Return what differs between `commit` and the files as they lie there now.

        A rename is a deletion and an addition.

        Args:
            commit: The commit.
            under: The folders that are looked at; everything where none is named.
            new: Whether files that git does not track, the ignored ones included, are added ones.
        """
        fields = self._answer(
            "diff", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty",
            "--name-status", "-z", commit, "--", *under,
        ).split(b"\0")  # fmt: skip
        found = [
            Change(status.decode("ascii")[0], PurePosixPath(os.fsdecode(path)))
            for status, path in zip(fields[0::2], fields[1::2], strict=False)
            if path
        ]
        seen = {str(change.path) for change in found}
        if new:
            found += [Change("A", PurePosixPath(path)) for path in self.untracked(*under) if path not in seen]
        return sorted(found, key=lambda change: str(change.path))

    def _names(self, *arguments: str) -> set[str]:
        return {os.fsdecode(name) for name in self._answer(*arguments).split(b"\0") if name}

    def _answer(self, *arguments: str) -> bytes:
        done = self._ask(*arguments)
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            verb = arguments[2 * arguments.count("-c")]  # Settings come first, each in two words.
            raise InputError(f"git {verb} failed: {said[0] if said else 'it said nothing'}.")
        return done.stdout

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return self._run(*arguments, environment=self._no_filters)

    @cached_property
    def _no_filters(self) -> dict[str, str]:
        """The environment that turns off every filter that the configuration names, which git would run on each
        file whose content it looks at. Given by the environment because a filter's name may hold any character.
        """
        listed = self._run("config", "-z", "--name-only", "--get-regexp", r"^filter\.", environment={})
        names = {os.fsdecode(key).rpartition(".")[0] for key in listed.stdout.split(b"\0") if key}
        settings = [(f"{name}.{key}", value) for name in sorted(names) for key, value in _FILTER_KEYS]
        environment = {"GIT_CONFIG_COUNT": str(len(settings))}
        for number, (key, value) in enumerate(settings):
            environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return environment

    def _run(self, *arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
        command, variables = self._called(*arguments, environment=environment)
        try:
            return subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, check=False)
        except FileNotFoundError:
            raise EnvironmentLack("git is not installed.", advice="Install git.") from None

    def _called(self, *arguments: str, environment: dict[str, str]) -> tuple[list[str], dict[str, str]]:
        """Return the command and the environment that ask git something."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        # The environment's word on transports is stronger than any that the repository's configuration has.
        ours = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
        command = ["git", "--no-pager", "--literal-pathspecs", *_HARMLESS, *arguments]
        return command, {**kept, **ours, **environment}
