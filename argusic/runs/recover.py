"""What a dead process left behind: swept away, and each attempt it was making finished or recorded as lost.

Nothing is guessed. An attempt whose run was complete is published; any other becomes an invalid run, with whatever
its recording holds, so that it is never lost and never counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from argusic.database.atomic import publish_folder
from argusic.database.codec import read_record
from argusic.database.database import Database
from argusic.database.paths import run_folder
from argusic.evidence.filming import await_end
from argusic.evidence.layout import RUN_NAME, VIDEO_NAME
from argusic.records.run import Ending, Run
from argusic.runs.happened import Happened
from argusic.runs.publish import is_complete, publish
from argusic.runs.work import Intent, Work, abandoned
from argusic.sandbox.display.display import sandbox_name
from argusic.sandbox.protocol import Provider

INTERRUPTED = Ending(how="interrupted", detail="The machine or the program stopped while the attempt was running.")


def recover(database: Database, providers: Mapping[str, Provider], ending: Ending = INTERRUPTED) -> list[Run]:
    """Finish or record every attempt whose process is dead; return the runs that were published.

    Args:
        database: Where the attempts were made.
        providers: Every way of making sandboxes here, by name: each removes what it may have left.
        ending: How an attempt ended that did not come to its own end.
    """
    published = []
    database.sweep()
    with abandoned(database.work) as works:
        for work in works:
            for provider in providers.values():
                provider.reap(work.folder.name, work.sandbox)
                if work.display.exists():
                    provider.reap(sandbox_name(work.folder.name), work.display)
                for fetching in sorted(work.folder.glob("fetch-*")):
                    provider.reap(f"{work.folder.name}-{fetching.name}", fetching)
            intent = work.intent()
            if intent is not None:
                run = _finish(database, work, intent, ending)
                published += [run] if run is not None else []
            work.remove()
    return published


def _finish(database: Database, work: Work, intent: Intent, ending: Ending) -> Run | None:
    """Publish the run of a dead attempt, or return None where it is published already."""
    target = database.root / run_folder(intent.cycle, intent.subject, intent.agent, intent.run)
    if target.exists():
        return None
    if is_complete(work.publishing):
        publish_folder(work.publishing, target)
        return read_record(target / RUN_NAME, Run)
    await_end(work.evidence / VIDEO_NAME)
    happened = Happened(ending=ending, finished=_last_sign_of_life(work))
    if intent.key == "shared":
        # A key of one run died with its process. This one lives, and what masks it died.
        happened.withhold = "its agent held a key that goes on working, and nothing is left here that could mask it"
    return publish(database, work, intent, happened)


def _last_sign_of_life(work: Work) -> datetime:
    """Return when the attempt last wrote something, to the second."""
    files = [path for path in (work.folder, *work.evidence.glob("*"), work.folder / "intent.yaml") if path.exists()]
    return datetime.fromtimestamp(int(max(path.stat().st_mtime for path in files)), UTC)
