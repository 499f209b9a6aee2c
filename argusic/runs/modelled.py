"""The model's side of one attempt: the agent's exact configuration, a key of the run's own, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from argusic.database.database import Database
from argusic.errors import EnvironmentLack, InputError
from argusic.evidence.keys import KeyFolder
from argusic.evidence.layout import TRAJECTORY_LINES_NAME
from argusic.evidence.redaction.banners import banners
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.sealing.configurations import exact_configuration
from argusic.evidence.trajectory import TrajectoryWriter
from argusic.records.configuration import Configuration
from argusic.records.usage import ModelUse
from argusic.runs.agents.given import Given
from argusic.runs.keys.access import IssuedKey, KeyRefused
from argusic.runs.order import Order

if TYPE_CHECKING:
    from argusic.runs.keys.opening import RunKey

#: How long a key outlives the budget: for what comes before and after the agent's own time, in seconds.
_MARGIN: Final = 900


class KeyNotHad(EnvironmentLack):
    """There is no key for a run now. It is queued: no attempt, and no number is taken."""


@dataclass
class Modelled:
    """The model's side of an attempt; empty for an agent without one.

    Attributes:
        given: What the agent is given; None without a model.
        service: The gateway's socket, for a sandbox in which an agent's own program speaks to it.
        program: The agent's own program, where its start-up banner is known.
        key: How the agent reaches its model, as the manifest says.
        known: The credentials of the run, to be masked wherever they show.
    """

    given: Given | None = None
    service: Path | None = None
    program: str | None = None
    key: Literal["none", "per_run", "shared"] = "none"
    known: tuple[KnownSecret, ...] = ()
    _held: RunKey | None = None

    @property
    def fault(self) -> str | None:
        """Why the exchanges with the model are not whole: a fault of ours. None where they are."""
        return self._held.fault if self._held is not None else None

    @property
    def problem(self) -> str | None:
        """Why the run's key may still be there after its end; None where it is not."""
        return self._held.problem if self._held is not None else None

    def use(self) -> ModelUse | None:
        """Return what the model took; None without one."""
        return self._held.use() if self._held is not None else None


@contextmanager
def modelled(
    database: Database,
    made: Order,
    run: str,
    work: Path,
    evidence: Path,
    started: datetime,
    environment: Mapping[str, str],
    issued: IssuedKey | None = None,
) -> Iterator[Modelled]:
    """Hold the model's side of an attempt; at the end, however it comes, the run's key is gone.

    Args:
        database: Where the run is made. Its folder is held by now.
        made: The order.
        run: The run.
        work: The run's own folder.
        evidence: Where what is said is written down.
        started: When the attempt began.
        environment: The host's, which holds the real key.
        issued: The run's key, where an earlier job has issued it.

    Raises:
        KeyNotHad: There is no key for it now.
        InputError: The configuration cannot be had, or cannot be run so.
        CheckFailed: The configuration is not what the agent's file committed to.
    """
    configuration = exact_configuration(database, made.agent, KeyFolder.of_user())
    if configuration is None:
        yield Modelled()
        return
    # Servers and clients of HTTP are loaded only for an agent with a model.
    from argusic.runs.agents.programs.running import SET_UP_SECONDS

    lasts = timedelta(seconds=made.budget_seconds + SET_UP_SECONDS + _MARGIN)
    with _key(database, made, run, configuration, work, evidence, started + lasts, environment, issued) as held:
        access = held.access
        name = configuration.model.name if made.agent.identity == "open" else None
        writer = TrajectoryWriter(work / TRAJECTORY_LINES_NAME, agent=made.agent.agent, run=run, model=name)
        program = configuration.program
        try:
            yield Modelled(
                given=Given(access, writer, program),
                service=access.socket if program is not None else None,
                program=program.adapter if program is not None and program.adapter in banners() else None,
                key="shared" if held.shared else "per_run",
                known=known_of(held),
                _held=held,
            )
        finally:
            writer.close()


@contextmanager
def _key(
    database: Database,
    made: Order,
    run: str,
    configuration: Configuration,
    work: Path,
    evidence: Path,
    expires: datetime,
    environment: Mapping[str, str],
    issued: IssuedKey | None,
) -> Iterator[RunKey]:
    from argusic.runs.keys.opening import key_of_run

    rules = made.edition.key
    if rules is None:
        raise InputError(f"edition {made.edition.edition} knows no keys, so no agent with a model can be run under it.")
    with ExitStack() as stack:
        try:
            held = stack.enter_context(
                key_of_run(
                    database,
                    run,
                    configuration,
                    cap_usd=Decimal(rules.cap_usd),
                    expires=expires,
                    folder=work,
                    evidence=evidence,
                    environment=environment,
                    issued=issued,
                )
            )
        except KeyRefused as refused:
            raise KeyNotHad(
                f"{made.agent.agent} gets no key now: {str(refused).rstrip('.')}.",
                advice="The run is queued. Run the cycle again when there is one.",
            ) from None
        yield held


def known_of(held: RunKey) -> tuple[KnownSecret, ...]:
    """Return the credentials that a run holds, to be masked wherever they show.

    Raises:
        InputError: One of them could not be told from other text.
    """
    try:
        return tuple(KnownSecret(name, value) for name, value in held.secrets.items())
    except ValueError:
        raise InputError(
            "the key of the model is too short to be told from other text, so it could not be masked."
        ) from None
