"""The assets of a GitHub repository's releases: listed, uploaded, read in part and removed, with errors in sentences.

It knows nothing of what they hold.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from github import UnknownObjectException
from github.GitRelease import GitRelease
from github.Repository import Repository

from argusic.evidence.stores.elsewhere import PIECE
from argusic.evidence.stores.github_client import GitHubClient
from argusic.evidence.stores.github_token import TOKENS, token_of
from argusic.evidence.stores.patience import AskAgain, Patience
from argusic.records.evidence_home import ReleasesHome

#: The most bytes of one asset, and the most assets of one release, that GitHub takes.
MOST_BYTES: Final = 2 * 1024**3 - 1
MOST_ASSETS: Final = 1000
_MEND: Final = (
    f"It takes a token from {' or '.join(TOKENS)}; to send or to remove, it must be allowed to write contents."
)
_ABOUT: Final = (
    "Evidence of this cycle's runs, in packs: plain ZIP files, each file in them named by its SHA-256. The manifests "
    "of the runs in the repository name these digests. Packs are added and are never changed."
)


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
        self._home = home
        self._client = GitHubClient(
            home.api,
            token_of(os.environ if environment is None else environment),
            name=self.name,
            mend=_MEND,
            patience=patience or Patience(),
            many=True,
        )

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return f"the releases of {self._home.repository}"

    def is_private(self) -> bool:
        """Return whether the repository is private."""
        return self._client.ask(lambda: self._repository.private)

    def listed(self, wanted: Callable[[str], bool]) -> list[Asset]:
        """Return the assets of every release whose tag is wanted, unfinished ones included."""

        def listed() -> list[Asset]:
            return [asset for one in self._repository.get_releases() if wanted(one.tag_name) for asset in _assets(one)]

        return self._client.ask(listed)

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

        self._client.ask(upload)

    def remove(self, asset: Asset) -> None:
        """Remove an asset. One that is not there is none the less gone."""
        self._client.ask(lambda: self._delete(asset))

    def read(self, asset: Asset, start: int, size: int) -> bytes:
        """Return some bytes of an asset."""
        return self._client.patiently(lambda: b"".join(self.stream(asset, start, size)))

    def stream(self, asset: Asset, start: int, size: int) -> Iterator[bytes]:
        """Yield some bytes of an asset, from an offset on.

        Raises:
            AskAgain: It was cut off, or is not there any more.
        """
        if size == 0:
            return
        headers = {"Accept": "application/octet-stream", "Range": f"bytes={start}-{start + size - 1}"}
        address = asset.address if self._client.has_token else asset.public_address
        left = size
        gone = AskAgain(f"{self.name} have {asset.name} no more")
        with self._client.reading(address, headers, missing=gone) as answer:
            before = start if answer.status_code == 200 else 0
            for piece in answer.iter_content(PIECE):
                part = piece[before:][:left]
                before = max(0, before - len(piece))
                left -= len(part)
                if part:
                    yield part
                if not left:
                    return
        raise AskAgain(f"{self.name} were cut off {left:,} bytes before the end")

    @cached_property
    def _repository(self) -> Repository:
        return self._client.program.get_repo(self._home.repository)

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


def _assets(release: GitRelease) -> Iterator[Asset]:
    for one in release.get_assets():
        whole = one.state == "uploaded"
        yield Asset(one.id, one.name, one.size, whole, release.tag_name, one.url, one.browser_download_url)
