"""Evidence as assets of releases: one pack for each collected batch, in the release `evidence-<cycle>`.

An asset is there whole or not at all, and a pack is never changed: whatever is added is a pack of its own. Only where
evidence is withdrawn is a pack replaced, by one without it, which is there before the old one goes.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import RLock
from typing import BinaryIO, Final, NamedTuple, cast

from argusic.database.atomic import unfinished_file, write_file
from argusic.errors import CheckFailed
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.stores.elsewhere import Here, Keep
from argusic.evidence.stores.github_assets import MOST_ASSETS, MOST_BYTES, Asset, GitHubAssets
from argusic.evidence.stores.pack import Members, Span, cut, opening, plan_whole, read_index, runs_of_bytes, write_pack
from argusic.evidence.stores.patience import AskAgain, Patience

_TAG: Final = "evidence-"
_PACK: Final = ".zip"
#: Files with fewer bytes than this between them are read with one request.
_WASTE: Final = 1024 * 1024
#: How long a listing is good for, in seconds, when something is looked for that it does not have.
_FRESH: Final = 60.0


class _Pack(NamedTuple):
    asset: Asset
    spans: Mapping[str, Span]


class Releases:
    """A store in the assets of releases.

    Args:
        assets: The assets.
        cache: A folder for what is known of packs, which never changes.
        scratch: A folder for packs while they are made.
        patience: How often reading a pack is tried.
        most_bytes: The most bytes of a pack.
        most_assets: The most packs of one release.
    """

    def __init__(
        self,
        assets: GitHubAssets,
        cache: Path,
        scratch: Path,
        patience: Patience | None = None,
        *,
        most_bytes: int = MOST_BYTES,
        most_assets: int = MOST_ASSETS,
    ) -> None:
        self._assets = assets
        self._cache = cache
        self._scratch = scratch
        self._patience = patience or Patience()
        self._most_bytes = most_bytes
        self._most_assets = most_assets
        self._known: tuple[_Pack, ...] = ()
        self._taken: Counter[str] = Counter()
        self._listed = -_FRESH
        self._lock = RLock()

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return self._assets.name

    def is_private(self) -> bool:
        """Return whether the repository is private."""
        return self._assets.is_private()

    def holds(self, wanted: Collection[str]) -> set[str]:
        """Return which of some digests are in a pack."""
        if not wanted:
            return set()
        return {sha256 for pack in self._packs(set(wanted), fresh=True) for sha256 in pack.spans.keys() & set(wanted)}

    def send(self, cycle: str, files: Sequence[Here], sent: Callable[[Here], None]) -> None:
        """Pack files and upload the packs."""
        what, advice = "an asset of a release", "A bucket takes larger ones."
        for members in plan_whole(files, self._most_bytes, what=what, advice=advice):
            self._upload(f"{_TAG}{cycle}", opening(members))
            for file in members:
                sent(file)

    def fetch(self, wanted: Collection[str], keep: Keep) -> None:
        """Hand over the content of files; those that lie near each other in a pack with one request."""
        left = set(wanted)

        def fetch() -> None:
            for asset, index in self._packs(left):
                for group in runs_of_bytes({one: index[one] for one in left & index.keys()}, _WASTE):
                    start, last = group[0][1].start, group[-1][1]
                    stream = self._assets.stream(asset, start, last.start + last.size - start)
                    try:
                        for sha256, content in cut(stream, start, group):
                            keep(sha256, content)
                            left.discard(sha256)
                    except AskAgain:
                        self._forget()  # It may have been replaced by one without what was withdrawn.
                        raise

        self._patience.ask(fetch)

    def remove(self, sha256: str) -> None:
        """Replace each pack that has a file by one without it, then remove the old one."""
        for pack in self._packs({sha256}, fresh=True):
            if sha256 not in pack.spans:
                continue
            if len(pack.spans) > 1:
                self._upload_without(pack, sha256)
            self._assets.remove(pack.asset)
            self._index_file(pack.asset).unlink(missing_ok=True)
        if self.holds([sha256]):
            raise CheckFailed(
                f"{self.name} still have the file {sha256} after its pack was removed.",
                advice="Remove the pack there by hand, then repeat the command.",
            )

    def _upload_without(self, pack: _Pack, sha256: str) -> None:
        with unfinished_file(self._scratch_folder()) as (path, writing):

            def download() -> None:
                writing.seek(0)
                writing.truncate()
                for piece in self._assets.stream(pack.asset, 0, pack.asset.size):
                    writing.write(piece)
                writing.flush()

            self._patience.ask(download)
            try:
                with zipfile.ZipFile(path) as old:
                    members = {
                        one: (span.size, cast("Callable[[], BinaryIO]", partial(old.open, one)))
                        for one, span in pack.spans.items()
                        if one != sha256
                    }
                    self._upload(pack.asset.tag, members)
            except zipfile.BadZipFile as error:
                raise CheckFailed(
                    f"{self.name} have {pack.asset.name} damaged ({error}), so it cannot be packed anew.",
                    advice="Remove it there by hand and collect the cycle again from where its evidence lies.",
                ) from None

    def _upload(self, tag: str, members: Members) -> None:
        with unfinished_file(self._scratch_folder()) as (path, writing):
            write_pack(members, writing)
            writing.flush()
            made = fingerprint(path)
            self._assets.upload(path, made.size, f"{made.sha256}{_PACK}", self._with_room(tag))
        self._forget()

    def _with_room(self, tag: str) -> str:
        """Return the tag, or where its release is full that of the next one."""
        with self._lock:
            self._packs(set(), fresh=True)
            names = [tag, *(f"{tag}-{number}" for number in range(2, 1000))]
            return next(name for name in names if self._taken[name] < self._most_assets)

    def _scratch_folder(self) -> Path:
        self._scratch.mkdir(parents=True, exist_ok=True)
        return self._scratch

    def _forget(self) -> None:
        with self._lock:
            self._listed = -_FRESH

    def _packs(self, wanted: set[str], *, fresh: bool = False) -> tuple[_Pack, ...]:
        """Return what is known of the packs, listed anew where it lacks something that is wanted."""
        with self._lock:
            lacks = wanted - {sha256 for pack in self._known for sha256 in pack.spans}
            if fresh or (lacks and time.monotonic() - self._listed > _FRESH) or self._listed < 0:
                found = self._assets.listed(lambda tag: tag.startswith(_TAG))
                self._taken = Counter(asset.tag for asset in found)
                self._known = tuple(
                    _Pack(asset, self._index(asset)) for asset in found if asset.whole and asset.name.endswith(_PACK)
                )
                self._listed = time.monotonic()
            return self._known

    def _index(self, asset: Asset) -> Mapping[str, Span]:
        known = next((pack for pack in self._known if pack.asset.id == asset.id), None)
        if known is not None:
            return known.spans
        file = self._index_file(asset)
        try:
            return {sha256: Span(start, size) for sha256, (start, size) in json.loads(file.read_bytes()).items()}
        except (OSError, ValueError, AttributeError, TypeError):
            pass  # Not known yet, or damaged: it is read again.
        try:
            index = read_index(asset.size, partial(self._assets.read, asset))
        except CheckFailed as error:
            raise CheckFailed(
                f"{self.name} have {asset.name}: {error.what}", advice="Remove it there by hand."
            ) from None
        write_file(file, json.dumps(index).encode(), replace=True)
        return index

    def _index_file(self, asset: Asset) -> Path:
        return self._cache / f"{asset.id}-{asset.size}-{asset.name}.json"
