"""Setting up a local authority: its keys, the trust of whoever made it, and the recovery key for sealed evidence."""

from __future__ import annotations

import getpass
import re
import socket
from pathlib import Path

from argusic.database.codec import dump
from argusic.evidence.keys import KeyFolder, refuse_inside_a_repository
from argusic.evidence.sealing.keys import ensure_recovery_key
from argusic.evidence.signing.trusting import TRUST_FOLDER
from argusic.evidence.trust.authority import LocalAuthority
from argusic.records.trust import Trust


def start_authority(keys: KeyFolder, name: str | None = None, *, root: Path | None = None) -> LocalAuthority:
    """Make a local authority that its maker trusts from then on.

    Args:
        keys: The user's folder of private keys.
        name: What it is called; by default after the user and the machine.
        root: The top of a database that the keys must not lie in.

    Raises:
        InputError: There is one already, the name is none, or the folder lies in a repository.
        OSError: The folder cannot be written.
    """
    refuse_inside_a_repository(keys.folder, root)
    authority = LocalAuthority.create(keys, name or default_name())
    trust_own(keys, authority)
    ensure_recovery_key(keys)
    return authority


def trust_own(keys: KeyFolder, authority: LocalAuthority) -> Path:
    """Return the file by which the user trusts an authority of their own; write it where it is not there."""
    name = f"{TRUST_FOLDER}/{authority.name}.yaml"
    path = keys.path(name)
    return path if path.exists() else keys.add(name, dump(own_trust(authority)))


def own_trust(authority: LocalAuthority) -> Trust:
    """Return what whoever trusts an authority states."""
    return Trust(roots=(authority.root(),), signers=(authority.signer(),))


def default_name() -> str:
    """Return a name after the user and the machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # A user without a name, as containers have them.
        user = "local"
    text = re.sub(r"[^a-z0-9_-]+", "-", f"{user}-{socket.gethostname()}".lower()).strip("-")
    return text[:60] or "local"
