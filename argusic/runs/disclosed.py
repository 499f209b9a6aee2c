"""What of an ending's words is disclosed: they may quote a model's server, which knows a key and who the model is."""

from __future__ import annotations

from argusic.evidence.redaction.finding import Finder
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.masking import masked_bytes
from argusic.evidence.redaction.rules import rules
from argusic.records.agent import Agent
from argusic.records.run import Ending


def disclosed(ending: Ending, agent: Agent, known: tuple[KnownSecret, ...]) -> Ending:
    """Return an ending as it may be published: without credentials, and without the words of a sealed agent's server.

    Args:
        ending: How an attempt ended.
        agent: Whose it was.
        known: The credentials that it held.
    """
    if ending.detail is None:
        return ending
    if agent.identity == "sealed" and ending.how == "model_unavailable":
        return ending.model_copy(update={"detail": None})
    text = ending.detail.encode("utf-8", "replace")
    places = [place for found in Finder(rules(), known, None).find(text) for place in found.places]
    if not places:
        return ending
    return ending.model_copy(update={"detail": masked_bytes(text, places).decode("utf-8", "replace")})
