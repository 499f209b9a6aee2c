"""The controls do exactly what each is there to prove."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml

from argusic.errors import InputError
from argusic.records.agent import Agent
from argusic.records.report import Report, ReportedError, VerifiedHow
from argusic.records.subject import Solution
from argusic.runs.agents.liar import NEVER_RAN
from argusic.runs.agents.registry import implementation, implementations
from argusic.runs.agents.reporting import as_yaml, write_file
from argusic.runs.session import Mission

TOP = Path(__file__).parents[3]


def report_of(mission: Mission) -> Report:
    data: dict[str, Any] = yaml.safe_load(Path(mission.report_path).read_text(encoding="utf-8"))
    return Report.model_validate(data)


def play(session: Any, mission: Mission, **solution: Any) -> Report:
    implementation("oracle").run(session, dataclasses.replace(mission, solution=Solution(**solution)))
    return report_of(mission)


def test_every_implementation_is_found_by_being_there() -> None:
    assert implementations() == ("liar", "newcomer", "nop", "oracle", "programs", "shell")


def test_an_unknown_implementation_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'missing'.*Known are: liar, newcomer, nop, oracle"):
        implementation("missing")


@pytest.mark.parametrize("name", ["newcomer", "oracle", "nop", "liar"])
def test_every_shipped_agent_record_names_an_implementation_that_exists(name: str) -> None:
    record = Agent.model_validate(yaml.safe_load((TOP / f"pool/agents/{name}.yaml").read_text(encoding="utf-8")))
    assert record.agent == name and record.implementation in implementations()
    assert record.role == ("agent" if name == "newcomer" else "control")
    assert record.program == "none" and record.identity == "none"


def test_nop_runs_nothing_and_reports_nothing(session: Any, mission: Mission) -> None:
    implementation("nop").run(session, mission)
    assert session.commands == [] and not Path(mission.report_path).exists()


def test_the_liar_claims_a_command_that_it_never_ran(session: Any, mission: Mission) -> None:
    implementation("liar").run(session, mission)
    report = report_of(mission)
    assert report.installed and report.launched and report.test_depth == "tier1_real"
    assert isinstance(report.verified_how, VerifiedHow) and report.verified_how.command == NEVER_RAN
    assert NEVER_RAN not in [result.command for result in session.commands]


def test_the_oracle_reports_real_verification_when_the_declared_proof_passes(session: Any, mission: Mission) -> None:
    report = play(session, mission, install=["echo a > a"], launch=["cat a"], verify="grep -x a a")
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real")
    assert report.verified_how == VerifiedHow(command="grep -x a a", result="a")
    assert report.errors == ()


def test_the_oracle_says_mock_where_the_solution_does(session: Any, mission: Mission) -> None:
    assert (
        play(session, mission, install=["true"], launch=["true"], verify="echo 1", mock=True).test_depth == "tier2_mock"
    )


def test_the_oracle_verifies_nothing_where_the_solution_has_no_proof(session: Any, mission: Mission) -> None:
    report = play(session, mission, install=["true"], launch=["true"])
    assert report.launched and report.test_depth == "tier3_none" and report.says_not_verified


def test_the_oracle_believes_exit_statuses_and_not_the_solution(session: Any, mission: Mission) -> None:
    report = play(session, mission, install=["true", "exit 3", "touch never"], launch=["true"], verify="true")
    assert (report.installed, report.launched, report.test_depth) == (False, False, "tier3_none")
    assert report.encountered == 1 and report.fixed == 0 and not (session.home / "never").exists()
    failed = play(session, mission, install=["true"], launch=["true"], verify="false")
    assert failed.launched and failed.test_depth == "tier3_none" and failed.encountered == 1


def test_the_oracle_without_a_solution_claims_nothing(session: Any, mission: Mission) -> None:
    implementation("oracle").run(session, mission)
    assert not report_of(mission).installed


@pytest.mark.parametrize(
    "text", ["no", "1.10", "a: b # c", "line\nEND\nline", 'quote " and \\ back', "\x1b[0m\x7f\u2028é"]
)
def test_a_report_arrives_word_for_word(session: Any, mission: Mission, text: str) -> None:
    report = Report(
        installed=True,
        launched=False,
        errors=(ReportedError(what=text, fixed=False, fix=text),),
        test_depth="tier3_none",
        verified_how=VerifiedHow(command=text, result=text),
        final_state=text,
    )
    session.run(write_file(mission.report_path, as_yaml(report)))
    assert report_of(mission) == report
