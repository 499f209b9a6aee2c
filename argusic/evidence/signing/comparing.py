"""Comparing what was signed with what lies there: every subject present and unchanged, and no file left over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from argusic.database.paths import MANIFEST_FILE, close_path, signatures_folder
from argusic.errors import Finding, Place
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.merkle import manifests_root
from argusic.evidence.one_run import CheckedRun
from argusic.evidence.signing.verifying import Signature


@dataclass(frozen=True)
class Vouched:
    """Who vouched for a file, and with which digest."""

    sha256: str
    batch: str


class Signed:
    """The files that the verified batches of a cycle vouch for, by path and by run folder."""

    def __init__(self, signatures: Iterable[Signature]) -> None:
        self.conflicts: list[Finding] = []
        self._by_folder: dict[str, dict[str, Vouched]] = {}
        for signature in signatures:
            if signature.statement.purpose == "batch":
                self._add(signature)

    def _add(self, signature: Signature) -> None:
        batch = signature.statement.batch().batch
        for path, sha256 in signature.statement.digests().items():
            folder, _, name = path.rpartition("/")
            files = self._by_folder.setdefault(folder, {})
            before = files.setdefault(name, Vouched(sha256, batch))
            if before.sha256 != sha256:
                what = f"batch {before.batch} signed {path} with another digest"
                self.conflicts.append(Finding(Place(signature.path), what))

    def folders(self) -> set[str]:
        """Return the folders of all runs that are vouched for."""
        return set(self._by_folder)

    def holds(self, run: CheckedRun, root: Path) -> bool:
        """Return whether anybody vouches for a run."""
        return MANIFEST_FILE in self._by_folder.get(run.folder.relative_to(root).as_posix(), {})

    def compare(self, run: CheckedRun, root: Path) -> Iterator[Finding]:
        """Compare one run that somebody vouches for with what was signed."""
        shown = run.folder.relative_to(root)
        if run.manifest is None:
            return  # What is wrong with it is said already.
        signed = self._by_folder.get(shown.as_posix(), {})
        lying = run.digests()
        for name in sorted(lying.keys() | signed.keys()):
            vouched = signed.get(name)
            if vouched is None:
                yield Finding(Place(shown / name), "no signature names it")
            elif name not in lying:
                yield Finding(Place(shown / name), f"batch {vouched.batch} signed it, and the manifest lacks it")
            elif lying[name] != vouched.sha256:
                what = f"it is not the file that batch {vouched.batch} signed: that has the digest {vouched.sha256}"
                yield Finding(Place(shown / name), what)

    def gone(self, present: Iterable[str], below: Iterable[str]) -> Iterator[Finding]:
        """Name the runs that were signed and are not there.

        Args:
            present: The folders of the runs that are there.
            below: Where to look.
        """
        places = [PurePosixPath(place) for place in below]
        for folder in sorted(self.folders() - set(present)):
            if any(PurePosixPath(folder).is_relative_to(place) for place in places):
                (vouched, *_) = self._by_folder[folder].values()
                yield Finding(Place(folder), f"it was signed in batch {vouched.batch} and is gone")


def compare_close(signature: Signature, root: Path, manifests: Mapping[PurePosixPath, str]) -> Iterator[Finding]:
    """Compare a closed cycle with what its close signed.

    Args:
        signature: The signature of the close.
        root: The top of the database.
        manifests: The digest of every manifest of the cycle, by its path.
    """
    close = signature.statement.close()
    digests = signature.statement.digests()
    for name, sha256 in digests.items():
        try:
            found = fingerprint(root / name).sha256
        except (OSError, ValueError):
            yield Finding(Place(name), f"the close of {close.cycle} signed it, and it is gone")
            continue
        if found != sha256:
            yield Finding(Place(name), f"it is not the file that the close of {close.cycle} signed")
    if str(close_path(close.cycle)) not in digests:
        yield Finding(Place(signature.path), f"it does not name {close_path(close.cycle)}")
    for path in later_files(root, close.cycle):
        if str(path) not in digests:
            yield Finding(Place(path), f"it was added after {close.cycle} was closed and signed")
    if manifests_root(manifests.items()) != close.manifests_root:
        what = (
            f"it signed {close.manifests} manifests, and {len(manifests)} lie there that are not those: "
            "a run was removed, added or changed since"
        )
        yield Finding(Place(signature.path), what)


def later_files(root: Path, cycle: str) -> list[PurePosixPath]:
    """Return what was decided about a cycle's runs and the batches that they were signed in: fixed by its close."""
    folders = [root / "runs" / cycle / "invalidations", root / "runs" / cycle / "screenings"]
    found = [path for folder in folders for path in folder.rglob("*.yaml")]
    found += [
        path for path in (root / signatures_folder(cycle)).glob("*.sigstore.json") if path.name != "close.sigstore.json"
    ]
    return sorted(PurePosixPath(path.relative_to(root).as_posix()) for path in found)
