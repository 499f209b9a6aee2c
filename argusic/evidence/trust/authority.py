"""A local authority: its keys in the user's folder, and what of them the world may know."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from argusic.errors import InputError, Place
from argusic.evidence.keys import KeyFolder
from argusic.evidence.trust.certificates import AUTHORITY_LIFE, certify, key_id, make_authority, public_bytes
from argusic.evidence.trust.log import SignatureLog
from argusic.records.base import check_slug
from argusic.records.trust import LocalRoot, Signer

#: Who vouches for identities here.
ISSUER: Final = "https://local.argusic.invalid"
_AUDIENCE: Final = "sigstore"
_FOLDER: Final = "authority"
_KEYS: Final = ("certificates", "certificate-log", "signature-log", "identities")

Clock = Callable[[], datetime]


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class LocalAuthority:
    """A local authority whose keys lie in the user's folder.

    Args:
        keys: The user's folder of private keys.
        clock: What tells the time.

    Raises:
        InputError: There is no authority, or a key of it cannot be read.
    """

    def __init__(self, keys: KeyFolder, clock: Clock = now) -> None:
        self.clock = clock
        ca, ct, log, self._identities = (_load(keys, name) for name in _KEYS)
        self._ca, self._ct, self._log = ca, ct, log
        self._certificate = x509.load_pem_x509_certificate(keys.read(f"{_FOLDER}/certificate.pem"))
        self.name = keys.read(f"{_FOLDER}/name").decode().strip()
        self.log = SignatureLog(keys.path(f"{_FOLDER}/signatures.log"), log)

    @classmethod
    def exists(cls, keys: KeyFolder) -> bool:
        """Return whether the folder holds an authority."""
        return keys.path(f"{_FOLDER}/certificate.pem").exists()

    @classmethod
    def create(cls, keys: KeyFolder, name: str, clock: Clock = now) -> LocalAuthority:
        """Make an authority.

        Args:
            keys: Where its keys go.
            name: What it is called, and whom it certifies.
            clock: What tells the time.

        Raises:
            InputError: There is one already, the name is none, or the folder lies in a repository.
        """
        try:
            check_slug(name)
        except ValueError as error:
            raise InputError(f"the name {name!r} {error}.") from None
        if cls.exists(keys):
            raise InputError("holds an authority already; it is never replaced.", place=Place(keys.path(_FOLDER)))
        made = {key: ec.generate_private_key(ec.SECP256R1()) for key in _KEYS}
        keys.add(f"{_FOLDER}/name", f"{name}\n".encode())
        for key, private in made.items():
            keys.add(f"{_FOLDER}/{key}.pem", _private_bytes(private))
        certificate = make_authority(made["certificates"], name, clock().replace(microsecond=0))
        keys.add(f"{_FOLDER}/certificate.pem", certificate.public_bytes(serialization.Encoding.PEM))
        return cls(keys, clock)

    def certify(self, request: x509.CertificateSigningRequest, claims: Mapping[str, str]) -> list[str]:
        """Return a signer's certificate and the authority's, in PEM."""
        leaf = certify(request, claims, self._certificate, self._ca, self._ct, self.clock())
        return [each.public_bytes(serialization.Encoding.PEM).decode() for each in (leaf, self._certificate)]

    def certified(self, certificate: x509.Certificate) -> bool:
        """Return whether a certificate is one of its own."""
        try:
            certificate.verify_directly_issued_by(self._certificate)
        except Exception:  # Whatever is wrong with a certificate from outside, it is not ours.
            return False
        return True

    def token(self, claims: Mapping[str, str] | None = None) -> str:
        """Return an identity token: of the authority's own name, or with other claims."""
        moment = int(self.clock().timestamp())
        stated: dict[str, Any] = {"iss": ISSUER, "sub": self.name, **(claims or {})}
        times = {"aud": _AUDIENCE, "iat": moment, "nbf": moment - 5, "exp": moment + 600, "jti": secrets.token_hex(8)}
        return jwt.encode({**stated, **times}, self._identities, algorithm="ES256")

    def claims(self, token: str) -> dict[str, str]:
        """Return the claims of a token of its own.

        Raises:
            ValueError: It is none.
        """
        try:
            claims = jwt.decode(
                token,
                self._identities.public_key(),
                algorithms=["ES256"],
                audience=_AUDIENCE,
                options={"verify_exp": False, "verify_nbf": False, "verify_iat": False},
            )
        except jwt.InvalidTokenError as error:
            raise ValueError(f"the token is none of this authority: {error}") from None
        if not claims["nbf"] <= self.clock().timestamp() <= claims["exp"]:
            raise ValueError("the token is not valid now")
        return {name: value for name, value in claims.items() if isinstance(value, str)}

    def root(self) -> LocalRoot:
        """Return what the world may know of it."""
        text = json.dumps(self._trusted_root(), sort_keys=True, separators=(",", ":"))
        return LocalRoot(name=self.name, fingerprint=hashlib.sha256(text.encode()).hexdigest(), trusted_root=text)

    def signer(self) -> Signer:
        """Return the signer that it certifies, allowed everything for as long as the authority lives."""
        since = self._certificate.not_valid_before_utc
        return Signer(
            name=self.name,
            authority=self.root().fingerprint,
            issuer=ISSUER,
            identity=f"{ISSUER}/{self.name}",
            may=("batch", "close"),
            since=since,
            until=since + AUTHORITY_LIFE - timedelta(seconds=1),
        )

    def configuration(self, address: str) -> str:
        """Return the trust configuration for clients, with its services at `address`, as JSON."""
        valid = {"validFor": {"start": self._since()}}
        service = [{"url": address, "majorApiVersion": 1, "operator": ISSUER, **valid}]
        return json.dumps(
            {
                "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
                "trustedRoot": self._trusted_root(),
                "signingConfig": {
                    "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
                    "caUrls": service,
                    "oidcUrls": service,
                    "rekorTlogUrls": service,
                    "rekorTlogConfig": {"selector": "ANY"},
                    "tsaUrls": [],
                    "tsaConfig": {"selector": "ANY"},
                },
            }
        )

    def _trusted_root(self) -> dict[str, Any]:
        valid = {"start": self._since()}
        certificate = _base64(self._certificate.public_bytes(serialization.Encoding.DER))
        authority = {
            "subject": {"organization": "Argusic", "commonName": self.name},
            "uri": ISSUER,
            "certChain": {"certificates": [{"rawBytes": certificate}]},
            "validFor": valid,
        }
        return {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "certificateAuthorities": [authority],
            "ctlogs": [_log(self._ct, valid)],
            "tlogs": [_log(self._log, valid)],
            "timestampAuthorities": [],
        }

    def _since(self) -> str:
        return self._certificate.not_valid_before_utc.strftime("%Y-%m-%dT%H:%M:%SZ")


def _log(key: ec.EllipticCurvePrivateKey, valid: dict[str, str]) -> dict[str, Any]:
    public = {
        "rawBytes": _base64(public_bytes(key.public_key())),
        "keyDetails": "PKIX_ECDSA_P256_SHA_256",
        "validFor": valid,
    }
    log_id = {"keyId": _base64(key_id(key.public_key()))}
    return {"baseUrl": ISSUER, "hashAlgorithm": "SHA2_256", "publicKey": public, "logId": log_id}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _private_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _load(keys: KeyFolder, name: str) -> ec.EllipticCurvePrivateKey:
    path = f"{_FOLDER}/{name}.pem"
    try:
        key = serialization.load_pem_private_key(keys.read(path), None)
    except ValueError:
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise InputError("holds no private key of a local authority.", place=Place(keys.path(path)))
    return key
