"""Runs each published agent program once and writes `docs/contributing/agent-programs.yaml`: what was seen of it.

The facts are few and hold no key, no path of this machine and no time: versions, commands, ends, and counts.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP))

from argusic.database.codec import dump  # noqa: E402
from argusic.evidence.redaction.redact import redact  # noqa: E402
from argusic.records.base import Items, Part, Record, Text  # noqa: E402
from argusic.sandbox.registry import provider  # noqa: E402
from tests.agent_programs import PROGRAMS  # noqa: E402
from tests.runs.agents.programs.attempts import WORK, Made, attempt, working  # noqa: E402

TARGET = TOP / "docs/contributing/agent-programs.yaml"


class CommandSeen(Part):
    """One command that the scripted model asked for."""

    command: Text
    exit_status: int | None


class ProgramSeen(Part):
    """One program that was run."""

    adapter: Text
    version: Text
    protocol: Text
    ended: Text
    set_up: Items[Text]
    started: Text
    seen_by: Text
    asked_for: Items[CommandSeen]
    of_its_own: int
    answers: int
    steps: int
    input_tokens: int
    output_tokens: int
    recording_complete: bool
    banner_blanked: bool
    report_left: bool


class ProgramsSeen(Record):
    """`agent-programs.yaml`."""

    programs: Items[ProgramSeen]


def seen(name: str, made: Made, folder: Path) -> ProgramSeen:
    """Return the facts of one attempt."""
    used, api = PROGRAMS[name]
    folder.mkdir()
    served = redact(made.folder, folder, program=name)
    asked_for = [row for row in made.inner if row.command in WORK]
    return ProgramSeen(
        adapter=name,
        version=used.version,
        protocol=api,
        ended=made.ended,
        set_up=tuple(row.command.split("\n", 1)[0] for row in made.rows if row.source == "set_up"),
        started=made.rows[-1].command,
        seen_by=str(made.coverage.inner_seen),
        asked_for=tuple(CommandSeen(command=row.command, exit_status=row.exit_status) for row in asked_for),
        of_its_own=len(made.inner) - len(asked_for),
        answers=made.use.calls,
        steps=len(made.trajectory.steps),
        input_tokens=made.use.input_tokens,
        output_tokens=made.use.output_tokens,
        recording_complete=made.coverage.complete,
        banner_blanked=any(file.banner for file in served.files),
        report_left=made.report is not None,
    )


def main() -> int:
    """Run them, one after the other."""
    found = []
    for name, (used, api) in sorted(PROGRAMS.items()):
        print(f"{name} {used.version}", flush=True)
        with tempfile.TemporaryDirectory(prefix="agent-programs-") as folder:
            made = attempt(provider("bubblewrap"), Path(folder), used, api, working(list(WORK)))
            found.append(seen(name, made, Path(folder) / "served"))
    TARGET.write_bytes(dump(ProgramsSeen(programs=tuple(found))))
    print(f"{TARGET.relative_to(TOP)} is written.")
    return 0 if all(one.ended == "completed" for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
