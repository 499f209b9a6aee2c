"""The keys that things are sealed to: a pair for each cycle, a pair for each agent, one recovery pair for them all."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pyrage import IdentityError, x25519

from argusic.database.database import Database
from argusic.database.paths import recipients_path
from argusic.errors import InputError, Place
from argusic.evidence.keys import KeyFolder, refuse_inside_a_repository
from argusic.records.sealed import Recipients

_RECOVERY: Final = "sealing/recovery.key"


def ensure_recovery_key(keys: KeyFolder) -> str:
    """Return the public recovery key, making the pair if there is none."""
    return _ensure(keys, _RECOVERY)


def ensure_recipients(database: Database, cycle: str, keys: KeyFolder) -> Recipients:
    """Return the public keys of a cycle, making its pair and the record of it if there is none.

    Args:
        database: The database.
        cycle: The cycle's id.
        keys: The user's folder of private keys; looked at only where a pair is to be made.

    Raises:
        InputError: The folder lies in a repository, or the record is none.
    """
    path = recipients_path(cycle)
    if database.holds(path):
        return database.read(path, Recipients)
    refuse_inside_a_repository(keys.folder, database.root)
    made = Recipients(
        cycle=cycle,
        cycle_key=_ensure(keys, _cycle_key(cycle)),
        recovery_key=ensure_recovery_key(keys),
        made=datetime.now(UTC).replace(microsecond=0),
    )
    try:
        database.write(path, made)
    except InputError:
        if not database.holds(path):
            raise
        return database.read(path, Recipients)  # Another attempt was quicker.
    return made


def ensure_agent_key(keys: KeyFolder, agent: str) -> str:
    """Return the public key that the configuration of an agent is sealed to, making the pair if there is none."""
    return _ensure(keys, _agent_key(agent))


def private_keys(keys: KeyFolder, cycle: str) -> list[str]:
    """Return the private keys in the user's folder that may open what a cycle sealed.

    Raises:
        InputError: There is none.
    """
    return _held(keys, _cycle_key(cycle), f"what cycle {cycle} sealed")


def agent_private_keys(keys: KeyFolder, agent: str) -> list[str]:
    """Return the private keys in the user's folder that may open the sealed configuration of an agent.

    Raises:
        InputError: There is none.
    """
    return _held(keys, _agent_key(agent), f"the sealed configuration of {agent}")


def _held(keys: KeyFolder, own: str, what: str) -> list[str]:
    names = [name for name in (own, _RECOVERY) if keys.path(name).exists()]
    if not names:
        raise InputError(
            f"there is no key that opens {what}.",
            place=Place(keys.folder),
            advice="Name the file of one with --identity.",
        )
    return [keys.read(name).decode() for name in names]


def identities(text: str) -> list[x25519.Identity]:
    """Return the private keys in the text of a key file, as age writes one.

    Raises:
        InputError: There is none in it.
    """
    lines = [line.strip() for line in text.splitlines()]
    try:
        found = [x25519.Identity.from_str(line) for line in lines if line and not line.startswith("#")]
    except (IdentityError, ValueError):
        found = []
    if not found:
        raise InputError("the file holds no private key of age.")
    return found


def _ensure(keys: KeyFolder, name: str) -> str:
    if keys.path(name).exists():
        return str(identities(keys.read(name).decode())[0].to_public())
    pair = x25519.Identity.generate()
    try:
        keys.add(name, f"# public key: {pair.to_public()}\n{pair}\n".encode())
    except InputError:
        if not keys.path(name).exists():
            raise
        return _ensure(keys, name)  # Another process was quicker.
    return str(pair.to_public())


def _cycle_key(cycle: str) -> str:
    return f"sealing/cycles/{cycle}.key"


def _agent_key(agent: str) -> str:
    return f"sealing/agents/{agent}.key"
