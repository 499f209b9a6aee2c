"""Whom a verifier trusts: always from outside of the tree that it verifies, never from the tree or a bundle.

The root of Sigstore's public good instance comes with the `sigstore` package. Local roots, and who may sign, come from
a file named by hand, or else from the files in the user's own folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from argusic.database.codec import read_record
from argusic.database.paths import TRUST_PATH
from argusic.errors import InputError, Place
from argusic.evidence.keys import KeyFolder
from argusic.records.trust import LocalRoot, Signer, Trust

#: The folder of trust records beside the user's keys.
TRUST_FOLDER = "trust"


@dataclass(frozen=True)
class Trusting:
    """What a verifier trusts.

    Attributes:
        sources: The files that said so; none where nobody was named.
        roots: Local authorities.
        signers: Who may sign.
    """

    sources: tuple[Path, ...] = ()
    roots: tuple[LocalRoot, ...] = ()
    signers: tuple[Signer, ...] = ()

    @property
    def told(self) -> bool:
        """Whether the verifier was told whom to trust at all."""
        return bool(self.sources)


def named_by(policy: Trust) -> Trusting | None:
    """Return whom a repository's own policy names; None where it names nobody who may sign."""
    return Trusting((Path(TRUST_PATH),), policy.roots, policy.signers) if policy.signers else None


def trusting(root: Path, files: Sequence[Path] = (), keys: KeyFolder | None = None) -> Trusting:
    """Return whom to trust.

    Args:
        root: The top of the tree to be verified.
        files: Trust records named by hand; they replace the user's own.
        keys: The user's folder.

    Raises:
        InputError: A file is no trust record, or lies in the tree to be verified.
    """
    own = (keys or KeyFolder.of_user()).path(TRUST_FOLDER)
    sources = tuple(files) or tuple(sorted(own.glob("*.yaml")))
    roots: list[LocalRoot] = []
    signers: list[Signer] = []
    for source in sources:
        if source.resolve().is_relative_to(root.resolve()):
            raise InputError(
                "lies in the tree that is to be verified, which cannot vouch for itself.",
                place=Place(source),
                advice="Read it, and if you agree with it, copy it to a place outside.",
            )
        record = read_record(source, Trust)
        roots += record.roots
        signers += record.signers
    return Trusting(sources, tuple(roots), tuple(signers))
