"""The keys of a plan's attempts: issued by the one job that may make keys, and sealed to those that use them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

import pyrage
from pyrage import x25519

from argusic.database.database import Database
from argusic.errors import EnvironmentLack, InputError
from argusic.evidence.keys import KeyFolder
from argusic.evidence.sealing.configurations import exact_configuration
from argusic.records.configuration import Configuration
from argusic.records.handing_over import Plan, PlannedJob
from argusic.records.wrapped_keys import WrappedKey, WrappedKeys
from argusic.runs.jobs.planning import most_attempts, needs_issued_key
from argusic.runs.keys.access import IssuedKey, KeyProvider, KeyRefused
from argusic.runs.keys.aliases import Aliases
from argusic.runs.keys.notes import Notes
from argusic.runs.keys.opening import check
from argusic.runs.keys.providers import REMOTE, provider_of
from argusic.runs.keys.wrapping import wrap
from argusic.runs.order import open_edition
from argusic.runs.work import new_run_id

#: Hours that a job may wait for its machine, unless whoever issues the keys says otherwise.
WAIT_HOURS: Final = 6


@dataclass(frozen=True)
class _Desk:
    """What is asked for keys of one agent."""

    configuration: Configuration
    provider: KeyProvider


@dataclass(frozen=True)
class _Made:
    """A key that was asked for, and issued where there is one."""

    run: str
    provider: KeyProvider
    issued: IssuedKey


def issue_keys(
    database: Database,
    plan: Plan,
    recipient: str,
    environment: Mapping[str, str],
    keep: Callable[[WrappedKeys], None],
    *,
    wait_hours: int = WAIT_HOURS,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> WrappedKeys:
    """Issue a capped key for each attempt that the jobs of a plan may make, and seal it.

    Args:
        database: The database.
        plan: The plan.
        recipient: The public key that they are sealed to.
        environment: Holds the services' own keys.
        keep: Keeps them, once all are there. Where it fails they are deleted again, as where a service fails.
        wait_hours: How long a job may wait for its machine: keys are good for that and for the job's own time.
        progress: Told how many keys there are, of how many.

    Raises:
        InputError: An agent cannot be run with a key that is handed over, or the recipient is none. No key is issued.
        EnvironmentLack: A service gives no key. Those that were issued are deleted again.
    """
    cycle = database.cycle(plan.cycle)
    edition, _ = open_edition(database, cycle)
    if edition.key is None:
        raise InputError(f"edition {edition.edition} knows no keys, so no agent with a model can be run under it.")
    desks = _desks(database, plan, environment)
    jobs = [job for job in plan.jobs if job.agent in desks]
    made: list[_Made] = []
    keys: list[WrappedKey] = []
    total = sum(most_attempts(job.attempts) for job in jobs)
    _must_wrap(recipient)
    try:
        for job in jobs:
            desk = desks[job.agent]
            for _ in range(most_attempts(job.attempts)):
                issued = _issue(database, job, desk, Decimal(edition.key.cap_usd), wait_hours, made)
                wrapped = wrap(issued, recipient)
                keys.append(WrappedKey(job=job.job, run=issued.run, expires=issued.expires, wrapped=wrapped))
                progress(len(keys), total)
        sealed = WrappedKeys(cycle=plan.cycle, keys=tuple(keys))
        keep(sealed)
    except BaseException as error:
        left = _revoke(database, made)
        if isinstance(error, KeyRefused):
            raise EnvironmentLack(
                f"no more keys are to be had: {str(error).rstrip('.')}.", advice=_after(left)
            ) from None
        raise
    return sealed


def _desks(database: Database, plan: Plan, environment: Mapping[str, str]) -> dict[str, _Desk]:
    """Return what to ask for keys, by agent.

    Raises:
        InputError: One of the agents cannot be run so.
        EnvironmentLack: A service's own key is not here.
    """
    desks = {}
    for name in sorted({job.agent for job in plan.jobs}):
        agent = database.agent(name)
        if not needs_issued_key(agent):
            continue
        if agent.configuration is None:
            raise InputError(
                f"agent {name} is sealed, and its configuration is not handed from job to job.",
                advice="Run it where a key opens it: `argusic cycle run --agent`.",
            )
        configuration = exact_configuration(database, agent, KeyFolder.of_user())
        assert configuration is not None, "it is open"
        key = configuration.key
        if key.provider not in REMOTE:
            raise InputError(
                f"agent {name} cannot be run so: {_WHY[key.provider]}.",
                advice="Run it on a machine of your own, or have its keys from a service (litellm or openrouter).",
            )
        check(configuration)
        try:
            provider = provider_of(key, configuration.model.url, Aliases.of(database), environment)
        except KeyRefused as refused:
            raise EnvironmentLack(f"agent {name} gets no keys: {str(refused).rstrip('.')}.") from None
        desks[name] = _Desk(configuration, provider)
    return desks


_WHY: Final[Mapping[str, str]] = {
    "gateway": "our own gateway needs the real key on the machine that makes the attempt",
    "shared": "its key is shared, and a key that goes on working is handed to no job",
}


def _issue(
    database: Database, job: PlannedJob, desk: _Desk, cap: Decimal, wait_hours: int, made: list[_Made]
) -> IssuedKey:
    """Issue one key. Its note comes first, so that whatever dies here, a sweep knows where to look."""
    now = datetime.now(UTC).replace(microsecond=0)
    run = new_run_id(now)
    expires = now + timedelta(hours=wait_hours, minutes=job.timeout_minutes)
    model = desk.configuration.model
    Notes.of(database).write(run, desk.configuration.key, model, now, expires)
    issued = desk.provider.issue(run, model, cap, expires)
    made.append(_Made(run, desk.provider, issued))
    return issued


def _revoke(database: Database, made: Sequence[_Made]) -> list[str]:
    """Delete keys that were issued; return the runs whose keys may still be there."""
    left = []
    for one in made:
        try:
            one.provider.revoke(one.issued.key)
        except KeyRefused:
            left.append(one.run)
            continue
        with suppress(OSError):
            Notes.of(database).remove(one.run)
    return left


def _after(left: Sequence[str]) -> str:
    if not left:
        return "Those that were issued are deleted again."
    return f"The keys of {', '.join(left)} may still be there; `argusic keys sweep --everywhere` deletes them."


def _must_wrap(recipient: str) -> None:
    """Refuse a recipient that is none before any key is issued.

    Raises:
        InputError: It is no public key of age.
    """
    try:
        x25519.Recipient.from_str(recipient)
    except (pyrage.RecipientError, ValueError):
        raise InputError("--wrap-to is no public key of age (age1...).") from None
