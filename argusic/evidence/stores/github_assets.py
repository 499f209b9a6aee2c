"""The assets of a GitHub repository's releases: listed, uploaded, read in part and removed, with errors in sentences.

It knows nothing of what they hold.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, TypeVar

import requests
from github import Auth, Github, GithubException, UnknownObjectException
from github.GitRelease import GitRelease
from github.Repository import Repository

from argusic.errors import ArgusicError, EnvironmentLack, InputError
from argusic.evidence.stores.elsewhere import PIECE
from argusic.evidence.stores.patience import AskAgain, Patience, seconds_to_wait
from argusic.records.evidence_home import ReleasesHome

T = TypeVar("T")

#: The most bytes of one asset, and the most assets of one release, that GitHub takes.
MOST_BYTES: Final = 2 * 1024**3 - 1
MOST_ASSETS: Final = 1000
_TOKENS: Final = ("GH_TOKEN", "GITHUB_TOKEN")
_MEND: Final = (
    f"It takes a token from {' or '.join(_TOKENS)}; to send or to remove, it must be allowed to write contents."
)
_ABOUT: Final = (
    "Evidence of this cycle's runs, in packs: plain ZIP files, each file in them named by its SHA-256. The manifests "
    "of the runs in the repository name these digests. Packs are added and are never changed."
)
_SECONDS: Final = 60


class Asset(NamedTuple):
    """An asset, as GitHub lists it."""

    id: int
    """Its number."""
    name: str
    """Its file name."""
    size: int
    """Its size in bytes."""
    whole: bool
    """Whether its upload was finished."""
    tag: str
    """The tag of its release."""
    address: str
    """Where it is read with a token."""
    public_address: str
    """Where it is read without one, if it is public."""


class GitHubAssets:
    """The assets of a repository's releases.

    Args:
        home: Which repository.
        patience: How often a request is made again.
        environment: Where a token may be; by default that of this process.
    """

    def __init__(
        self, home: ReleasesHome, patience: Patience | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        given = os.environ if environment is None else environment
        self._home = home
        self._patience = patience or Patience()
        self._token = next((given[name] for name in _TOKENS if given.get(name)), None)
        self._session = requests.Session()
        self._session.auth = lambda request: request  # Else a ~/.netrc would take the place of the token.
        self._lock = Lock()  # PyGithub keeps one connection, which two threads must not use at once.

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return f"the releases of {self._home.repository}"

    def is_private(self) -> bool:
        """Return whether the repository is private."""
        return self._asked(lambda: self._repository.private)

    def listed(self, wanted: Callable[[str], bool]) -> list[Asset]:
        """Return the assets of every release whose tag is wanted, unfinished ones included."""

        def listed() -> list[Asset]:
            return [asset for one in self._repository.get_releases() if wanted(one.tag_name) for asset in _assets(one)]

        return self._asked(listed)

    def upload(self, path: Path, size: int, name: str, tag: str) -> None:
        """Add an asset to the release of a tag, which is made if there is none. One that is there whole stays.

        An unfinished one of this name is what a dead or another uploader left of the same content: it gives way.
        """

        def upload() -> None:
            release = self._release(tag)
            for asset in _assets(release):
                if asset.name == name and asset.whole and asset.size == size:
                    return
                if asset.name == name:
                    self._delete(asset)
            with path.open("rb") as reading:
                made = release.upload_asset_from_memory(reading, size, name, "application/zip")
            if made.state != "uploaded" or made.size != size:
                raise AskAgain(f"{self.name} kept {made.size:,} of {size:,} bytes of {name}")

        self._asked(upload)

    def remove(self, asset: Asset) -> None:
        """Remove an asset. One that is not there is none the less gone."""
        self._asked(lambda: self._delete(asset))

    def read(self, asset: Asset, start: int, size: int) -> bytes:
        """Return some bytes of an asset."""
        return self._patience.ask(lambda: b"".join(self.stream(asset, start, size)))

    def stream(self, asset: Asset, start: int, size: int) -> Iterator[bytes]:
        """Yield some bytes of an asset, from an offset on.

        Raises:
            AskAgain: It was cut off, or is not there any more.
        """
        if size == 0:
            return
        headers = {
            "Accept": "application/octet-stream",
            "Accept-Encoding": "identity",
            "Range": f"bytes={start}-{start + size - 1}",
        }
        if self._token:
            # Where the answer leads to another host, `requests` does not take the token there.
            headers["Authorization"] = f"Bearer {self._token}"
        address = asset.address if self._token else asset.public_address
        left = size
        try:
            with self._session.get(address, headers=headers, stream=True, timeout=(10, _SECONDS)) as answer:
                if answer.status_code == 404:
                    raise AskAgain(f"{self.name} have {asset.name} no more")
                if answer.status_code not in (200, 206):
                    raise self._refused(answer.status_code, answer.reason or "", _lower(answer.headers))
                before = start if answer.status_code == 200 else 0
                for piece in answer.iter_content(PIECE):
                    part = piece[before:][:left]
                    before = max(0, before - len(piece))
                    left -= len(part)
                    if part:
                        yield part
                    if not left:
                        return
        except requests.RequestException as error:
            raise AskAgain(f"{self.name} cannot be reached or were cut off ({_reason(error)})") from None
        raise AskAgain(f"{self.name} were cut off {left:,} bytes before the end")

    @cached_property
    def _repository(self) -> Repository:
        program = Github(
            auth=Auth.Token(self._token) if self._token else None,
            base_url=self._home.api,
            timeout=_SECONDS,
            per_page=100,
            retry=None,  # `Patience` asks again.
            seconds_between_requests=None,
            seconds_between_writes=None,
        )
        return program.get_repo(self._home.repository)

    def _release(self, tag: str) -> GitRelease:
        try:
            return self._repository.get_release(tag)
        except UnknownObjectException:
            # No newest release for whoever looks for a program: it is marked as none to be used.
            return self._repository.create_git_release(tag, tag, _ABOUT, prerelease=True, make_latest="false")

    def _delete(self, asset: Asset) -> None:
        address = f"/repos/{self._home.repository}/releases/assets/{asset.id}"
        try:
            self._repository.requester.requestJsonAndCheck("DELETE", address)
        except UnknownObjectException:
            return

    def _asked(self, question: Callable[[], T]) -> T:
        def once() -> T:
            try:
                with self._lock:
                    return question()
            except GithubException as error:
                raise self._refused(error.status, _message(error), _lower(error.headers or {})) from None
            except requests.RequestException as error:
                raise AskAgain(f"{self.name} cannot be reached ({_reason(error)})") from None

        return self._patience.ask(once)

    def _refused(self, status: int, said: str, headers: Mapping[str, str]) -> ArgusicError | AskAgain:
        """Return what an answer of the server that is no success comes to."""
        answer = f"{status} {said}".strip()
        wait = seconds_to_wait(headers)
        if status in (408, 429) or status >= 500 or (status == 403 and wait is not None):
            if status == 507:
                return EnvironmentLack(f"{self.name} are full ({answer}); the pack was not kept there.")
            return AskAgain(f"{self.name} answer {answer}", wait)
        if status in (401, 403):
            return EnvironmentLack(f"{self.name} refuse this token ({answer}).", advice=_MEND)
        if status == 404:
            token = "this token" if self._token else "whoever has no token"
            return InputError(f"{self.name} are not there, or {token} may not see them.", advice=_MEND)
        if status == 422 and "already_exists" in said:
            return AskAgain(f"{self.name} were changed by somebody else meanwhile")
        return EnvironmentLack(f"{self.name} answer {answer}.")


def _assets(release: GitRelease) -> Iterator[Asset]:
    for one in release.get_assets():
        whole = one.state == "uploaded"
        yield Asset(one.id, one.name, one.size, whole, release.tag_name, one.url, one.browser_download_url)


def _message(error: GithubException) -> str:
    """Return what GitHub said, with the codes of what is wrong where it names them."""
    if not isinstance(error.data, dict):
        return str(error.data or "")[:200]
    found = error.data.get("errors")
    codes = [str(one.get("code") or one.get("message")) for one in found if isinstance(one, dict)] if found else []
    return " ".join([str(error.data.get("message", "")), *(f"({code})" for code in codes)])[:300]


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _reason(error: Exception) -> str:
    """Return the innermost of an error's own words, on one line."""
    return " ".join(str(error).split()).rstrip(".")[:300]
