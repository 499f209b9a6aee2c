"""A scripted model that knows a subject's solution, and plays it as a model would: a command at a time.

    python -m tests.runs.agents.shell.solving [--cycle pilot] [--sandbox docker] [SUBJECT ...]

plays it for the solvable subjects of a cycle, prints what each earned beside what it declares, and ends with status 1
where one earned something else.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from argusic.database.database import Database
from argusic.pool.scratch import make_scratch
from argusic.records.report import Report, VerifiedHow
from argusic.records.subject import Solution, Subject
from argusic.runs.agents.reporting import as_yaml, write_file
from argusic.runs.attempt import REPORT_PATH
from argusic.sandbox.registry import provider
from tests.model_server import Asked, ModelServer, Reply, by_turn
from tests.runs.agents.shell.attempts import Attempted, add_agent, attempted
from tests.runs.agents.shell.working import DONE, run

ROOT: Final = Path(__file__).parents[4]
#: What a known solution must declare to earn for its subject to be solvable.
SOLVABLE: Final = (92, 100)


class Solver:
    """The script.

    Args:
        subject: The subject whose solution is known.
    """

    def __init__(self, subject: Subject) -> None:
        assert subject.control is not None
        self.subject = subject
        self.solution = subject.control.solution or Solution()
        commands = [*self.solution.install, *self.solution.launch, self.solution.verify or "true"]
        self._commands = [run(command, text=f"Step {number}.") for number, command in enumerate(commands, 1)]

    def __call__(self, asked: Asked) -> Reply:
        turn = asked.turn
        if turn == len(self._commands):
            return run(write_file(REPORT_PATH, as_yaml(self._report(asked.last))))
        return by_turn(*self._commands, DONE, DONE)(asked)

    def _report(self, proof: str) -> Report:
        name = self.subject.name
        return Report(
            installed=True,
            launched=True,
            errors=(),
            test_depth="tier2_mock" if self.solution.mock else "tier1_real",
            verified_how=VerifiedHow(command=self.solution.verify or "", result=proof.partition("\n")[2] or "status 0"),
            final_state=f"{name} was installed and launched, and what it produced was decoded.",
        )


def solve(database: Database, cycle: str, subject: str, sandbox: str) -> Attempted:
    """Let a model that knows the solution make an attempt at a subject of a cycle."""
    with ModelServer(Solver(database.subject(subject))) as server:
        add_agent(database, cycle, server.url, context_tokens=128_000)
        return attempted(database, cycle, subject, sandbox=sandbox)


def solvable(database: Database, cycle: str) -> list[str]:
    """Return the subjects of a cycle whose known solution declares a pass."""
    subjects = [database.subject(entry.subject) for entry in database.cycle(cycle).subjects]
    return [one.ref for one in subjects if one.control is not None and one.control.oracle in SOLVABLE]


def main() -> int:
    """Play the solutions and print what they earned."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT")
    parser.add_argument("--cycle", default="pilot")
    parser.add_argument("--sandbox", default="docker")
    asked = parser.parse_args()
    if lack := provider(asked.sandbox).lack():
        print(lack, file=sys.stderr)
        return 3
    folder = Path(tempfile.mkdtemp(prefix="argusic-solving-"))
    other = 0
    try:
        for subject in asked.subjects or solvable(Database(ROOT), asked.cycle):
            # A database for each: the program may change under a run of an hour, and a cycle has one harness.
            database = make_scratch(Database(ROOT), folder / subject.replace("/", "-"), pool=True)
            found = solve(database, asked.cycle, subject, asked.sandbox)
            declared = getattr(database.subject(subject).control, "oracle", None)
            other += found.score.total != declared
            calls = sum(step.source == "agent" for step in found.trajectory.steps)
            print(f"{subject:32} {found.run.ending.how:16} {found.score.outcome:10} {found.score.total!s:>4} of "
                  f"{declared}; {found.run.commands} commands, {calls} answers", flush=True)  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return int(other > 0)


if __name__ == "__main__":
    sys.exit(main())
