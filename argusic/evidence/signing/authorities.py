"""Where a signer's certificate comes from: a local authority, or Sigstore's public good instance.

Whoever signs asks for a signer and does not care which it is.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from sigstore.errors import Error as SigstoreError
from sigstore.models import ClientTrustConfig
from sigstore.oidc import IdentityToken, detect_credential
from sigstore.sign import Signer, SigningContext

from argusic.errors import ArgusicError, EnvironmentLack
from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.available import Wanted, can_sign
from argusic.evidence.trust.authority import LocalAuthority
from argusic.evidence.trust.service import serving


class SigningAuthority(Protocol):
    """What certifies signers."""

    @property
    def name(self) -> str:
        """What it is called."""

    def signer(self) -> AbstractContextManager[Signer]:
        """Return a signer, good for many statements within some minutes.

        Raises:
            EnvironmentLack: It gives this process no identity, or cannot be reached.
        """


@dataclass(frozen=True)
class LocalSigning:
    """A local authority, served while something is being signed.

    Attributes:
        authority: The authority.
        claims: The identity to sign under; by default the authority's own name.
    """

    authority: LocalAuthority
    claims: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return f"the local authority {self.authority.name}"

    @contextmanager
    def signer(self) -> Iterator[Signer]:
        """Return a signer under the authority's own name, or under the claims."""
        with serving(self.authority, self.claims) as service:
            configuration = ClientTrustConfig.from_json(self.authority.configuration(service.address))
            yield from _signer(configuration, self.authority.token(self.claims), self.name)


@dataclass(frozen=True)
class PublicSigning:
    """Sigstore's public good instance, with the identity that a GitHub Actions job has.

    Attributes:
        configuration: The trust configuration; by default today's, as Sigstore publishes it.
    """

    configuration: ClientTrustConfig | None = None
    name: str = "Sigstore's public good instance"

    @contextmanager
    def signer(self) -> Iterator[Signer]:
        """Return a signer under the identity of the workflow that runs."""
        try:
            token = detect_credential()
        except SigstoreError as error:
            raise EnvironmentLack(
                f"this job is given no identity: {error}", advice="Give it `permissions: id-token: write`."
            ) from None
        if token is None:
            raise EnvironmentLack(
                "there is no identity to sign under: this is no job of GitHub Actions, and no local authority is here.",
                advice="Make one with `argusic trust init`.",
            )
        _refuse_private(token)
        try:
            configuration = self.configuration or ClientTrustConfig.production()
        except SigstoreError as error:
            raise EnvironmentLack(f"{self.name} cannot be reached: {error}") from None
        yield from _signer(configuration, token, self.name)


def choose(keys: KeyFolder, wanted: Wanted = "any") -> SigningAuthority:
    """Return the authority to sign with: the local one where the user's folder holds one, else the public one.

    Args:
        keys: The user's folder of private keys.
        wanted: `local` or `public` to have that one.

    Raises:
        EnvironmentLack: There is none.
    """
    if wanted != "public" and LocalAuthority.exists(keys):
        return LocalSigning(LocalAuthority(keys))
    if wanted == "local" or (wanted == "any" and not can_sign(keys)):
        raise EnvironmentLack(
            f"there is no local authority in {keys.folder}.", advice="Make one with `argusic trust init`."
        )
    return PublicSigning()


def _signer(configuration: ClientTrustConfig, token: str, name: str) -> Iterator[Signer]:
    try:
        with SigningContext.from_trust_config(configuration).signer(IdentityToken(token)) as signer:
            yield signer
    except ArgusicError:
        raise
    except Exception as error:  # The library lets through whatever its HTTP client and its parsers raise.
        raise EnvironmentLack(f"{name} did not sign: {type(error).__name__}: {error}".rstrip(": ")) from error


def _refuse_private(token: str) -> None:
    """Refuse to write a private repository's name into a log that is public and forgets nothing."""
    payload = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    if claims.get("repository_visibility", "public") != "public":
        raise EnvironmentLack(
            "this repository is not public, and a public signature would write its name into a log for ever.",
            advice="Sign with a local authority: `argusic trust init`.",
        )
