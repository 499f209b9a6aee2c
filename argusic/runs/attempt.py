"""One attempt, from a pinned subject and an agent to a published run.

The order of design section 4: write the intent down, fetch and verify the pin, start a sandbox, let the agent work
under the recorder, read its report, destroy the sandbox, publish. Whatever goes wrong becomes an ending of the run;
what cannot run at all is refused before it begins.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from argusic.database.atomic import write_file
from argusic.database.database import Database
from argusic.database.faults import fault_point
from argusic.errors import ArgusicError, CheckFailed, EnvironmentLack
from argusic.evidence.layout import REPORT_NAME
from argusic.evidence.livefile import WriteFailed
from argusic.pool.hosts import Host
from argusic.pool.kinds.protocol import PinMismatch, Workshop
from argusic.pool.kinds.registry import kind
from argusic.records.edition import Edition
from argusic.records.run import Ending, Run, RunReport
from argusic.records.subject import Solution
from argusic.rules.editions import newest
from argusic.rules.endings import ENDINGS
from argusic.rules.reading import MAX_REPORT_BYTES, read_report
from argusic.runs.agents.given import Given
from argusic.runs.agents.registry import implementation
from argusic.runs.guard import GuardedSession
from argusic.runs.happened import Happened, ending_of
from argusic.runs.keys.access import IssuedKey, ModelUnavailable
from argusic.runs.modelled import Modelled, modelled
from argusic.runs.needs import GPU_TIER, refuse_unmet
from argusic.runs.order import Order, instructions_file, intend, open_edition
from argusic.runs.publish import publish
from argusic.runs.recorded_session import RecordedSession
from argusic.runs.recorder import Recorder
from argusic.runs.screen import TASK as SCREEN_TASK
from argusic.runs.screen import Screen, has_screen
from argusic.runs.session import AgentProgram, AttemptOver, Mission
from argusic.runs.watching import Cancellation, Cancelled, Watcher
from argusic.runs.work import Intent, Met, Work, begin, new_run_id
from argusic.sandbox.protocol import HOME_FOLDER, SUBJECT_FOLDER, Limits, Provider, Sandbox, SandboxGone, SandboxSpec

#: Where an agent leaves its report, as the standard instructions say.
REPORT_PATH = f"{HOME_FOLDER}/report.yaml"


@dataclass(frozen=True)
class Equipment:
    """What attempts are made with.

    Attributes:
        database: Where runs go.
        provider: Makes the sandboxes.
        watcher: Told what happens.
        cancellation: Says when to stop.
        programs: Makes an agent by the name of its implementation and what it is given, where it has a model.
        environment: The host's, which holds the keys of models.
        handed: Returns the next attempt's key, where an earlier job has issued the keys.
        host: Whom to ask how large a repository is; None where nobody is asked.
    """

    database: Database
    provider: Provider
    watcher: Watcher
    cancellation: Cancellation
    programs: Callable[[str, Given | None], AgentProgram] = implementation
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    handed: Callable[[], IssuedKey] | None = None
    host: Host | None = None


def attempt(equipment: Equipment, made: Order) -> Run:
    """Make one attempt and publish its run.

    Raises:
        CheckFailed: What was fetched is not what the cycle pinned. Nothing ran and nothing is published.
        InputError: The cycle may not be run now (see `open_edition`).
        EnvironmentLack: This machine cannot run the sandbox, or cannot give it what the subject needs.
        KeyNotHad: There is no key for the agent's model now. Nothing ran and nothing is published.
    """
    refuse_unmet(equipment.provider, made.subject, made.entry, made.edition)
    database, started = equipment.database, datetime.now(UTC)
    issued = equipment.handed() if equipment.handed is not None else None
    run = new_run_id(started)
    with begin(database.work, run) as work:
        happened = Happened()
        try:
            # Asked once more now that this attempt can be seen: a cycle closes only where none is going on.
            open_edition(database, made.cycle)
            with modelled(
                database, made, run, work.folder, work.evidence, started, equipment.environment, issued
            ) as model:
                fault_point("key-held")
                intent = intend(
                    database, equipment.provider.name, made, run, started, key=model.key, program=model.program
                )
                work.write_intent(intent)
                fault_point("intent-written")
                happened.known = model.known
                _carry_out(equipment, made, intent, work, happened, model)
        except PinMismatch as error:
            work.remove()
            raise CheckFailed(f"{made.subject.ref}: {error}.", advice="Nothing was run.") from error
        except (ArgusicError, Cancelled):
            work.remove()
            raise
        _account(model, happened, equipment.watcher)
        fault_point("attempt-over")
        published = publish(database, work, intent, happened)
        with suppress(OSError):  # What of its sandbox is left is in it, and the next start removes both.
            work.remove()
    return published


def _account(model: Modelled, happened: Happened, watcher: Watcher) -> None:
    """Note what the model took, now that its key is gone, and what went wrong with either."""
    happened.model_use = model.use()
    if model.problem is not None:
        watcher.say(f"{model.problem}. `argusic keys sweep` deletes it.")
    if model.fault is not None:
        happened.ending = Ending(how="harness_error", detail=model.fault)


def _carry_out(
    equipment: Equipment, made: Order, intent: Intent, work: Work, happened: Happened, model: Modelled
) -> None:
    """Do everything up to the destruction of the sandbox; `happened` holds the outcome, however it ends."""
    sandbox: Sandbox | None = None
    recorder: Recorder | None = None
    screen = Screen(equipment.provider, work, has_screen(made.subject, made.edition))
    try:
        with happened.phase("prepare"), equipment.cancellation.interruptible():
            equipment.watcher.now("fetching the pinned subject")
            prepared = _prepare(equipment, made, work)
        fault_point("subject-prepared")
        with happened.phase("start"):
            equipment.watcher.now("starting a single-use sandbox")
            screen.start()
            sandbox = equipment.provider.start(_spec(made, intent, work, model.service, screen))
            fault_point("sandbox-started")
            sandbox.put(prepared, SUBJECT_FOLDER)
            environment = sandbox.environment()
            work.write_met(Met(sandbox=screen.stated(sandbox.facts), environment=environment))
            recorder = Recorder(work.evidence)
            screen.film(recorder)
        with happened.phase("agent"):
            recorded = RecordedSession(
                sandbox,
                recorder,
                budget_seconds=intent.budget_seconds,
                cancel=equipment.cancellation.event,
                beside=screen.ended,
            )
            happened.ending = _let_work(equipment, made, intent, recorded, model.given)
            recorder.end()
        screen.filmed()
        fault_point("agent-done")
        with happened.phase("collect"):
            happened.limits_hit = (*sandbox.limits_hit(), *recorded.limits_hit)
            if ENDINGS[happened.ending.how].scored_by == "report":
                _collect(sandbox, made.edition, work, happened)
    except PinMismatch:
        raise
    except Exception as error:
        if isinstance(error, EnvironmentLack) and sandbox is None:
            raise  # Nothing of it ran, and no further try would go better here.
        happened.ending = ending_of(error)
    finally:
        happened.video = screen.filmed()
        if recorder is not None:
            recorder.close()
        if sandbox is not None:
            with happened.phase("destroy"):
                _destroy(sandbox.destroy, equipment.watcher)
                _destroy(screen.destroy, equipment.watcher)
        else:
            _destroy(screen.destroy, equipment.watcher)
        fault_point("sandbox-destroyed")


def _destroy(destroy: Callable[[], None], watcher: Watcher) -> None:
    """Destroy a sandbox. What of it cannot be removed must not cost the run: it is the next start's to remove."""
    try:
        destroy()
    except OSError as error:
        watcher.say(f"The sandbox could not be removed whole, which the next start tries again: {error}.")


def workshop(equipment: Equipment, work: Path, name: str) -> Workshop:
    """Return what a kind may use to fetch: the shared cache, and short-lived sandboxes under `work`."""
    counter = iter(range(1, 1000))

    def open_sandbox() -> Sandbox:
        number = next(counter)
        folder = work / f"fetch-{number}"
        folder.mkdir(parents=True)
        return equipment.provider.start(SandboxSpec(name=f"{name}-fetch-{number}", work=folder, limits=Limits()))

    database = equipment.database
    heavy = newest(database.editions()).heavy_above_mb if equipment.host is not None else None
    return Workshop(
        database.cache_folder, open_sandbox, equipment.watcher.now, equipment.environment, equipment.host, heavy
    )


def _prepare(equipment: Equipment, made: Order, work: Work) -> Path:
    """Fetch and verify the pinned subject and lay it into a folder of this attempt."""
    subject_kind = kind(made.subject.kind)
    cached = subject_kind.fetch(made.subject, made.entry.pin, workshop(equipment, work.folder, work.folder.name))
    folder = work.folder / "subject"
    folder.mkdir()
    subject_kind.hand_in(made.subject, made.entry.pin, cached, folder)
    return folder


def _spec(made: Order, intent: Intent, work: Work, service: Path | None, screen: Screen) -> SandboxSpec:
    conditions = made.cycle.conditions
    return SandboxSpec(
        name=intent.run,
        work=work.sandbox,
        service=service,
        display=screen.reach,
        gpu=made.entry.tier == GPU_TIER,
        environment=kind(made.subject.kind).variables(made.subject, made.entry.pin),
        limits=Limits(
            memory_mb=conditions.memory_mb,
            cpus=conditions.cpus,
            processes=conditions.processes,
            disk_mb=conditions.disk_mb,
        ),
    )


def _let_work(
    equipment: Equipment, made: Order, intent: Intent, recorded: RecordedSession, given: Given | None
) -> Ending:
    """Let the agent work to its own end or to the attempt's, and say which."""
    task = kind(made.subject.kind).task(made.subject, made.entry.pin)
    mission = Mission(
        kind=made.subject.kind,
        name=made.subject.name,
        task=task + (SCREEN_TASK if has_screen(made.subject, made.edition) else ""),
        instructions=instructions_file(equipment.database, made.edition).read_text(encoding="utf-8"),
        subject_folder=SUBJECT_FOLDER,
        report_path=REPORT_PATH,
        budget_seconds=intent.budget_seconds,
        solution=_solution(made),
    )
    # What fails before the agent begins is our own fault.
    program = equipment.programs(made.agent.implementation, given)
    guarded = GuardedSession(recorded, equipment.watcher)
    crashed: str | None = None
    try:
        program.run(guarded, mission)
    except AttemptOver:
        pass
    except (ModelUnavailable, WriteFailed) as error:
        return ending_of(error)
    except Exception as error:
        crashed = f"{type(error).__name__}: {error}"[:500]
    if guarded.fault is not None:
        return guarded.fault
    if recorded.ended is not None:
        return recorded.ended
    if crashed is not None:
        return Ending(how="agent_crashed", detail=crashed)
    return Ending(how="completed")


def _solution(made: Order) -> Solution | None:
    if made.agent.implementation != "oracle" or made.subject.control is None:
        return None
    return made.subject.control.solution


def _collect(sandbox: Sandbox, edition: Edition, work: Work, happened: Happened) -> None:
    """Read what the agent reported. A report that cannot be fetched is our fault, one that is too large is not."""
    try:
        raw = sandbox.get(REPORT_PATH, max_bytes=MAX_REPORT_BYTES)
    except SandboxGone:
        raise
    except ValueError:
        happened.report = RunReport(state="malformed", problem=f"it is larger than {MAX_REPORT_BYTES:,} bytes")
        return
    except Exception as error:
        happened.ending = Ending(how="report_unreadable", detail=f"{type(error).__name__}: {error}"[:500])
        return
    if raw is not None:
        write_file(work.evidence / REPORT_NAME, raw, replace=False)
    happened.report = read_report(raw, edition)
