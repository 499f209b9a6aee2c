"""Putting files on a branch of the remote: one commit, never by force, whoever else pushes at the same time.

The checkout is only asked where its remote lies. The commit is made in a repository of its own, in a folder that goes
away, so no hook, filter, attribute or setting of the checkout has a say, and its index and branches stay as they are.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.database import Database
from argusic.database.faults import fault_point
from argusic.database.git import Git as OwnGit
from argusic.errors import EnvironmentLack, InputError
from argusic.evidence.stores.github_token import TOKENS, token_of
from argusic.evidence.stores.patience import AskAgain, Patience
from argusic.github.remotes import address_of, authorised, local_of, without_names
from argusic.github.tree import Changed, changed, must_lie_well
from argusic.pool.git import Bounds, Git, GitFailed, GitTookTooLong, hardened

#: How often others may come first, and the most seconds between two tries.
MOST_RACES: Final = 40
_LONGEST_WAIT: Final = 2.0
_BOUNDS: Final = Bounds(seconds=300)
#: What our scratch repository calls the remote, and where the tip of the branch is kept in it.
_THERE: Final = "there"
_TIP: Final = "refs/fetched/tip"
#: Whose the commits are that nobody on this machine has a name for.
_ARGUSIC: Final = ("Argusic", "argusic@localhost")
_ACTIONS: Final = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")

_NO_SUCH_BRANCH: Final = re.compile(r"couldn't find remote ref", re.IGNORECASE)
_RACE_LOST: Final = re.compile(
    r"\[rejected\]|fetch first|non-fast-forward|stale info|cannot lock ref|failed to (update|lock) ref|failed to lock"
    r"|incorrect old value|reference already exists",
    re.IGNORECASE,
)
_NOT_ALLOWED: Final = re.compile(
    r"authentication failed|could not read (username|password)|returned error: 40[13]|permission (to .* )?denied"
    r"|write access .* not granted",
    re.IGNORECASE,
)
_NOT_THERE: Final = re.compile(
    r"repository .*not found|returned error: 404|does not appear to be a git repository|does not exist", re.IGNORECASE
)
_NOT_TAKEN: Final = re.compile(r"\[remote rejected\]", re.IGNORECASE)


class _RaceLost(Exception):
    """Somebody else came first."""


def push_files(
    clone: Path,
    branch: str,
    files: Mapping[PurePosixPath, Path | bytes | None],
    message: str,
    *,
    onto: str = "main",
    remote: str = "origin",
    replace: bool = False,
    environment: Mapping[str, str],
    patience: Patience | None = None,
) -> str | None:
    """Put files on a branch of the remote with one commit, beside what others put there at the same time.

    Args:
        clone: A checkout, which is asked for the remote's address and is not changed.
        branch: The branch; it begins at the remote's branch `onto` where it is not there.
        files: What each path holds: bytes, or a file to be read; None where it is to be removed.
        message: The commit's message.
        onto: Where a new branch begins.
        remote: The remote's name.
        replace: Whether a file that is there with another content may be replaced, or removed.
        environment: Where a token may be.
        patience: How often the remote is asked again when it does not answer.

    Returns:
        The commit; None where the branch holds all of it already.

    Raises:
        InputError: A path may not be in a repository, or is there with another content; there is no branch to begin at.
        EnvironmentLack: The remote cannot be reached, does not take it, or others came first too often.
    """
    must_lie_well(files)
    asked = patience or Patience()
    address = address_of(Database(clone), remote)
    local = local_of(address)
    if local is not None and not local.exists():
        raise EnvironmentLack(f"the remote {remote!r} is not there: {local}.")
    try:
        with (
            tempfile.TemporaryDirectory(prefix="argusic-pushing-") as name,
            hardened(local=local, bounds=_BOUNDS) as git,
        ):
            folder = Path(name)
            there = _There(git, folder, remote, _settings(address, environment), token_of(environment), asked)
            there.begin(branch, onto)
            blobs = there.keep(files)
            person = _person(clone, environment)
            made, unsure = None, False
            for turn in range(MOST_RACES):
                tip = there.fetch(branch, onto)
                difference = changed(there.listed(tip), blobs, replace=replace, branch=branch)
                if not difference:
                    return made if unsure and made and there.holds(branch, made) else None
                made = there.commit(tip, difference, message, person)
                fault_point("commit-made")
                try:
                    there.push(made, branch)
                except _RaceLost:
                    # It may have come first itself, by a push whose answer was lost.
                    unsure = True
                    asked.sleep(random.uniform(0, min(_LONGEST_WAIT, 0.05 * 2**turn)))
                    continue
                fault_point("commit-pushed")
                return made
    except GitTookTooLong as failed:
        raise EnvironmentLack(f"git came to {failed.said} on this machine; nothing was pushed.") from None
    raise EnvironmentLack(f"others wrote to {branch} first, {MOST_RACES} times; nothing was pushed, try again later.")


@dataclass(frozen=True)
class _There:
    """The remote, and the scratch repository that commits for it are made in."""

    git: Git
    folder: Path
    remote: str
    settings: Mapping[str, str]
    token: str | None
    patience: Patience

    def begin(self, *branches: str) -> None:
        self.git.run("init", "--quiet", "--bare", ".", folder=self.folder)
        for branch in branches:
            if not self.git.answers("check-ref-format", f"refs/heads/{branch}", folder=self.folder):
                raise InputError(f"{branch!r} is no name of a branch.")

    def keep(self, files: Mapping[PurePosixPath, Path | bytes | None]) -> dict[str, str | None]:
        """Keep what is to be put there, byte for byte, and return each path's blob."""
        blobs: dict[str, str | None] = {}
        for path, content in files.items():
            if content is None:
                blobs[str(path)] = None
                continue
            if isinstance(content, Path):
                if content.is_symlink() or not content.is_file():
                    raise InputError(f"{content} is no plain file.")
                content = content.read_bytes()
            done = self.git.run("hash-object", "-w", "--no-filters", "--stdin", folder=self.folder, stdin=content)
            blobs[str(path)] = done.decode("ascii").strip()
        return blobs

    def fetch(self, branch: str, onto: str) -> str:
        """Bring the tip of the branch, or of where it begins, without the files' content."""
        for wanted in dict.fromkeys((branch, onto)):
            refs = f"+refs/heads/{wanted}:{_TIP}"
            options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", "--filter=blob:none")
            try:
                self._ask("fetch", *options, _THERE, refs)
            except _NoSuchBranch:
                continue
            return self.git.run("rev-parse", "--verify", f"{_TIP}^{{commit}}", folder=self.folder).decode().strip()
        raise InputError(f"the remote {self.remote!r} has no branch {onto}, so none can begin there.")

    def listed(self, commit: str) -> bytes:
        return self.git.run("ls-tree", "-r", "-z", "--full-tree", commit, folder=self.folder)

    def commit(self, tip: str, difference: Changed, message: str, person: tuple[str, str]) -> str:
        run = self.git.run
        run("read-tree", tip, folder=self.folder)
        run("update-index", "-z", "--index-info", folder=self.folder, stdin=difference.index_info())
        # What the remote has need not be here.
        tree = run("write-tree", "--missing-ok", folder=self.folder).decode("ascii").strip()
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in zip(("NAME", "EMAIL"), person, strict=True)
        }
        given = message.encode("utf-8")
        made = run("commit-tree", tree, "-p", tip, "-F", "-", folder=self.folder, stdin=given, environment=who)
        return made.decode("ascii").strip()

    def push(self, commit: str, branch: str) -> None:
        # Not thin: it would be made against the content of what it replaces, which was not brought.
        self._ask("push", "--quiet", "--no-verify", "--no-thin", _THERE, f"{commit}:refs/heads/{branch}")

    def holds(self, branch: str, commit: str) -> bool:
        """Return whether the branch has a commit of ours; asked only where an answer was lost."""
        self._ask("fetch", "--quiet", "--no-tags", "--deepen=200", _THERE, f"+refs/heads/{branch}:{_TIP}")
        return self.git.answers("merge-base", "--is-ancestor", commit, _TIP, folder=self.folder)

    def _ask(self, *arguments: str) -> None:
        def asked() -> None:
            try:
                self.git.run(*arguments, folder=self.folder, environment=self.settings)
            except GitTookTooLong as failed:
                raise EnvironmentLack(f"the remote {self.remote!r} came to {failed.said}.") from None
            except GitFailed as failed:
                raise self._meant(failed.said) from None

        self.patience.ask(asked)

    def _meant(self, said: str) -> Exception:
        """Return what git's words come to."""
        told = without_names(said.replace(self.token, "***") if self.token else said).rstrip(".")
        it = f"the remote {self.remote!r}"
        if _NO_SUCH_BRANCH.search(said):
            return _NoSuchBranch()
        if _RACE_LOST.search(said):
            return _RaceLost()
        if _NOT_ALLOWED.search(said):
            mend = f"For GitHub it takes a token from {' or '.join(TOKENS)} that may write contents."
            return EnvironmentLack(f"{it} does not let this machine in: {told}.", advice=mend)
        if _NOT_THERE.search(said):
            return EnvironmentLack(f"{it} is not there, or this machine may not see it: {told}.")
        if _NOT_TAKEN.search(said):
            return EnvironmentLack(f"{it} does not take the commit: {told}.")
        return AskAgain(f"{it} did not answer: {told}")


class _NoSuchBranch(Exception):
    """The remote has no such branch."""


def _settings(address: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what git is told of the remote: by the environment, so that no command line and no file holds a secret."""
    told = authorised(address, environment)
    number = int(told.get("GIT_CONFIG_COUNT", "0"))
    for key, value in ((f"remote.{_THERE}.url", address), ("advice.pushUpdateRejected", "false")):
        told |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        number += 1
    return {**told, "GIT_CONFIG_COUNT": str(number)}


def _person(clone: Path, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return whose the commit is: the workflow's, or that of whoever has this checkout."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return _ACTIONS
    own = OwnGit.around(clone)
    return (own.person() if own else None) or _ARGUSIC
