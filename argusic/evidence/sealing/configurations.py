"""The sealed configuration of an agent: committed to by digest, kept encrypted outside of git, revealed as a new file.

The file that reveals it is its canonical form, so that anyone can compare with `sha256sum` what was committed to.
"""

from __future__ import annotations

import hashlib
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyrage
from pyrage import RecipientError, x25519

from argusic.database.codec import dump, parse_record
from argusic.database.database import Database
from argusic.database.paths import agent_path, revealed_path
from argusic.errors import CheckFailed, InputError, Place
from argusic.evidence.keys import KeyFolder
from argusic.evidence.sealing.keys import agent_private_keys, identities
from argusic.evidence.store import EvidenceStore
from argusic.evidence.stores.configured import store_of
from argusic.records.agent import Agent
from argusic.records.configuration import Configuration
from argusic.records.sealed import SealedConfiguration


def new_salt() -> str:
    """Return a fresh salt, without which a configuration could be guessed by its digest."""
    return secrets.token_hex(32)


def seal_configuration(
    configuration: Configuration, store: EvidenceStore, recipients: Sequence[str]
) -> SealedConfiguration:
    """Encrypt a configuration and put it into the evidence store.

    Args:
        configuration: The configuration.
        store: Where it goes.
        recipients: The public keys of age that it is encrypted to.

    Raises:
        InputError: A recipient is no public key of age.
        OSError: The disk is full or fails.
    """
    keys = sorted(set(recipients))
    try:
        to = [x25519.Recipient.from_str(key) for key in keys]
    except (RecipientError, ValueError):
        raise InputError("a recipient is no public key of age (age1...).") from None
    with tempfile.TemporaryDirectory(prefix="argusic-sealing-") as folder:
        encrypted = Path(folder) / "sealed"
        encrypted.write_bytes(pyrage.encrypt(dump(configuration), to))
        stored = store.put(encrypted)
    return SealedConfiguration(sealed_size=stored.size, sealed_sha256=stored.sha256, recipients=tuple(keys))


def unseal_configuration(agent: Agent, store: EvidenceStore, keys: Sequence[x25519.Identity]) -> Configuration:
    """Decrypt the configuration of an agent and check that it is the one committed to.

    Raises:
        CheckFailed: It is not in the store, or what is inside is not what the agent's file commits to.
        InputError: The agent has no sealed configuration, or none of the keys opens it.
    """
    if agent.sealed is None:
        raise InputError(f"agent {agent.agent} has no sealed configuration.")
    encrypted = store.read(agent.sealed.sealed_sha256)
    try:
        data = pyrage.decrypt(encrypted, list(keys))
    except pyrage.DecryptError as error:
        raise InputError(f"none of the keys opens the configuration of {agent.agent}: {error}.") from None
    if hashlib.sha256(data).hexdigest() != agent.commitment:
        raise CheckFailed(
            f"what was sealed as the configuration of {agent.agent} is not what its file commits to.",
            place=Place(agent_path(agent.agent), field="commitment"),
        )
    return parse_record(data, Configuration, file=f"the sealed configuration of {agent.agent}")


def exact_configuration(database: Database, agent: Agent, keys: KeyFolder) -> Configuration | None:
    """Return the exact configuration that an agent is run with; None for an agent without a model.

    Args:
        database: The database.
        agent: The agent.
        keys: The user's folder of private keys, looked at only where it is sealed and not revealed.

    Raises:
        CheckFailed: It is not what was committed to, or is not in the evidence store.
        InputError: It is sealed and there is no key here that opens it.
    """
    if agent.configuration is not None:
        return agent.configuration.of(agent.agent)
    if agent.commitment is None:
        return None
    path = revealed_path(agent.agent)
    if database.holds(path):
        if hashlib.sha256(database.read_bytes(path)).hexdigest() != agent.commitment:
            raise CheckFailed("is not what the agent's file commits to.", place=Place(path))
        return database.read(path, Configuration)
    texts = agent_private_keys(keys, agent.agent)
    return unseal_configuration(agent, store_of(database), [key for text in texts for key in identities(text)])


def reveal(database: Database, agent: Agent, keys: Sequence[x25519.Identity]) -> Configuration:
    """Reveal the configuration of an agent: a new file, beside the one that committed to it.

    Raises:
        CheckFailed: It is not in the store, or is not what was committed to.
        InputError: It is open or was revealed before, or none of the keys opens it.
    """
    path = revealed_path(agent.agent)
    if agent.sealed is None:
        why = "its configuration is open" if agent.configuration is not None else "it uses no model"
        raise InputError(f"nothing of agent {agent.agent} is sealed: {why}.")
    if database.holds(path):
        raise InputError("is there already.", place=Place(path))
    configuration = unseal_configuration(agent, store_of(database), keys)
    database.write(path, configuration)
    return configuration
