"""Who vouches for a run, as its page shows it: the signatures of each cycle, verified once when the site is built."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE
from argusic.evidence.signing.manifests import bundles
from argusic.evidence.signing.statement import unverified_statement
from argusic.evidence.signing.trusting import Trusting, trusting


@dataclass(frozen=True)
class RunSignature:
    """A signature that names a run.

    Attributes:
        path: Where it lies.
        problem: Why it proves nothing here, where it does not.
        signer: Who signed, where it holds.
        authority: Who certified the signer.
        at: When.
        judged: Whether whoever built the site had said who may sign.
    """

    path: PurePosixPath
    problem: str | None = None
    signer: str = ""
    authority: str = ""
    at: str = ""
    judged: bool = False

    @property
    def batch(self) -> str:
        """The batch that the run was signed in."""
        return self.path.name.removesuffix(".sigstore.json")


class Signatures:
    """The signatures of a database.

    Args:
        database: The database.
        trust: Whom to trust; by default what the user's own folder says.
    """

    def __init__(self, database: Database, trust: Trusting | None = None) -> None:
        self._database = database
        self._trust = trust
        self._cycles: dict[str, dict[str, tuple[str, RunSignature]]] = {}

    def of(self, cycle: str, folder: PurePosixPath) -> RunSignature | None:
        """Return the signature that names a run; None where nobody vouches for it.

        Args:
            cycle: The run's cycle.
            folder: The run's folder.
        """
        if cycle not in self._cycles:
            self._cycles[cycle] = self._of_cycle(cycle)
        manifest = folder / MANIFEST_FILE
        named = self._cycles[cycle].get(str(manifest))
        if named is None:
            return None
        sha256, signature = named
        if signature.problem is None and sha256 != hashlib.sha256(self._database.read_bytes(manifest)).hexdigest():
            return RunSignature(signature.path, "It names another manifest than the one that lies here.")
        return signature

    def _of_cycle(self, cycle: str) -> dict[str, tuple[str, RunSignature]]:
        """Return the digest of each manifest that a batch of the cycle names, with that batch's signature."""
        found: dict[str, tuple[str, RunSignature]] = {}
        for path in bundles(self._database, cycle):
            data = self._database.read_bytes(path)
            try:
                digests = unverified_statement(data).digests()
            except ValueError:
                continue  # It names nothing; `argusic verify` names it.
            signature = self._look(path, data)
            for name, sha256 in digests.items():
                known = found.get(name)
                if name.endswith(f"/{MANIFEST_FILE}") and (known is None or known[1].problem is not None):
                    found[name] = (sha256, signature)
        return found

    def _look(self, path: PurePosixPath, data: bytes) -> RunSignature:
        # Loading the library that verifies takes longer than reading a small database: only where it is needed.
        from argusic.evidence.signing.verifying import NotSigned, SignatureVerifier, UnknownAuthority

        if self._trust is None:
            self._trust = trusting(self._database.root)
        try:
            found = SignatureVerifier(self._trust).verify(path, data)
        except UnknownAuthority:
            return RunSignature(path, "It is certified by an authority that was not known where this page was built.")
        except NotSigned as error:
            return RunSignature(path, f"It does not hold: {error}.")
        identity = found.identity.identity
        return RunSignature(
            path,
            signer=f"{found.signer} ({identity})" if found.signer else identity,
            authority=found.authority,
            at=f"{found.identity.since:%Y-%m-%d %H:%M} UTC",
            judged=found.signer is not None,
        )
