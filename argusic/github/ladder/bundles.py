"""The signatures that come with collected runs: each names exactly their files, and is verified under the policy."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.database import Database
from argusic.database.paths import TRUST_PATH, signature_path
from argusic.errors import CheckFailed, InputError, Place
from argusic.evidence.one_run import CheckedRun
from argusic.evidence.signing.statement import MOST_BYTES, unverified_statement
from argusic.evidence.signing.trusting import Trusting, named_by
from argusic.records.trust import Trust

#: How the name of a bundle ends, and how many are read at most.
_SUFFIX: Final = ".sigstore.json"
_MOST: Final = 1000


@dataclass(frozen=True)
class Signature:
    """A signature over collected runs, and what is known of it.

    Attributes:
        path: Where its bundle belongs.
        data: The bundle.
        folders: The folders of the runs that it names.
        by: Who signed, in a few words; None where the authority is not known here.
    """

    path: PurePosixPath
    data: bytes
    folders: frozenset[str]
    by: str | None = None


def read_bundles(folder: Path, cycle: str) -> Iterator[Signature]:
    """Yield the signatures in a folder. Nobody was asked yet whether they hold.

    Raises:
        InputError: There is no such folder.
        CheckFailed: Something else lies there, or a bundle is not of this cycle.
    """
    if not folder.is_dir():
        raise InputError("is no folder.", place=Place(folder))
    found = sorted(path for path in folder.rglob(f"*{_SUFFIX}"))
    if len(found) > _MOST:
        raise CheckFailed(f"holds {len(found):,} signatures; {_MOST:,} are read at most.", place=Place(folder))
    for path in found:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise CheckFailed("is no signature: it is no regular file, or too large.", place=Place(path))
        data = path.read_bytes()
        try:
            statement = unverified_statement(data)
            batch = statement.batch()
        except ValueError as error:
            raise CheckFailed(f"is no signature over runs: {error}.", place=Place(path)) from None
        if batch.cycle != cycle:
            raise CheckFailed(f"was made for runs of cycle {batch.cycle}, not {cycle}.", place=Place(path))
        folders = frozenset(name.rpartition("/")[0] for name in statement.digests())
        yield Signature(signature_path(cycle, batch.batch), data, folders)


def must_name_exactly(signature: Signature, checked: Mapping[str, CheckedRun]) -> None:
    """Refuse a signature that names other files than those of collected runs.

    Args:
        signature: The signature.
        checked: The collected runs, by their folder.

    Raises:
        CheckFailed: It names a run that was not collected, or not exactly the files of one that was.
    """
    place = Place(signature.path.name)
    if strange := sorted(signature.folders - checked.keys()):
        raise CheckFailed(f"names {strange[0]}, which was not collected.", place=place)
    named = unverified_statement(signature.data).digests()
    files = ((path, checked[path].digests()) for path in signature.folders)
    really = {f"{path}/{name}": sha256 for path, digests in files for name, sha256 in digests.items()}
    for name in sorted(named.keys() | really.keys()):
        if named.get(name) != really.get(name):
            what = "does not name" if name not in named else "names" if name not in really else "names other bytes of"
            raise CheckFailed(f"{what} {name}, and is to name exactly the files of its runs.", place=place)


def policy_of(database: Database) -> Trusting | None:
    """Return who may sign, as the repository that is checked out states it; None where it names nobody.

    Raises:
        InputError: It is not valid.
    """
    if not database.holds(TRUST_PATH):
        return None
    return named_by(database.read(TRUST_PATH, Trust))


def verified(signature: Signature, policy: Trusting | None) -> Signature:
    """Return a signature with who made it.

    Args:
        signature: The signature.
        policy: Who may sign; None where nobody is named, so that it is only to be whole.

    Raises:
        CheckFailed: It does not hold, or was made by somebody who may not sign.
    """
    # Loading the library that verifies takes longer than verifying: only where there is something for it.
    from argusic.evidence.signing.verifying import NotSigned, SignatureVerifier, UnknownAuthority

    try:
        found = SignatureVerifier(policy or Trusting()).verify(signature.path, signature.data)
    except UnknownAuthority as error:
        if policy is not None:
            raise CheckFailed(f"{error}.", place=Place(signature.path.name)) from None
        return signature
    except NotSigned as error:
        raise CheckFailed(f"{error}.", place=Place(signature.path.name)) from None
    by = f"{found.signer or found.identity.identity}, certified by {found.authority}"
    return Signature(signature.path, signature.data, signature.folders, by)


def unvouched(runs: Collection[PurePosixPath], signatures: Collection[Signature]) -> list[PurePosixPath]:
    """Return the folders of runs that no signature names."""
    named = {folder for signature in signatures for folder in signature.folders}
    return sorted(folder for folder in runs if str(folder) not in named)
