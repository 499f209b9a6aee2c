"""What is derived is brought up to date on the main branch of the remote, whoever else writes there meanwhile.

It derives from the remote's newest commit, not from what is checked out; and looks again after it has written, because
somebody may have merged facts in between. So it ends when nothing is left to change, and not before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.database import Database
from argusic.database.laying_out import Commit
from argusic.errors import CheckFailed, EnvironmentLack
from argusic.github.pushing import push_files
from argusic.github.remotes import address_of, authorised, local_of, without_names
from argusic.pool.git import Bounds, GitFailed, hardened
from argusic.referee.recompute import recompute

#: How often it begins again where others write as well.
MOST_TRIES: Final = 6
_BOUNDS: Final = Bounds(seconds=600)
_MESSAGE: Final = "Derivations brought up to date"


@dataclass(frozen=True)
class Pushed:
    """What came of it.

    Attributes:
        commit: The last commit that was made; none where everything was right already.
        changed: The files that were written or removed, sorted.
        tries: How often it looked.
    """

    commit: str | None
    changed: tuple[PurePosixPath, ...]
    tries: int


def recompute_main(
    database: Database, environment: Mapping[str, str], *, remote: str = "origin", branch: str = "main"
) -> Pushed:
    """Bring the derivations on the remote's main branch up to date.

    Raises:
        CheckFailed: A derivation of a closed cycle would change, which it was not given; or others wrote for too long.
        InputError: The facts on the branch cannot be derived from, or there is no such remote.
        EnvironmentLack: The remote cannot be reached.
    """
    changed: set[PurePosixPath] = set()
    commit = None
    with tempfile.TemporaryDirectory(prefix="argusic-recomputing-") as name:
        folder = Path(name).resolve()
        for number in range(1, MOST_TRIES + 1):
            tip = _fetch(database, remote, branch, environment, folder / f"fetched-{number}")
            laid = tip.lay_out(folder / f"laid-out-{number}", cache=folder / "cache")
            done = recompute(laid)
            if not done.written and not done.removed:
                if done.findings:
                    raise CheckFailed(done.findings[0].what, place=done.findings[0].place)
                return Pushed(commit, tuple(sorted(changed)), number)
            files = {path: laid.read_bytes(path) for path in done.written}
            made = push_files(
                database.root,
                branch,
                {**files, **dict.fromkeys(done.removed)},
                _MESSAGE,
                onto=branch,
                remote=remote,
                replace=True,
                environment=environment,
            )
            commit = made or commit
            changed |= {*done.written, *done.removed}
    raise CheckFailed(
        f"others wrote to {branch} each time that its derivations were brought up to date, {MOST_TRIES} times."
    )


def _fetch(database: Database, remote: str, branch: str, environment: Mapping[str, str], folder: Path) -> Commit:
    """Bring the newest commit of a branch into a folder that is not there yet."""
    address = address_of(database, remote)
    local = local_of(address)
    folder.mkdir(parents=True)
    with hardened(local=local, bounds=_BOUNDS) as git:
        try:
            git.run("init", "--quiet", "--bare", ".", folder=folder)
            wanted = ("--no-tags", "--depth=1", address, f"+refs/heads/{branch}:refs/heads/{branch}")
            git.run("fetch", "--quiet", *wanted, folder=folder, environment=authorised(address, environment))
        except GitFailed as failed:
            said = without_names(failed.said)
            raise EnvironmentLack(f"the branch {branch} could not be fetched: {said}.") from None
    return Commit(folder, f"refs/heads/{branch}")
