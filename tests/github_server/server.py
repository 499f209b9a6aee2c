"""The server as a test has it: set up and read by plain methods."""

from __future__ import annotations

import tempfile
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.github_server import issues, pulls
from tests.github_server.bare import BareRepository
from tests.github_server.handler import handler
from tests.github_server.state import TOKEN, Artifact, Fault, Hub
from tests.loopback import OnLoopback


class GitHubServer(OnLoopback):
    """A GitHub with one repository.

    Args:
        remote: Its bare repository, made where there is none; by default one that goes with the server.
        folder: Where artifacts lie (`artifacts/<run>/<name>.zip`, or one folder deeper where several have one name) and
            where jobs may (`jobs/<run>.json`: a list of `name`, `conclusion` and `run_attempt`). It is looked at anew
            for each request.
        repository: `owner/name`.
        port: Where it listens on the loopback; by default any free one.
    """

    def __init__(
        self,
        remote: Path | None = None,
        folder: Path | None = None,
        *,
        repository: str = "ada/referee",
        port: int = 0,
    ) -> None:
        self._own = tempfile.TemporaryDirectory(prefix="github-")
        own = Path(self._own.name)
        self.hub = Hub(repository, remote or own / "remote.git", folder or own)
        super().__init__(ThreadingHTTPServer(("127.0.0.1", port), handler(self.hub)))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._own.cleanup()

    @property
    def url(self) -> str:
        """The address of the interface, as GITHUB_API_URL has it, and of the server, as GITHUB_SERVER_URL has it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def git_url(self) -> str:
        """The address that git clones from and pushes to by HTTP."""
        return f"{self.url}/{self.hub.repository}.git"

    @property
    def remote(self) -> Path:
        """The bare repository."""
        return self.hub.remote.path

    @property
    def bare(self) -> BareRepository:
        """The bare repository, to be looked into."""
        return self.hub.remote

    def environment(self, token: str = TOKEN) -> dict[str, str]:
        """Return what a workflow's step finds in its environment."""
        return {
            "GITHUB_REPOSITORY": self.hub.repository,
            "GITHUB_API_URL": self.url,
            "GITHUB_SERVER_URL": self.url,
            "GITHUB_TOKEN": token,
        }

    def add_person(self, token: str, login: str) -> None:
        """Let somebody have a token."""
        self.hub.people[token] = login

    def set_permission(self, login: str, permission: str) -> None:
        """Let somebody be known, and be allowed something: `none`, `read`, `triage`, `write`, `maintain`, `admin`."""
        self.hub.permissions[login] = permission

    def add_issue(self, title: str, body: str = "", *, author: str = "bob", labels: tuple[str, ...] = ()) -> int:
        """Open an issue and return its number."""
        return int(issues.add_issue(self.hub, title, body, author, labels)["number"])

    def add_comment(self, issue: int, body: str, author: str = "bob") -> int:
        """Write a comment and return its number."""
        return int(issues.add_comment(self.hub, issue, body, author)["id"])

    def comments(self, issue: int) -> list[dict[str, Any]]:
        """Return the comments below an issue or pull request: `id`, `body`, `author`, `created`."""
        return [one for one in self.hub.comments.values() if one["issue"] == issue]

    def labels(self, issue: int) -> list[str]:
        """Return the labels of an issue or pull request."""
        return sorted((self.hub.issues.get(issue) or self.hub.pulls[issue])["labels"])

    def pulls(self) -> list[dict[str, Any]]:
        """Return the pull requests: `number`, `title`, `body`, `head`, `base`, `state`, `author`, `merged`."""
        return list(self.hub.pulls.values())

    def merge(self, pull: int) -> str | None:
        """Merge a pull request and return the commit; None where it conflicts or is not open."""
        return pulls.merge(self.hub, self.hub.pulls[pull])

    def statuses(self, sha: str) -> list[dict[str, Any]]:
        """Return the statuses of a commit: `state`, `context`, `description`."""
        return [one for one in self.hub.statuses if one["sha"] == sha]

    def add_run(self, run: int) -> None:
        """Let there be a workflow run."""
        self.hub.runs.add(run)

    def add_job(self, run: int, name: str, conclusion: str | None = "success", attempt: int = 1) -> None:
        """Let a workflow run have a job, or let a job end otherwise in a newer attempt of the workflow run."""
        job = {"name": name, "conclusion": conclusion, "run_attempt": attempt}
        self.hub.jobs.setdefault(run, {})[name] = job

    def run_all_again(self, run: int) -> None:
        """Begin a new attempt with all jobs: what earlier ones uploaded is not listed any more, as on GitHub itself.

        A new attempt of the failed jobs alone keeps it.
        """
        self.hub.superseded |= {one.id for one in self.hub.artifacts(run)}
        self.hub.jobs.pop(run, None)
        self.hub.runs.add(run)

    def add_workflow(self, file: str, *started: str) -> None:
        """Let there be a workflow, by the name of its file, which began by the clock at some instants."""
        self.hub.workflows.setdefault(file, []).extend(started)

    def add_artifact(
        self,
        run: int,
        name: str,
        content: bytes,
        *,
        expired: bool = False,
        served: bytes | None = None,
        size: int | None = None,
        digest: str | None = "",
    ) -> Artifact:
        """Let a workflow run have an artifact. One more of the same name is one more.

        Args:
            run: The workflow run.
            name: The artifact's name.
            content: Its ZIP file.
            expired: Whether it is gone.
            served: What is handed out in its place.
            size: What is stated as its size, where that is not its size.
            digest: What is stated as its digest (`sha256:...`), where that is not its digest.
        """
        folder = self.hub.folder / "artifacts" / str(run)
        while (folder / f"{name}.zip").exists():
            folder = self.hub.folder / "artifacts" / str(run) / f"again-{next(self.hub.ids)}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.zip"
        path.write_bytes(content)
        artifact = next(one for one in self.hub.artifacts(run) if one.path == path)
        artifact.expired, artifact.served = expired, served
        artifact.stated_size, artifact.stated_digest = size, digest
        return artifact

    def fail(self, method: str, path: str, status: int, message: str = "Server Error", **more: Any) -> Fault:
        """Let the next request of a kind be answered with an error; `headers` and `times` may be given."""
        fault = Fault("answer", method, path, status=status, message=message, **more)
        self.hub.faults.append(fault)
        return fault

    def count(self, method: str = "", path: str = "") -> int:
        """Return how many requests came by."""
        return sum(method in ("", one) and path in where for one, where in self.hub.requests)
