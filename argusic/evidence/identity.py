"""Whether the configuration of an agent that was revealed is the one that its file committed to before it was run."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import agent_path, revealed_path
from argusic.errors import CheckFailed, Finding, InputError, Place
from argusic.evidence.store import EvidenceStore
from argusic.records.agent import Agent
from argusic.records.configuration import Configuration


@dataclass(frozen=True)
class Identities:
    """What is known of the agents that use a model.

    Attributes:
        open: Those whose configuration stands in their file.
        revealed: Those whose configuration was sealed and is revealed, and is what was committed to.
        sealed: Those whose configuration is not revealed yet, with the day by which it is to be, where one is stated.
        absent: Those of them whose sealed configuration is not on this machine.
        findings: What is wrong.
    """

    open: tuple[str, ...]
    revealed: tuple[str, ...]
    sealed: tuple[tuple[str, str | None], ...]
    absent: tuple[str, ...]
    findings: tuple[Finding, ...]


def commitment(configuration: Configuration) -> str:
    """Return what an agent's file commits to: the digest of the configuration's canonical form.

    Raises:
        ValueError: It has no salt, so that its digest would tell it to whoever guesses.
    """
    if configuration.salt is None:
        raise ValueError("a configuration without a salt is no secret")
    return hashlib.sha256(dump(configuration)).hexdigest()


def disagreement(agent: Agent, revealed: Configuration) -> str | None:
    """Return why what was revealed is not what an agent's file committed to; None where it is."""
    if agent.commitment is None:
        return f"reveals the configuration of {agent.agent}, which committed to none."
    if revealed.salt is None:
        return "has no salt, and so is not what was committed to."
    found = commitment(revealed)
    if found != agent.commitment:
        return f"is not what {agent_path(agent.agent)} commits to: its sha256 is {found}, not {agent.commitment}."
    if (revealed.program is not None) != (agent.program == "program"):
        return f"is of another class than {agent_path(agent.agent)} says, which is {agent.program}."
    return None


def revealed_configurations(database: Database) -> dict[str, Configuration]:
    """Return the configurations that were revealed and are what was committed to, by agent."""
    agents = {agent.agent: agent for agent in database.agents()}
    revealed = database.revealed().items()
    return {name: one for name, one in revealed if name in agents and disagreement(agents[name], one) is None}


def check_identities(database: Database, store: EvidenceStore, only: Collection[str] | None = None) -> Identities:
    """Check what is revealed against what was committed to, and what is sealed against its fingerprint.

    Args:
        database: The database.
        store: The evidence store. What of it is not on this machine is said, and is nothing wrong.
        only: The agents to look at; None for all.
    """
    plain: list[str] = []
    shown: list[str] = []
    sealed: list[tuple[str, str | None]] = []
    absent: list[str] = []
    findings: list[Finding] = []
    for agent in database.agents():
        if agent.identity == "none" or (only is not None and agent.agent not in only):
            continue
        if agent.identity == "open":
            plain.append(agent.agent)
            continue
        try:
            if not _sealed_is_here(agent, store):
                absent.append(agent.agent)
        except CheckFailed as error:
            findings.append(Finding(Place(agent_path(agent.agent), field="sealed"), f"what was sealed {error.what}"))
        path = revealed_path(agent.agent)
        if not database.holds(path):
            sealed.append((agent.agent, agent.reveal_on))
            continue
        wrong = _wrong(database, agent)
        if wrong is None:
            shown.append(agent.agent)
        else:
            findings.append(wrong)
    return Identities(tuple(plain), tuple(shown), tuple(sealed), tuple(absent), tuple(findings))


def _wrong(database: Database, agent: Agent) -> Finding | None:
    path = revealed_path(agent.agent)
    try:
        what = disagreement(agent, database.read(path, Configuration))
        # Whoever compares with another program compares the bytes that lie there.
        if what is None and hashlib.sha256(database.read_bytes(path)).hexdigest() != agent.commitment:
            what = "is not in its canonical form, so that its own digest is not what was committed to."
    except InputError as error:
        return Finding(error.place or Place(path), error.what)
    return Finding(Place(path), what) if what is not None else None


def _sealed_is_here(agent: Agent, store: EvidenceStore) -> bool:
    assert agent.sealed is not None, "a sealed identity says where"
    if not store.path(agent.sealed.sealed_sha256).exists():
        return False
    store.check(agent.sealed.sealed_sha256)
    return True
