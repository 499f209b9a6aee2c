"""What an agent reveals is what it committed to, and is revealed when its file says that it will be."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from argusic.database.paths import agent_path, revealed_path
from argusic.errors import Finding
from argusic.evidence.identity import disagreement
from argusic.referee.checks.survey import Survey


def check_identities(made: Survey, today: date) -> Iterator[Finding]:
    """Yield what is revealed and was not committed to, and what should have been revealed by now.

    Args:
        made: The database as it was read.
        today: The day that it is.
    """
    for name, revealed in made.revealed.items():
        path = revealed_path(name)
        agent = made.agents.get(name)
        if agent is None:
            if made.lacks(agent_path(name)):
                yield made.found(path, f"names the agent {name}, which the pool does not hold.", at="agent")
            continue
        if (what := disagreement(agent, revealed)) is not None:
            yield made.found(path, what)
        elif made.digests.get(str(path)) != agent.commitment:
            yield made.found(path, "is not in its canonical form, so that its digest is not what was committed to.")
    for agent in made.agents.values():
        if agent.reveal_on is None or not made.lacks(revealed_path(agent.agent)):
            continue
        if date.fromisoformat(agent.reveal_on) < today:
            what = f"says {agent.reveal_on}, and is not revealed: `argusic agent reveal {agent.agent}` does it."
            yield made.found(agent_path(agent.agent), what, at="reveal_on")
