"""The newcomer and MCP servers, good and bad: real processes over real pipes and sockets, and the official client."""

from __future__ import annotations

import pytest

from argusic.records.report import VerifiedHow
from argusic.runs.agents.newcomer.failures import recognise
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.session import CommandResult
from tests.runs.agents.mcp.conftest import Day
from tests.runs.agents.mcp.stand_in import MARKUP


def test_what_went_into_one_tool_comes_out_of_another_and_no_name_breaks_out(day: Day) -> None:
    report = day("odd")
    assert (report.launched, report.test_depth, report.encountered) == (True, "tier1_real", 0), report
    assert isinstance(report.verified_how, VerifiedHow) and "probe.py" in report.verified_how.command
    assert "`read_notes` gave back “The wandering albatross has a wingspan of 351 cm.”" in report.final_state
    assert "1 as the schemas that they declare say" in report.final_state
    assert MARKUP not in report.final_state and "\x1b" not in report.final_state and "\u202e" not in report.final_state
    assert "No arguments that fit could be made for `loops`" in report.final_state


def test_an_answer_that_contradicts_its_schema_and_a_death_in_the_middle_are_errors_and_nothing_is_verified(
    day: Day,
) -> None:
    report = day("breaks")
    assert (report.launched, report.test_depth, report.encountered, report.fixed) == (True, "tier3_none", 2, 0), report
    contradicts, died = report.errors or ()
    assert "`count_notes`: it answers otherwise than it declares" in contradicts.what
    assert "`delete_notes`: the server went away" in died.what
    assert "2 of 5 tools that were called answered" in report.final_state


def test_a_server_that_never_answers_did_not_launch(day: Day) -> None:
    report = day("never", budget=46)
    assert (report.launched, report.test_depth) == (False, "tier3_none"), report
    assert "it did not answer in time" in (report.errors or ())[0].what


@pytest.mark.endurance
@pytest.mark.parametrize("mode", ["garbage", "floods", "endless_line", "malformed"])
def test_a_server_that_speaks_no_sense_did_not_launch_and_the_day_ends(day: Day, mode: str) -> None:
    report = day(mode, budget=90)
    assert (report.launched, report.test_depth, report.fixed) == (False, "tier3_none", 0), report
    assert report.encountered == 1


@pytest.mark.endurance
def test_of_a_thousand_tools_some_are_called_and_the_others_are_counted(day: Day) -> None:
    report = day("thousand")
    assert "showed 1000 tools" in report.final_state
    assert report.test_depth == "tier1_real"
    assert "more that it advertises were not called" in report.final_state


@pytest.mark.endurance
def test_what_can_only_be_called_as_a_task_and_what_never_answers_is_said(day: Day) -> None:
    report = day("some", budget=150)
    assert "Not called: `research`, which can only be called as a task" in report.final_state
    assert "What `fetch_page` asked for on the network could not be reached" in report.final_state
    assert report.test_depth == "tier1_real"
    (silent,) = report.errors or ()
    assert silent.what.startswith("calling its tool `waits`: it did not answer in time") and not silent.fixed


@pytest.mark.endurance
def test_a_server_without_a_tool_to_call_launched_and_is_not_verified(day: Day) -> None:
    report = day("only_tasks")
    assert (report.launched, report.test_depth) == (True, "tier3_none")
    assert "It showed no tool that this client can call" in report.final_state


@pytest.mark.endurance
def test_a_server_at_an_address_is_started_found_and_stopped(day: Day) -> None:
    readme = "Run it:\n\n```shell\nuvx stand-in notes --transport streamable-http --port 18461\n```\n"
    report = day("", readme=readme, task="reach it over streamable HTTP (streamable-http).")
    assert (report.launched, report.test_depth, report.encountered) == (True, "tier1_real", 0), report
    assert isinstance(report.verified_how, VerifiedHow)
    assert "--url http://127.0.0.1:18461/mcp" in report.verified_how.command


@pytest.mark.endurance
def test_a_server_that_is_documented_at_an_address_and_listens_nowhere_did_not_launch(day: Day) -> None:
    readme = "Run it:\n\n```shell\nuvx stand-in never --transport streamable-http\n```\n"
    report = day("", budget=28, readme=readme, task="reach it over streamable HTTP (streamable-http).")
    assert not report.launched and report.test_depth == "tier3_none", report


@pytest.mark.parametrize(
    "said",
    [
        "AttributeError: 'Server' object has no attribute 'list_resources'",
        "AttributeError: 'Server' object has no attribute 'call_tool'",
        "ModuleNotFoundError: No module named 'mcp.server.fastmcp'. This is mcp 2.x, where FastMCP was renamed",
        "ImportError: cannot import name 'McpError' from 'mcp.shared.exceptions' (/x/mcp/shared/exceptions.py)",
    ],
)
def test_a_server_that_was_built_for_the_first_version_of_the_library_is_given_that(said: str) -> None:
    failed = CommandResult(1, "probe", 1, f"    {said}\nMCPError: Connection closed\n", 1.0, None)
    found = recognise(failed, knowledge().repairs)
    assert found.kind == "stale_pin" and found.evidence == said
    assert [repair.run for repair in found.repairs] == [("{{python}} -m pip install -q 'mcp<2'",)]
