"""The control that plays a subject's known solution, to prove that what can be earned is earned.

It is as honest as any agent: what it reports follows from the exit statuses of the commands it ran.
"""

from __future__ import annotations

from argusic.records.report import NOT_VERIFIED, Report, ReportedError, TestDepth, VerifiedHow
from argusic.records.subject import Solution
from argusic.runs.agents.reporting import leave
from argusic.runs.session import AgentProgram, CommandResult, Mission, Session

#: How much of the proof's output the report quotes, in characters.
_QUOTED = 2000


class Oracle:
    """Installs, launches and verifies by the subject's declared solution."""

    def run(self, session: Session, mission: Mission) -> None:
        """Play the solution and report what came of it."""
        leave(session, mission, _play(session, mission.name, mission.solution or Solution()))


def _play(session: Session, name: str, solution: Solution) -> Report:
    errors: list[ReportedError] = []

    def all_pass(commands: tuple[str, ...]) -> bool:
        for command in commands:
            result = session.run(command)
            if not result.ok:
                errors.append(ReportedError(what=f"{command}: {_end(result)}", fixed=False))
                return False
        return bool(commands)

    installed = all_pass(solution.install)
    launched = installed and all_pass(solution.launch)
    proof = session.run(solution.verify) if launched and solution.verify else None
    depth: TestDepth = "tier3_none"
    how: VerifiedHow | str = NOT_VERIFIED
    if proof is not None and proof.ok:
        depth = "tier2_mock" if solution.mock else "tier1_real"
        how = VerifiedHow(command=proof.command, result=proof.output.strip()[-_QUOTED:] or "no output, status 0")
    elif proof is not None:
        errors.append(ReportedError(what=f"{proof.command}: {_end(proof)}", fixed=False))
    return Report(
        installed=installed,
        launched=launched,
        errors=tuple(errors),
        test_depth=depth,
        verified_how=how,
        final_state=_sentence(name, installed, launched, proof),
    )


def _end(result: CommandResult) -> str:
    return f"cut off ({result.cut})" if result.cut else f"ended with status {result.exit_status}"


def _sentence(name: str, installed: bool, launched: bool, proof: CommandResult | None) -> str:
    if not installed:
        return f"The known solution of {name} did not install it."
    if not launched:
        return f"The known solution installed {name} and did not launch it."
    if proof is None:
        return f"The known solution installed and launched {name}. It has no command that verifies it."
    if not proof.ok:
        return f"The known solution installed and launched {name}. The command that verifies it {_end(proof)}."
    return f"The known solution installed and launched {name}. The command that verifies it ended with status 0."


def program() -> AgentProgram:
    """Return the control `oracle`."""
    return Oracle()
