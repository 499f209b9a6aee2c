"""Who signed, as the certificate of a verified signature states it, and whether the policy allows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat import asn1
from cryptography.x509.oid import ObjectIdentifier

from argusic.records.signature import Purpose
from argusic.records.trust import Signer

_FULCIO: Final = "1.3.6.1.4.1.57264.1."
_GITHUB: Final = "https://github.com/"


@dataclass(frozen=True)
class Identity:
    """What a signer's certificate states.

    Attributes:
        identity: The name: a workflow's address, or another.
        issuer: Who vouched for it.
        repository: The repository that the workflow ran in, by its address.
        ref: The branch or tag that it ran from.
        runner: The class of machine that it ran on.
        commit: The commit that it ran from.
        job: The address of the job.
        since: When the certificate's few minutes began: the signature was made within them.
        until: When they ended.
    """

    identity: str
    issuer: str | None
    repository: str | None
    ref: str | None
    runner: str | None
    commit: str | None
    job: str | None
    since: datetime
    until: datetime

    @classmethod
    def of(cls, certificate: x509.Certificate) -> Identity:
        """Return what a certificate states. Whether it can be believed is not looked at here.

        Raises:
            ValueError: It states no identity, or states it in no form that is known.
        """
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        kinds = (x509.UniformResourceIdentifier, x509.RFC822Name)
        found = [name for kind in kinds for name in names.get_values_for_type(kind)]
        if len(found) != 1:
            raise ValueError("the certificate states no identity, or several")
        return cls(
            identity=found[0],
            issuer=_stated(certificate, "8"),
            repository=_stated(certificate, "12"),
            ref=_stated(certificate, "14"),
            runner=_stated(certificate, "11"),
            commit=_stated(certificate, "13"),
            job=_stated(certificate, "21"),
            since=certificate.not_valid_before_utc,
            until=certificate.not_valid_after_utc,
        )


def allowed(identity: Identity, authority: str, purpose: Purpose, signers: Iterable[Signer]) -> Signer | list[str]:
    """Return the signer of the policy that someone is, or why it is none of them.

    Args:
        identity: Who signed.
        authority: Who certified it, as signers name it.
        purpose: What was signed.
        signers: Who may sign.
    """
    reasons = []
    for signer in signers:
        if signer.authority != authority:
            continue
        why = _unlike(identity, purpose, signer)
        if why is None:
            return signer
        reasons.append(f"it is not {signer.name}: {why}")
    return reasons or ["nobody who is certified by this authority may sign"]


def _unlike(identity: Identity, purpose: Purpose, signer: Signer) -> str | None:
    wanted = {
        "issuer": (signer.issuer, identity.issuer),
        "identity": (signer.identity, identity.identity),
        "runner": (signer.runner, identity.runner),
    }
    if signer.repository is not None:
        workflow = f"{_GITHUB}{signer.repository}/{signer.workflow}@{signer.ref}"
        wanted |= {
            "repository": (f"{_GITHUB}{signer.repository}", identity.repository),
            "workflow": (workflow, identity.identity),
            "ref": (signer.ref, identity.ref),
        }
    for what, (expected, stated) in wanted.items():
        if expected is not None and expected != stated:
            return f"its {what} is {stated or 'not stated'}, not {expected}"
    if purpose not in signer.may:
        return f"it may not sign a {purpose}"
    if identity.since < signer.since:
        return f"it may sign from {signer.since:%Y-%m-%d %H:%M} UTC on, and signed at {identity.since:%Y-%m-%d %H:%M}"
    if signer.until is not None and identity.until > signer.until:
        return f"it might sign until {signer.until:%Y-%m-%d %H:%M} UTC, and signed at {identity.since:%Y-%m-%d %H:%M}"
    return None


def _stated(certificate: x509.Certificate, number: str) -> str | None:
    try:
        extension = certificate.extensions.get_extension_for_oid(ObjectIdentifier(_FULCIO + number))
    except x509.ExtensionNotFound:
        return None
    assert isinstance(extension.value, x509.UnrecognizedExtension), "cryptography does not know Fulcio's extensions"
    return asn1.decode_der(str, extension.value.value)
