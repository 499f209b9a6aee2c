"""The branches of the remote that a checkout names: looked at by git in a folder of our own, pushed to by `pushing`."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.database import Database
from argusic.errors import EnvironmentLack
from argusic.github.desk.branches import MAIN
from argusic.github.pushing import push_files
from argusic.github.remotes import address_of, authorised
from argusic.pool.git import Bounds, Git, GitFailed, hardened

_BOUNDS: Final = Bounds(seconds=300)
#: Larger files are not brought: what the desk looks at is text.
_MOST_BYTES: Final = 1_000_000
_REGULAR: Final = "100644"
#: What the folder of our own calls the remote.
_THERE: Final = "there"


@dataclass(frozen=True)
class RemoteBranches:
    """The branches of a remote.

    Attributes:
        database: The database, in a git checkout.
        remote: The remote's name.
        environment: Where the token is.
    """

    database: Database
    remote: str
    environment: Mapping[str, str]

    def below(self, branch: str, *folders: PurePosixPath) -> Mapping[PurePosixPath, bytes]:
        """Return the files below some folders on a branch; none where there is no such branch.

        Raises:
            InputError: This is no git checkout, or it has no such remote.
            EnvironmentLack: The remote does not answer.
        """
        address = address_of(self.database, self.remote)
        local = Path(address) if address.startswith("/") else None
        told = _settings(address, self.environment)
        with tempfile.TemporaryDirectory(prefix="argusic-desk-") as name, hardened(local=local, bounds=_BOUNDS) as git:
            folder, ref = Path(name), f"refs/heads/{branch}"
            try:
                git.run("init", "--quiet", "--bare", ".", folder=folder)
                if not git.run("ls-remote", "--quiet", _THERE, ref, folder=folder, environment=told).strip():
                    return {}
                fetch = ("fetch", "--quiet", "--no-tags", "--depth=1", f"--filter=blob:limit={_MOST_BYTES}")
                git.run(*fetch, _THERE, f"+{ref}:refs/heads/fetched", folder=folder, environment=told)
                return {path: _content(git, folder, blob) for path, blob in _listed(git, folder, folders)}
            except GitFailed as failed:
                said = re.sub(r"//[^/@\s]*@", "//", failed.said)
                raise EnvironmentLack(f"the remote {self.remote!r} did not answer: {said}.") from None

    def put(self, branch: str, files: Mapping[PurePosixPath, bytes], message: str, *, replace: bool = False) -> bool:
        """Put files on a branch, which begins at the main one where it is not there, and return whether any is new.

        Raises:
            InputError: A file is there with another content, and `replace` is false.
            EnvironmentLack: The remote does not answer, or others always come first.
        """
        made = push_files(
            self.database.root,
            branch,
            files,
            message,
            onto=MAIN,
            remote=self.remote,
            replace=replace,
            environment=self.environment,
        )
        return made is not None


def _settings(address: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what git is told of the remote: by the environment, so that no command line and no file holds a secret."""
    told = authorised(address, environment)
    number = int(told.get("GIT_CONFIG_COUNT", "0"))
    named = {f"GIT_CONFIG_KEY_{number}": f"remote.{_THERE}.url", f"GIT_CONFIG_VALUE_{number}": address}
    return {**told, **named, "GIT_CONFIG_COUNT": str(number + 1)}


def _listed(git: Git, folder: Path, wanted: tuple[PurePosixPath, ...]) -> list[tuple[PurePosixPath, str]]:
    """Return the plain files below some folders of the fetched branch, each with its blob."""
    below = [f"{one}/" for one in wanted]
    printed = git.run("ls-tree", "-r", "-z", "fetched", "--", *below, folder=folder)
    found = []
    for line in printed.split(b"\0"):
        facts, _, name = line.decode("utf-8", "surrogateescape").partition("\t")
        if facts.startswith(f"{_REGULAR} "):
            found.append((PurePosixPath(name), facts.split(" ")[2]))
    return found


def _content(git: Git, folder: Path, blob: str) -> bytes:
    return git.run("cat-file", "blob", blob, folder=folder)
