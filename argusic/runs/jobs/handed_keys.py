"""The keys that an attempt's job was handed: one for each attempt, and each used once.

A key was issued under an id that has the shape of a run's. The run that is made with it gets an id of its own, because
that carries the second in which it began.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from pyrage import x25519

from argusic.database.database import Database
from argusic.errors import EnvironmentLack, InputError
from argusic.evidence.sealing.keys import identities
from argusic.records.handing_over import PlannedJob
from argusic.records.wrapped_keys import WrappedKey, WrappedKeys
from argusic.runs.jobs.times import AROUND_ATTEMPT
from argusic.runs.keys.access import IssuedKey
from argusic.runs.keys.wrapping import unwrap
from argusic.runs.modelled import KeyNotHad

#: The variable that holds the private half of the key pair that keys are sealed to.
WRAP_VARIABLE: Final = "ARGUSIC_WRAP_KEY"


def take_wrap_key(environment: MutableMapping[str, str]) -> str:
    """Take the wrap key out of the environment, so that nothing that is started from now on inherits it.

    Raises:
        EnvironmentLack: It is not there.
    """
    text = environment.pop(WRAP_VARIABLE, "")
    if not text.strip():
        raise EnvironmentLack(
            f"the variable {WRAP_VARIABLE} does not hold the private key that the attempts' keys were sealed to.",
            advice="`argusic keys wrapping` makes such a pair.",
        )
    return text


class HandedKeys:
    """The keys of one job. Call it for the next.

    Args:
        keys: Those of all jobs.
        job: The job.
        wrap_key: The private key that opens them, as `take_wrap_key` returned it.
        lasts: How long a key must be good from when it is taken.
        take: Says whether the key of this id may be taken, and remembers that it was.
    """

    def __init__(
        self, keys: WrappedKeys, job: PlannedJob, wrap_key: str, lasts: timedelta, take: Callable[[str], bool]
    ) -> None:
        self._job = job
        self._lasts = lasts
        self._take = take
        self._left: list[WrappedKey] = [key for key in keys.keys if key.job == job.job]
        self._opened: list[str] = []
        try:
            self._identities: Sequence[x25519.Identity] = identities(wrap_key)
        except InputError:
            raise InputError(f"{WRAP_VARIABLE} holds no private key of age.") from None
        self._wrap_key = wrap_key

    def __call__(self) -> IssuedKey:
        """Return the next attempt's key.

        Raises:
            KeyNotHad: None is left that is good for long enough.
            InputError: What was sealed is no key of that run, or was sealed to another key.
        """
        short = False
        while self._left:
            wrapped = self._left.pop(0)
            issued = unwrap(wrapped.wrapped, self._identities, wrapped.run)
            if issued.expires < datetime.now(UTC) + self._lasts:
                short = True
                continue
            if not self._take(wrapped.run):
                continue
            self._opened.append(issued.access.token)
            return issued
        lack = "those that are left expire before an attempt could end" if short else "none is left"
        raise KeyNotHad(
            f"of the keys that were handed over for job {self._job.job}, {lack}.",
            advice="The run is queued. The next workflow run plans it again.",
        )

    def secrets(self) -> dict[str, bytes]:
        """Return everything that this job held and that must be nowhere in what it hands over, by what it is."""
        lines = [line.strip() for line in self._wrap_key.splitlines()]
        private = {f"wrap key {n}": line.encode() for n, line in enumerate(lines, 1) if line and line[0] != "#"}
        return {**private, **{f"model key {n}": token.encode() for n, token in enumerate(self._opened, 1)}}


def handed_keys(
    database: Database, keys: WrappedKeys, job: PlannedJob, wrap_key: str, *, budget_seconds: int
) -> HandedKeys:
    """Return the keys of a job of this database.

    Raises:
        InputError: They are another cycle's, or the wrap key is none.
    """
    folder = database.work.parent / "jobs" / keys.cycle / "keys"

    def take(key: str) -> bool:
        # What a process that died had begun to spend is no attempt's whole cap any more.
        folder.mkdir(parents=True, exist_ok=True)
        try:
            (folder / key).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    return HandedKeys(keys, job, wrap_key, timedelta(seconds=budget_seconds, minutes=AROUND_ATTEMPT), take)
