"""Checking one signature: made by someone who may, over a statement that is about this very cycle.

The library checks the certificate, its receipt, the log's proof and promise, the times and the signature. It looks
neither at the payload's type nor at what the statement says; both are looked at here. Whether the files are those that
the statement names is for `argusic.evidence.signing.comparing`.
"""

from __future__ import annotations

import importlib.resources
import tempfile
import urllib.parse
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from cryptography import x509
from sigstore.errors import Error as SigstoreError
from sigstore.models import Bundle, TrustedRoot
from sigstore.verify import Verifier

from argusic.database.paths import what_is
from argusic.errors import InputError
from argusic.evidence.signing.identity import Identity, allowed
from argusic.evidence.signing.statement import PAYLOAD_TYPE, Statement, read_statement
from argusic.evidence.signing.trusting import Trusting
from argusic.records.trust import PUBLIC_GOOD, LocalRoot

#: The rows of the table of paths that a batch may name.
_BATCH_ROWS: Final = ("run", "manifest", "evidence")
_PUBLIC_STORE: Final = urllib.parse.quote("https://tuf-repo-cdn.sigstore.dev", safe="")


@dataclass(frozen=True)
class Signature:
    """A signature that was verified.

    Attributes:
        path: Where its bundle lies.
        statement: What was signed.
        identity: Who signed, by the certificate.
        authority: Who certified that.
        signer: The signer's name in the verifier's policy; None where the verifier was told of nobody.
    """

    path: PurePosixPath
    statement: Statement
    identity: Identity
    authority: str
    signer: str | None


class NotSigned(Exception):
    """What is wrong with a bundle, in one clause."""


class UnknownAuthority(NotSigned):
    """The bundle was certified by an authority that the verifier does not know."""


class SignatureVerifier:
    """Verifies bundles against what a verifier trusts.

    Args:
        trusting: The roots and the policy, from outside of the tree.
    """

    def __init__(self, trusting: Trusting) -> None:
        self._trusting = trusting

    @cached_property
    def _roots(self) -> dict[bytes, tuple[str, str, Verifier]]:
        """The verifier of each authority, with how policies and people call it, by the id of its key."""
        roots = [(PUBLIC_GOOD, "Sigstore's public good instance", public_root())]
        for local in self._trusting.roots:
            roots.append((local.fingerprint, f"the local authority {local.name}", local_root(local)))
        known = {}
        for authority, name, root in roots:
            verifier = Verifier(trusted_root=root)
            for certificate in root.get_fulcio_certs():
                known[_own_key(certificate)] = (authority, name, verifier)
        return known

    def verify(self, path: PurePosixPath, data: bytes) -> Signature:
        """Verify one bundle.

        Args:
            path: Where it lies in the database: it must be about that cycle and that batch.
            data: Its bytes.

        Raises:
            UnknownAuthority: The verifier does not know who certified the signer.
            NotSigned: Anything else is wrong with it.
        """
        try:
            bundle = Bundle.from_json(data)
            certificate = bundle.signing_certificate
            issuer = _issuing_key(certificate)
        except Exception as error:  # Whatever a bundle from outside makes the library raise: it is none.
            raise NotSigned(f"it is no Sigstore bundle ({_short(error)})") from None
        if issuer not in self._roots:
            raise UnknownAuthority(f"it is certified by an authority that is not known here (key id {issuer.hex()})")
        authority, name, verifier = self._roots[issuer]
        try:
            kind, payload = verifier.verify_dsse(bundle, _AnyIdentity())
            identity = Identity.of(certificate)
        except Exception as error:  # As above.
            raise NotSigned(f"its signature does not hold ({_short(error)})") from None
        if kind != PAYLOAD_TYPE:
            raise NotSigned(f"it signs {kind!r}, which is no in-toto statement")
        try:
            statement = read_statement(payload)
        except ValueError as error:
            raise NotSigned(str(error)) from None
        _about(path, statement)
        return Signature(path, statement, identity, name, self._signer(identity, authority, statement))

    def _signer(self, identity: Identity, authority: str, statement: Statement) -> str | None:
        if not self._trusting.told:
            return None
        found = allowed(identity, authority, statement.purpose, self._trusting.signers)
        if isinstance(found, list):
            raise NotSigned(f"{identity.identity} signed it, who may not: {'; '.join(found)}")
        return found.name


def public_root() -> TrustedRoot:
    """Return the root of Sigstore's public good instance that the installed `sigstore` package carries."""
    inside = importlib.resources.files("sigstore") / "_store" / _PUBLIC_STORE / "trusted_root.json"
    with importlib.resources.as_file(inside) as file:
        return TrustedRoot.from_file(str(file))


def local_root(root: LocalRoot) -> TrustedRoot:
    """Return the root of a local authority.

    Raises:
        InputError: It is none.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(root.trusted_root)
        file.flush()
        try:
            return TrustedRoot.from_file(file.name)
        except (SigstoreError, ValueError):
            raise InputError(f"the root of {root.name!r} is no trusted root of Sigstore.") from None


class _AnyIdentity:
    """Lets every identity pass here: the policy is asked once the statement is known too."""

    def verify(self, cert: x509.Certificate) -> None:
        """Let it pass."""


def _about(path: PurePosixPath, statement: Statement) -> None:
    """Refuse a statement that was made for another cycle or batch, or about other files."""
    cycle, batch = path.parts[1], path.name.removesuffix(".sigstore.json")
    names = statement.digests()
    if statement.purpose == "close":
        close = statement.close()
        if (close.cycle, "close") != (cycle, batch):
            raise NotSigned(f"it was made for the close of {close.cycle}")
        if strange := [name for name in names if what_is(name) is None]:
            raise NotSigned(f"it names {strange[0]!r}, which is no file of the database")
        return
    made = statement.batch()
    if (made.cycle, made.batch) != (cycle, batch):
        raise NotSigned(f"it was made for batch {made.batch} of cycle {made.cycle}")
    runs = 0
    for name in names:
        holding = what_is(name)
        if holding is None or holding.row.name not in _BATCH_ROWS or holding.ids["cycle"] != cycle:
            raise NotSigned(f"it names {name!r}, which is no file of a run of cycle {cycle}")
        runs += holding.row.name == "manifest"
    said, found = (made.counts.runs, made.counts.files), (runs, len(names))
    if said != found:
        raise NotSigned(f"it counts {said[0]} runs and {said[1]} files, and names {found[0]} and {found[1]}")


def _own_key(certificate: x509.Certificate) -> bytes:
    return certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest


def _issuing_key(certificate: x509.Certificate) -> bytes:
    key = certificate.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier
    if key is None:
        raise ValueError("the certificate does not say who issued it")
    return key


def _short(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 160 else f"{text[:157]}..."
