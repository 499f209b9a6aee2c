"""A repository on GitHub, a checkout of it, and what was collected and signed of its small cycle."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH, TRUST_PATH
from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.digests import digests_of
from argusic.evidence.trust.authority import LocalAuthority
from argusic.evidence.trust.starting import own_trust, start_authority
from argusic.github.ladder.writing import write_collected
from argusic.records.handing_over import Collected
from argusic.runs.jobs.files import read_json, write_json
from tests.conftest import git
from tests.github.ladder.handing import Elsewhere
from tests.github.ladder.test_collecting import gathered
from tests.github_server import GitHubServer
from tests.program import Done, argusic

PACKS = "schema: 1\nrepository:\n  most_mb: 20\n"
RELEASES = "schema: 1\nreleases:\n  repository: ada/referee\n  api: {url}\n"


@dataclass(frozen=True)
class Signing:
    """What was collected and signed once, for all tests: by the numbers of the jobs.

    Attributes:
        elsewhere: Where the attempts were made.
        authority: Who signed.
        folder: Where everything lies.
    """

    elsewhere: Elsewhere
    authority: LocalAuthority
    folder: Path

    @classmethod
    def make(cls, elsewhere: Elsewhere, folder: Path) -> Signing:
        """Collect and sign the first job, the second, and both."""
        made = cls(elsewhere, start_authority(KeyFolder(folder / "keys"), "ada"), folder)
        here = elsewhere.here(folder)
        for name, numbers in (("first", (1,)), ("second", (2,)), ("both", (1, 2))):
            for number in numbers:
                elsewhere.hand_over(folder / f"given-{name}", number)
            found = gathered(here, folder / f"given-{name}")
            digests = digests_of(found.overlay.database, "small", found.collected.runs)
            write_collected(folder / name, found.overlay, found.collected, digests)
            made.sign(name, f"{name}-signed")
        made.sign("first", "first-signed-again")
        return made

    def sign(self, collected: str, to: str) -> None:
        """Sign what was collected."""
        done = argusic(
            Database(self.elsewhere.pristine), "evidence", "sign", "small", "--authority", "local", "--digests",
            str(self.folder / collected / "digests.json"), "--to", str(self.folder / to),
            ARGUSIC_KEYS=str(self.folder / "keys"),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


@dataclass
class Stage:
    """One repository and one checkout.

    Attributes:
        github: Its GitHub.
        database: The checkout.
        folder: Where everything lies.
        signing: What was collected and signed.
    """

    github: GitHubServer
    database: Database
    folder: Path
    signing: Signing

    def taken(self, name: str) -> Path:
        """Return a copy of something that was collected or signed, to be spoilt."""
        if not (self.folder / name).exists():
            shutil.copytree(self.signing.folder / name, self.folder / name)
        return self.folder / name

    def commit(self, collected: str, *more: str, signed: str | None = None) -> Done:
        """Bring it to review."""
        words = [
            "cycle", "commit", "small", "--collected", str(self.taken(collected)), "--signatures",
            str(self.taken(signed or f"{collected}-signed")), *more,
        ]  # fmt: skip
        return argusic(self.database, *words, **self.github.environment())

    def refused(self, collected: str, *more: str, signed: str | None = None) -> str:
        """Return why it is refused."""
        done = self.commit(collected, *more, signed=signed)
        assert done.returncode in (1, 2), (done.stdout, done.stderr)
        return done.stderr

    def branch(self, name: str = "results/small") -> list[str]:
        """Return the files of a branch below runs/; none where it is not there."""
        files = self.github.bare.files(name) if name in self.github.bare.branches() else {}
        return sorted(path for path in files if path.startswith("runs/"))

    def commits(self, name: str = "results/small") -> int:
        """Return how many commits a branch is ahead of main."""
        return int(self.github.bare.git("rev-list", "--count", f"main..{name}"))

    def again(self, name: str) -> Database:
        """Return another checkout of the main branch."""
        git(self.folder, "clone", "-q", "--branch", "main", str(self.github.remote), name)
        return Database(self.folder / name, cache_folder=self.folder / f"cache-{name}")

    def edit(self, collected: str, change: Callable[[Collected], Collected]) -> None:
        """Change the list of what was collected."""
        path = self.taken(collected) / "collected.json"
        write_json(path, change(read_json(path, Collected)))


@contextmanager
def staged(folder: Path, signing: Signing, *, policy: bool = True, home: str | None = PACKS) -> Iterator[Stage]:
    """Make one.

    Args:
        folder: Where everything goes.
        signing: What was collected and signed.
        policy: Whether the repository states who may sign.
        home: What it says of where it keeps evidence, with the server's address for `{url}`.
    """
    database = signing.elsewhere.here(folder)
    root = database.root
    (root / TRUST_PATH).unlink()
    if policy:
        (root / TRUST_PATH).write_bytes(dump(own_trust(signing.authority)))
    (root / ".gitignore").write_text("/.argusic/\n")
    with GitHubServer() as github:
        if home is not None:
            (root / EVIDENCE_HOME_PATH).write_text(home.format(url=github.url))
        git(root, "init", "-q", "-b", "main")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "A referee")
        git(root, "remote", "add", "origin", str(github.remote))
        git(root, "push", "-q", "--force", "origin", "main")
        yield Stage(github, Database(root, cache_folder=database.cache_folder), folder, signing)
