"""Whether what a run says of itself can be: by its cycle, its edition, its agent, and the job that made it.

`argusic check` compares runs with the cycle's file, and `check_run` with their evidence. Here stands what is known
besides only while runs are brought in: who was to make them, under which conditions, and by when.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from argusic.database.paths import RUN_FILE
from argusic.evidence.layout import MEDIA_TYPES
from argusic.records.agent import Agent
from argusic.records.conditions import CycleConditions
from argusic.records.cycle import Cycle
from argusic.records.edition import Edition
from argusic.records.handing_over import PlannedJob
from argusic.records.manifest import FileRole, Manifest
from argusic.records.run import Run
from argusic.rules.endings import ENDINGS
from argusic.runs.serving import ROLES, UNSEARCHED

#: How far two clocks may be apart, and one that was set while a run went on.
_CLOCKS: Final = timedelta(minutes=5)
#: Who issues keys that reach no further than the machine of an attempt.
_REMOTE_KEYS: Final = ("litellm", "openrouter", "none")


@dataclass(frozen=True)
class Expected:
    """What is known of the runs of one job before they are read.

    Attributes:
        cycle: The cycle.
        edition: The edition that it pins.
        job: The job.
        agent: Its agent.
        agent_sha256: The digest of the agent's file.
        conditions: The conditions that runs of the cycle may have, by their digest.
        images: The digests by which engines know the published image.
        planned: When the job was planned.
        now: The time.
    """

    cycle: Cycle
    edition: Edition
    job: PlannedJob
    agent: Agent
    agent_sha256: str
    conditions: Mapping[str, CycleConditions]
    images: Collection[str]
    planned: datetime
    now: datetime

    def wrong(self, run: Run, manifest: Manifest) -> Iterator[str]:
        """Yield what cannot be about a run, in sentences that begin with its id."""
        for what in (*self._job(run), *self._times(run), *self._model(run, manifest), *self._made(run, manifest)):
            yield f"run {run.run} {what}"

    def _job(self, run: Run) -> Iterator[str]:
        job = self.job
        for what, said, planned in (("purpose", run.purpose, job.purpose), ("tier", run.tier, job.tier)):
            if said != planned:
                yield f"says {what} {said}, and {planned} was planned for its job."

    def _times(self, run: Run) -> Iterator[str]:
        if not self.cycle.opens <= run.started < self.cycle.closes:
            yield "began outside of the window of its cycle."
        if run.started < self.planned - _CLOCKS:
            yield "began before its job was planned."
        if run.finished > self.now + _CLOCKS:
            yield "ends in the future."
        if run.finished - run.started > timedelta(minutes=self.job.timeout_minutes) + _CLOCKS:
            yield f"took longer than the {self.job.timeout_minutes} minutes after which its job is given up."
        for phase in run.phases:
            end = phase.started + timedelta(seconds=phase.seconds)
            if phase.started < run.started - _CLOCKS or end > run.finished + _CLOCKS:
                yield f"has the phase {phase.name} outside of its own time."
        spent = sum(phase.seconds for phase in run.phases if phase.name == "agent")
        if spent > run.budget_seconds + _CLOCKS.total_seconds():
            yield f"gave its agent {spent:,.0f} seconds of {run.budget_seconds:,}."

    def _model(self, run: Run, manifest: Manifest) -> Iterator[str]:
        use, key = run.model_use, manifest.key
        if self.agent.program == "none":
            if use is not None or key != "none":
                yield f"states the use of a model, and {run.agent} has none."
            return
        opened = self.agent.configuration
        issuers = (opened.key.provider,) if opened is not None else _REMOTE_KEYS
        if key == "shared" and "shared" not in issuers:
            yield f"states a shared key, and {run.agent} gets one of its own for each run."
        if use is None:
            return
        if use.key not in issuers:
            yield f"states a key of {use.key}, and that of {run.agent} comes from {' or '.join(issuers)}."
        if key == "none" and use.calls:
            yield "states calls of a model without a key."
        if use.input_tokens + use.output_tokens and not use.calls + use.in_full + use.failed:
            yield "states tokens of a model that it never asked."
        most = self.edition.key.cap_usd if self.edition.key is not None else None
        if most is not None and use.cap_usd is not None and Decimal(use.cap_usd) > most:
            yield f"states a key that could spend {use.cap_usd} US dollars; {self.edition.edition} allows {most}."

    def _made(self, run: Run, manifest: Manifest) -> Iterator[str]:
        """Yield what is wrong with how it was made, as its manifest states it."""
        if manifest.agent.sha256 != self.agent_sha256:
            yield f"was made by another text of {run.agent} than the one that is here."
        yield from _files(manifest)
        conditions = self.conditions.get(run.conditions_sha256 or "")
        if run.conditions_sha256 is None:
            yield "names no conditions."
            return
        if conditions is None:
            yield "was made under other conditions than those that its cycle has, or than this program gives."
            return
        sandbox = manifest.sandbox
        if sandbox is None:
            if ENDINGS[run.ending.how].valid:
                yield "counts, and states no sandbox that it was made in."
            return
        if run.tier == "gpu" and not sandbox.gpus:
            yield "is of the tier gpu, and its sandbox had none."
        if sandbox.kind != conditions.sandbox:
            yield f"was made in {sandbox.kind}, and its conditions say {conditions.sandbox}."
        known = set(self.images) if conditions.image in self.images else {conditions.image}
        if sandbox.image not in known:
            yield f"was made in the image {sandbox.image}, and its conditions say {conditions.image}."
        limits, given = conditions.resources, sandbox
        if (given.memory_mb, given.cpus, given.processes, given.disk_mb) != (
            limits.memory_mb, limits.cpus, limits.processes, limits.disk_mb,
        ):  # fmt: skip
            yield "was given other limits than its conditions state."


def _files(manifest: Manifest) -> Iterator[str]:
    """Yield each file that no attempt leaves, or that lies where none puts it."""
    left: dict[str, FileRole] = {RUN_FILE: "run", **ROLES}
    for file in manifest.files:
        place = "run" if file.role in ("run", "recording") else "store"
        if left.get(file.name) != file.role or file.place != place or file.media_type != MEDIA_TYPES[file.role]:
            yield f"has a file {file.name} ({file.role}, kept in the {file.place}), which no attempt leaves so."
    left |= UNSEARCHED
    for sealed in manifest.sealed or ():
        if left.get(sealed.name) != sealed.role:
            yield f"has a sealed file {sealed.name} ({sealed.role}), which no attempt leaves."
