"""What Argusic asks of GitHub, as one small protocol: whoever needs more of it than this does something of its own."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

#: What a person may do in a repository.
Permission = Literal["none", "read", "triage", "write", "maintain", "admin"]
#: Those who decide: they may resolve disputes and let an issue become a file.
DECIDES: frozenset[Permission] = frozenset(["write", "maintain", "admin"])


class Artifact(NamedTuple):
    """What a job of a workflow run uploaded."""

    id: int
    """Its number."""
    name: str
    """Its name, unique within one attempt of a workflow run."""
    size: int
    """Its size in bytes, as a ZIP file."""
    sha256: str | None
    """The digest of that ZIP file, where GitHub states one."""
    expired: bool
    """Whether it is gone."""


class Job(NamedTuple):
    """A job of a workflow run, in its latest attempt."""

    name: str
    """Its name, with what a matrix put in it."""
    conclusion: str | None
    """`success`, `failure`, `cancelled`, `skipped`, `timed_out` ...; None while it goes on."""
    attempt: int | None = None
    """The attempt of the workflow run that it ran in last: a re-run of failed jobs leaves the others where they ran.
    None where it is not stated."""


class Comment(NamedTuple):
    """A comment below an issue or a pull request."""

    id: int
    author: str
    body: str
    written: datetime


class Forge(Protocol):
    """A repository on GitHub. Every method asks again, within bounds, where asking again may help.

    Raises:
        EnvironmentLack: GitHub cannot be reached, refuses the token, or asks to wait for too long.
        InputError: What is asked for is not there.
    """

    def permission(self, login: str) -> Permission:
        """Return what a person may do here; `none` for somebody who is not known."""

    def labels(self, issue: int) -> tuple[str, ...]:
        """Return the labels of an issue, sorted."""

    def label(self, issue: int, *, add: Collection[str] = (), remove: Collection[str] = ()) -> None:
        """Add labels to an issue and take others from it. One that is not on it is passed over."""

    def say(self, issue: int, mark: str, body: str) -> None:
        """Comment on an issue or pull request, or renew the comment of ours that has this mark.

        Args:
            issue: Its number.
            mark: A word that tells this comment from others of ours; it is written where readers do not see it.
            body: Markdown. What outsiders wrote must be in it as code (`argusic.github.outside`).
        """

    def pull(self, head: str, base: str, title: str, body: str) -> int:
        """Open a pull request from one branch to another, or renew the text of the one that is open.

        Returns:
            Its number.
        """

    def pull_head(self, pull: int) -> str:
        """Return the full id of the commit that an open pull request, from a fork too, would bring.

        Raises:
            InputError: There is no pull request of this number, or it is not open.
        """

    def artifacts(self, workflow_run: int) -> tuple[Artifact, ...]:
        """Return what the jobs of a workflow run uploaded, all attempts and all pages of it, by name and number."""

    def download(self, artifact: Artifact, target: Path, *, most_bytes: int) -> None:
        """Bring an artifact's ZIP file into a file that is not there yet, and prove its size and digest.

        Raises:
            CheckFailed: It is larger than `most_bytes`, or is not what GitHub states.
        """

    def jobs(self, workflow_run: int) -> tuple[Job, ...]:
        """Return the jobs of a workflow run, all pages of them."""

    def last_started(self, workflow: str) -> datetime | None:
        """Return when a workflow, by the name of its file, last began by the clock; None where it never did.

        Raises:
            InputError: There is no such workflow.
        """

    def status(self, sha: str, context: str, state: Literal["pending", "success", "failure"], description: str) -> None:
        """State on a commit what a check came to."""
