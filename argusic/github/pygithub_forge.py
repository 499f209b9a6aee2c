"""GitHub, asked through PyGithub: few requests, each within the bounds of `Patience`, and errors in sentences."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeVar, get_args
from urllib.parse import quote, urlsplit

from github import GithubException, UnknownObjectException
from github.IssueComment import IssueComment
from github.Repository import Repository

from argusic.database.atomic import move_new, sync_folder, unfinished_file
from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.evidence.stores.elsewhere import PIECE
from argusic.evidence.stores.github_client import API, GitHubClient, said_by
from argusic.evidence.stores.github_token import TOKENS, token_of
from argusic.evidence.stores.patience import AskAgain, Patience
from argusic.github.events import LOGIN
from argusic.github.forge import Artifact, Job, Permission
from argusic.github.stated import Page, StatedArtifact, StatedJob, StatedRole, cut, sha256_of, shortened

_REPOSITORY: Final = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_MARK: Final = re.compile(r"[a-z0-9-]+")
_MEND: Final = f"It takes a token from {' or '.join(TOKENS)}; the job that has it must grant what it is used for."
#: The most characters that GitHub takes as a text, a title and the description of a status.
MOST_OF_A_TEXT: Final = 65_536
_MOST_OF_A_TITLE: Final = 256
_MOST_OF_A_DESCRIPTION: Final = 140
#: How many things are listed with one request, and how many requests a list may take.
_PAGE: Final = 100
_MOST_PAGES: Final = 100

T = TypeVar("T", StatedArtifact, StatedJob)


class GitHubForge:
    """A repository on GitHub.

    Args:
        repository: Which, `owner/name`.
        token: What it is asked with.
        api: The address of the interface.
        patience: How often a question is asked again.
    """

    def __init__(self, repository: str, token: str, *, api: str = API, patience: Patience | None = None) -> None:
        self._name = repository
        self._api = api.rstrip("/")
        self._client = GitHubClient(
            self._api, token, name=f"{repository} on GitHub", mend=_MEND, patience=patience or Patience()
        )

    @classmethod
    def of_environment(cls, environment: Mapping[str, str], patience: Patience | None = None) -> Self:
        """Return the repository that a workflow's environment names: GITHUB_REPOSITORY, its token, GITHUB_API_URL.

        Raises:
            EnvironmentLack: It names none, holds no token, or would have the token sent where everybody can read it.
        """
        repository, api = environment.get("GITHUB_REPOSITORY", ""), environment.get("GITHUB_API_URL") or API
        if not _REPOSITORY.fullmatch(repository):
            what = "GITHUB_REPOSITORY names no repository on GitHub, so there is none to ask."
            raise EnvironmentLack(what, advice="Set it to owner/name.")
        address = urlsplit(api)
        if address.scheme != "https" and not (address.scheme == "http" and address.hostname in _LOOPBACK):
            raise EnvironmentLack("GITHUB_API_URL is no address that begins with https://, so no token is sent there.")
        token = token_of(environment)
        if token is None:
            raise EnvironmentLack(f"there is no token to ask {repository} on GitHub with.", advice=_MEND)
        return cls(repository, token, api=api, patience=patience)

    def permission(self, login: str) -> Permission:
        """Return what a person may do here; `none` for somebody who is not known."""
        if not re.fullmatch(LOGIN, login):
            return "none"
        address = f"/repos/{self._name}/collaborators/{quote(login, safe='')}/permission"

        def asked() -> StatedRole | None:
            try:
                return StatedRole.model_validate(self._get(address))
            except UnknownObjectException:
                self._get(f"/repos/{self._name}")  # Nobody is known where there is no repository.
                return None
            except GithubException as error:
                if error.status == 404:  # `... is not a user`
                    return None
                raise

        role = self._client.ask(asked)
        known = get_args(Permission)
        # A role of an organisation's own is what it was made from; GitHub states that in the older field.
        named = next((one for one in (role.role_name, role.permission) if one in known), "none") if role else "none"
        return next(one for one in known if one == named)

    def labels(self, issue: int) -> tuple[str, ...]:
        """Return the labels of an issue, sorted."""
        found = self._client.ask(
            lambda: [label.name for label in self._repository.get_issue(issue).labels], f"issue {issue}"
        )
        return tuple(sorted(found))

    def label(self, issue: int, *, add: Collection[str] = (), remove: Collection[str] = ()) -> None:
        """Add labels to an issue and take others from it. One that is not on it is passed over."""
        it, labels = self._repository.get_issue(issue), f"/repos/{self._name}/issues/{issue}/labels"

        def taken(name: str) -> None:
            try:
                # PyGithub leaves a slash in a label as it is, which is then another address.
                self._repository.requester.requestJsonAndCheck("DELETE", f"{labels}/{quote(name, safe='')}")
            except GithubException as error:
                if error.status != 404 or "Label does not exist" not in said_by(error):
                    raise

        if add:
            self._client.ask(lambda: it.add_to_labels(*sorted(add)), f"issue {issue}")
        for name in sorted(remove):
            self._client.ask(partial(taken, name), f"issue {issue}")

    def say(self, issue: int, mark: str, body: str) -> None:
        """Comment on an issue or pull request, or renew the comment of ours that has this mark."""
        if not _MARK.fullmatch(mark):
            raise InputError(f"{mark!r} marks no comment: a mark is of small letters, digits and hyphens.")
        head = f"<!-- argusic: {mark} -->"
        text = cut(f"{head}\n{body}", MOST_OF_A_TEXT)
        it = self._repository.get_issue(issue)

        def said() -> None:
            # Asked again after an answer that was lost, it finds what was written the first time.
            marked = [one for one in it.get_comments() if (one.body or "").startswith(head)]
            ours = next((one for one in marked if self._is_ours(one)), None)
            if ours is None:
                it.create_comment(text)
            elif ours.body != text:
                ours.edit(text)

        self._client.ask(said, f"issue {issue}")

    def pull(self, head: str, base: str, title: str, body: str) -> int:
        """Open a pull request from one branch to another, or renew the text of the one that is open."""
        label = f"{self._name.partition('/')[0]}:{head}"
        title, text = shortened(title, _MOST_OF_A_TITLE), cut(body, MOST_OF_A_TEXT)

        def pulled() -> int:
            for one in self._repository.get_pulls(state="open", head=label, base=base):
                if ((one.head.label or "").lower(), one.base.ref) == (label.lower(), base):
                    if (one.title, one.body or "") != (title, text):
                        one.edit(title=title, body=text)
                    return one.number
            return self._repository.create_pull(base, head, title=title, body=text).number

        return self._client.ask(pulled)

    def pull_head(self, pull: int) -> str:
        """Return the full id of the commit that an open pull request, from a fork too, would bring."""
        what = f"pull request {pull}"
        it = self._repository.get_pull(pull)
        state, sha = self._client.ask(lambda: (it.state, it.head.sha), what)
        if state != "open":
            raise InputError(f"the {what} of {self._name} on GitHub is {state}.")
        return sha

    def last_started(self, workflow: str) -> datetime | None:
        """Return when a workflow, by the name of its file, last began by the clock; None where it never did."""
        address = f"/repos/{self._name}/actions/workflows/{quote(workflow, safe='')}/runs"
        asked = {"event": "schedule", "per_page": 1}
        page = self._client.ask(lambda: Page.model_validate(self._get(address, asked)), f"workflow {workflow}")
        begun = [(one.run_started_at or one.created_at).astimezone(UTC) for one in page.workflow_runs]
        return max(begun, default=None)

    def artifacts(self, workflow_run: int) -> tuple[Artifact, ...]:
        """Return what the jobs of a workflow run uploaded, all attempts and all pages of it, by name and number."""
        listed = self._every(workflow_run, "artifacts", lambda page: page.artifacts)
        found = [Artifact(one.id, one.name, one.size_in_bytes, sha256_of(one.digest), one.expired) for one in listed]
        return tuple(sorted(found, key=lambda one: (one.name, one.id)))

    def jobs(self, workflow_run: int) -> tuple[Job, ...]:
        """Return the jobs of a workflow run, all pages of them."""
        listed = self._every(workflow_run, "jobs", lambda page: page.jobs)
        return tuple(Job(one.name, one.conclusion, one.run_attempt) for one in listed)

    def download(self, artifact: Artifact, target: Path, *, most_bytes: int) -> None:
        """Bring an artifact's ZIP file into a file that is not there yet, and prove its size and digest."""
        if target.exists() or target.is_symlink():
            raise InputError(f"{target} is there already and is never replaced.")
        if artifact.size > most_bytes:
            raise CheckFailed(f"the artifact {artifact.name!r} has {artifact.size:,} bytes, of {most_bytes:,} allowed.")
        # Made from its number, so that no answer can name another host to send the token to.
        address = f"{self._api}/repos/{self._name}/actions/artifacts/{artifact.id}/zip"
        gone = InputError(f"{self._name} on GitHub has the artifact {artifact.name!r} no more.")
        with unfinished_file(target.parent) as (path, writing):

            def fetched() -> str:
                digest, size = hashlib.sha256(), 0
                writing.seek(0)
                writing.truncate()
                with self._client.reading(address, {}, missing=gone) as answer:
                    for piece in answer.iter_content(PIECE):
                        digest.update(piece)
                        size += len(piece)
                        if size > artifact.size:
                            break
                        writing.write(piece)
                if size != artifact.size:
                    more = "more" if size > artifact.size else "fewer"
                    raise CheckFailed(
                        f"the artifact {artifact.name!r} has {more} bytes than the {artifact.size:,} stated."
                    )
                return digest.hexdigest()

            digest = self._client.patiently(fetched)
            if artifact.sha256 not in (None, digest):
                raise CheckFailed(
                    f"the artifact {artifact.name!r} has the digest {digest}, and GitHub states {artifact.sha256}."
                )
            writing.flush()
            os.fsync(writing.fileno())
            move_new(path, target)
        sync_folder(target.parent)

    def status(self, sha: str, context: str, state: Literal["pending", "success", "failure"], description: str) -> None:
        """State on a commit what a check came to."""
        if not _COMMIT.fullmatch(sha):
            raise InputError(f"{sha!r} is no full id of a commit.")
        it, text = self._repository.get_commit(sha), shortened(description, _MOST_OF_A_DESCRIPTION)
        self._client.ask(lambda: it.create_status(state, description=text, context=context), f"commit {sha}")

    @cached_property
    def _repository(self) -> Repository:
        return self._client.program.get_repo(self._name)

    @cached_property
    def _login(self) -> str | None:
        """Who this token is; None for a program's, which GitHub does not tell."""
        try:
            return self._client.program.get_user().login
        except GithubException as error:
            if error.status == 403 and "not accessible" in said_by(error):
                return None
            raise

    def _is_ours(self, comment: IssueComment) -> bool:
        # Strangers can write our mark, and a token that may comment may also edit what they wrote.
        writer = comment.user
        if writer is None:  # Whose account is gone.
            return False
        return writer.type == "Bot" if self._login is None else writer.login == self._login

    def _get(self, address: str, parameters: Mapping[str, Any] | None = None) -> Any:
        _, data = self._repository.requester.requestJsonAndCheck("GET", address, parameters=dict(parameters or {}))
        return data

    def _every(self, workflow_run: int, name: str, items: Callable[[Page], tuple[T, ...]]) -> list[T]:
        """Return all of a list of a workflow run, counted against the number that GitHub states of it."""
        address = f"/repos/{self._name}/actions/runs/{workflow_run}/{name}"

        def listed() -> list[T]:
            found: dict[int, T] = {}
            for number in range(1, _MOST_PAGES + 1):
                page = Page.model_validate(self._get(address, {"per_page": _PAGE, "page": number}))
                found |= {one.id: one for one in items(page)}
                if len(items(page)) < _PAGE or len(found) >= page.total_count:
                    break
            if len(found) != page.total_count:  # Something came or went while it was listed.
                what = f"{len(found)} of {page.total_count} {name} of workflow run {workflow_run}"
                raise AskAgain(f"{self._name} on GitHub lists {what}")
            return list(found.values())

        return self._client.ask(listed, f"workflow run {workflow_run}")
