"""All signatures of some cycles, verified and compared with what lies there. Each bundle is verified once, whatever
the number of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

from argusic.database.database import Database
from argusic.database.listing import below
from argusic.database.paths import close_path, signature_path, signatures_folder
from argusic.errors import Finding, Place
from argusic.evidence.one_run import CheckedRun
from argusic.evidence.signing.comparing import Signed, compare_close
from argusic.evidence.signing.manifests import manifest_digests
from argusic.evidence.signing.statement import MOST_BYTES
from argusic.evidence.signing.trusting import Trusting
from argusic.evidence.signing.verifying import NotSigned, Signature, SignatureVerifier, UnknownAuthority
from argusic.evidence.vouching import VerifiedSignature, Vouching

_THREADS = 4


def vouching(
    database: Database, cycles: Sequence[str], wanted: Sequence[Path], checked: Sequence[CheckedRun], trusted: Trusting
) -> Vouching:
    """Verify the signatures of cycles and compare them with their runs.

    Args:
        database: The database.
        cycles: The cycles.
        wanted: What is verified: runs that were signed and should lie there are missed.
        checked: The runs that were looked at.
        trusted: Whom to trust.
    """
    made = Vouching(trusted.told, trusted.sources)
    verifier = SignatureVerifier(trusted)
    by_cycle: dict[str, list[CheckedRun]] = {}
    for run in checked:
        by_cycle.setdefault(run.folder.relative_to(database.root).parts[1], []).append(run)
    names = [path.relative_to(database.root).as_posix() for path in wanted]
    for cycle in cycles:
        signatures = _signatures(database, cycle, verifier, made)
        made.signatures += [_told(signature) for signature in signatures]
        signed = Signed(signatures)
        made.findings += signed.conflicts
        runs = by_cycle.get(cycle, [])
        for run in runs:
            if signed.holds(run, database.root):
                made.findings += signed.compare(run, database.root)
            else:
                made.add_unsigned(database.root, run)
        made.findings += signed.gone((run.folder.relative_to(database.root).as_posix() for run in runs), names)
        if any((database.root / "runs" / cycle).is_relative_to(path) for path in wanted):
            _close(database, cycle, signatures, made)
    return made


def _close(database: Database, cycle: str, signatures: Sequence[Signature], made: Vouching) -> None:
    closes = [signature for signature in signatures if signature.statement.purpose == "close"]
    if closes:
        made.findings += compare_close(closes[0], database.root, manifest_digests(database, cycle))
    elif made.told and database.holds(close_path(cycle)) and not database.holds(signature_path(cycle, "close")):
        made.findings.append(Finding(Place(close_path(cycle)), "no signature names this close"))


def _signatures(database: Database, cycle: str, verifier: SignatureVerifier, made: Vouching) -> list[Signature]:
    folder = signatures_folder(cycle)
    found = []
    for path, looked in _looked_at(database, [folder / one.name for one in below(database.root / folder, 1)], verifier):
        if isinstance(looked, Signature):
            found.append(looked)
        elif isinstance(looked, UnknownAuthority) and not made.told:
            made.unknown.append(Finding(Place(path), str(looked)))
        else:
            made.findings.append(Finding(Place(path), str(looked)))
    return found


def signatures_of(
    database: Database, paths: Sequence[PurePosixPath], trusted: Trusting
) -> tuple[list[Signature], list[Finding]]:
    """Verify some bundles.

    Args:
        database: The database.
        paths: The bundles.
        trusted: Whom to trust.

    Returns:
        The signatures that hold, and what is wrong with the other bundles.
    """
    looked = _looked_at(database, paths, SignatureVerifier(trusted))
    held = [one for _, one in looked if isinstance(one, Signature)]
    return held, [Finding(Place(path), f"{one}.") for path, one in looked if not isinstance(one, Signature)]


def _looked_at(
    database: Database, paths: Sequence[PurePosixPath], verifier: SignatureVerifier
) -> list[tuple[PurePosixPath, Signature | NotSigned]]:
    def look(path: PurePosixPath) -> Signature | NotSigned:
        try:
            return verifier.verify(path, _read(database.root / path))
        except NotSigned as error:
            return error

    with ThreadPoolExecutor(_THREADS) as pool:
        return list(zip(paths, pool.map(look, paths), strict=True))


def _read(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise NotSigned("it is no regular file")
    if path.stat().st_size > MOST_BYTES:
        raise NotSigned("it is larger than any signature")
    return path.read_bytes()


def _told(signature: Signature) -> VerifiedSignature:
    statement = signature.statement
    if statement.purpose == "batch":
        batch = statement.batch()
        runs, attempts = batch.counts.runs, len(batch.witnessed.attempts)
        not_seen, by_digests = tuple(batch.witnessed.not_seen), batch.witnessed.files_read == 0
    else:
        runs, attempts, not_seen, by_digests = statement.close().manifests, 0, (), False
    return VerifiedSignature(
        path=signature.path,
        identity=signature.identity.identity,
        signer=signature.signer,
        authority=signature.authority,
        at=signature.identity.since,
        runs=runs,
        attempts=attempts,
        not_seen=not_seen,
        by_digests=by_digests,
    )
