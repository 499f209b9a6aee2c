"""Who may sign what: the record of the committed policy, and of what a verifier trusts, which comes from outside."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Items, Part, Record, Sha256, Text, UtcTime
from argusic.records.signature import Purpose

#: The authority behind the signatures of public repositories.
PUBLIC_GOOD = "public_good"


class LocalRoot(Part):
    """The public half of a local authority."""

    name: Text
    """What it is called."""
    fingerprint: Sha256
    """The SHA-256 of `trusted_root`, by which signers name it."""
    trusted_root: Text
    """Its certificate and the keys of its logs, as Sigstore's trusted root in JSON."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        really = hashlib.sha256(self.trusted_root.encode()).hexdigest()
        if really != self.fingerprint:
            raise ValueError(f"fingerprint is not that of trusted_root, which is {really}")
        return self


class Signer(Part):
    """One who may sign. Whatever is stated must hold of the certificate; what is left out may be anything."""

    name: Text
    """What it is called."""
    authority: Literal["public_good"] | Sha256
    """Who certifies it: Sigstore's public good instance, or a local authority by its fingerprint."""
    issuer: Text | None = None
    """Who vouched for its identity."""
    identity: Text | None = None
    """Its identity, where it is no workflow."""
    repository: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")] | None = None
    """The repository that the workflow runs in, `owner/name`."""
    workflow: Annotated[str, Field(pattern=r"^\.github/workflows/[A-Za-z0-9_.-]+\.ya?ml$")] | None = None
    """The path of the workflow in it."""
    ref: Annotated[str, Field(pattern=r"^refs/(heads|tags)/\S+$")] | None = None
    """The branch or tag that it runs from."""
    runner: Literal["github-hosted", "self-hosted"] | None = None
    """The class of machine that it runs on."""
    may: Annotated[Items[Purpose], Field(min_length=1)]
    """What it may sign."""
    since: UtcTime
    """From when on."""
    until: UtcTime | None = None
    """Until when; None for as long as this stands."""

    @model_validator(mode="after")
    def _says_enough(self) -> Self:
        if self.authority == PUBLIC_GOOD:
            missing = [name for name in ("issuer", "repository", "workflow", "ref") if getattr(self, name) is None]
            if missing and (self.identity is None or self.issuer is None):
                raise ValueError(
                    f"a signer of the public good instance states its {', '.join(missing)}, or identity and issuer: "
                    "everyone on earth gets a certificate there"
                )
        if (self.workflow is None) != (self.repository is None) or (self.workflow is None) != (self.ref is None):
            raise ValueError("repository, workflow and ref are stated together")
        if self.until is not None and self.until <= self.since:
            raise ValueError("until is not after since")
        return self


class Trust(Record):
    """Who may sign what, from when to when.

    `rules/trust/policy.yaml` is the one that the repository states. A verifier goes by its own, from outside of what
    it verifies, which may well be a copy made when the repository was looked at.
    """

    roots: Items[LocalRoot] = ()
    """Local authorities."""
    signers: Items[Signer] = ()
    """Who may sign."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        known = {PUBLIC_GOOD, *(root.fingerprint for root in self.roots)}
        for signer in self.signers:
            if signer.authority not in known:
                raise ValueError(f"signer {signer.name!r} names an authority that roots does not hold")
        return self
