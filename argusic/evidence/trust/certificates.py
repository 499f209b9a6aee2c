"""The certificates of a local authority, and of the signers that it certifies, as Sigstore's Fulcio makes them.

A signer's certificate lives ten minutes, states the identity that a token vouched for, and carries the receipt of a
certificate log (RFC 6962, section 3), which is signed over the certificate as it would be without the receipt.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat import asn1
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

#: How long a signer's certificate lives.
LEAF_LIFE: Final = timedelta(minutes=10)
#: How long an authority lives.
AUTHORITY_LIFE: Final = timedelta(days=5 * 365)

_FULCIO: Final = "1.3.6.1.4.1.57264.1."
#: Which claim of a token becomes which of Fulcio's extensions (sigstore/fulcio, docs/oid-info.md).
_EXTENSIONS: Final = (("runner_environment", "11"), ("sha", "13"), ("ref", "14"), ("event_name", "20"))
_RECEIPTS: Final = ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_ECDSA_SHA256: Final = b"\x04\x03"


def public_bytes(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return a public key as DER."""
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def key_id(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return the id by which logs name a key."""
    return hashlib.sha256(public_bytes(key)).digest()


def make_authority(key: ec.EllipticCurvePrivateKey, name: str, at: datetime) -> x509.Certificate:
    """Return the certificate of a new authority, signed by itself."""
    subject = x509.Name(
        [x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Argusic"), x509.NameAttribute(NameOID.COMMON_NAME, name)]
    )
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(at)
        .not_valid_after(at + AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def certify(
    request: x509.CertificateSigningRequest,
    claims: Mapping[str, str],
    authority: x509.Certificate,
    key: ec.EllipticCurvePrivateKey,
    log_key: ec.EllipticCurvePrivateKey,
    at: datetime,
) -> x509.Certificate:
    """Return a signer's certificate.

    Args:
        request: What the signer asks for; only its public key is used.
        claims: The claims of the token that vouches for it.
        authority: The authority's certificate.
        key: The authority's key.
        log_key: The key of the certificate log.
        at: When.
    """
    at = at.replace(microsecond=0)
    builder = _signer(request, claims, authority, key, at)
    unreceipted = builder.sign(key, hashes.SHA256())
    receipt = _receipt(unreceipted.tbs_certificate_bytes, key_id(key.public_key()), log_key, at)
    # The verifier takes this extension out again to check the receipt: it must be the last one.
    return builder.add_extension(x509.UnrecognizedExtension(_RECEIPTS, receipt), critical=False).sign(
        key, hashes.SHA256()
    )


def _signer(
    request: x509.CertificateSigningRequest,
    claims: Mapping[str, str],
    authority: x509.Certificate,
    key: ec.EllipticCurvePrivateKey,
    at: datetime,
) -> x509.CertificateBuilder:
    public = request.public_key()
    if not isinstance(public, ec.EllipticCurvePublicKey):
        raise ValueError("the request is for a key of another kind")
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(authority.subject)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(at)
        .not_valid_after(at + LEAF_LIFE)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.UniformResourceIdentifier(_identity(claims))]), critical=True)
    )
    stated = {"1": claims["iss"].encode(), "8": asn1.encode_der(claims["iss"])}
    if repository := claims.get("repository"):
        stated["12"] = asn1.encode_der(f"https://github.com/{repository}")
    stated |= {number: asn1.encode_der(claims[claim]) for claim, number in _EXTENSIONS if claim in claims}
    for number, value in stated.items():
        extension = x509.UnrecognizedExtension(ObjectIdentifier(_FULCIO + number), value)
        builder = builder.add_extension(extension, critical=False)
    return builder


def _identity(claims: Mapping[str, str]) -> str:
    workflow = claims.get("job_workflow_ref")
    return f"https://github.com/{workflow}" if workflow else f"{claims['iss']}/{claims['sub']}"


def _receipt(certificate: bytes, issuer: bytes, log_key: ec.EllipticCurvePrivateKey, at: datetime) -> bytes:
    """Return the list of one signed certificate timestamp, as its extension holds it."""
    moment = int(at.timestamp() * 1000)
    signed = struct.pack("!BBQH", 0, 0, moment, 1) + issuer + len(certificate).to_bytes(3, "big") + certificate
    signature = log_key.sign(signed + b"\0\0", ec.ECDSA(hashes.SHA256()))
    receipt = b"\0" + key_id(log_key.public_key()) + struct.pack("!QH", moment, 0) + _ECDSA_SHA256 + _sized(signature)
    return asn1.encode_der(_sized(_sized(receipt)))


def _sized(data: bytes) -> bytes:
    return struct.pack("!H", len(data)) + data


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
