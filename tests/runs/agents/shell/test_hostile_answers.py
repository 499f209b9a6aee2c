"""A model that is out to break its agent: numbers without end, and servers that say asking again is of no use."""

from __future__ import annotations

import json

import pytest

from argusic.runs.agents.shell.answer import Answer, Called
from argusic.runs.agents.shell.failures import failure
from argusic.runs.agents.shell.understanding import TOOL, understand
from argusic.runs.keys.access import ModelUnavailable
from tests.model_server import Reply, Usage, in_order
from tests.runs.agents.shell.working import DONE, Working

PRICE = {"input_usd": "1", "output_usd": "10", "as_of": "2026-11-01", "source": "the maker's list"}


@pytest.mark.parametrize(
    "seconds", ["1" + "0" * 400, "-1" + "0" * 400, '"1e999"', "1e999", "NaN", "true", "[]", "0", '"soon"']
)
def test_a_time_limit_that_is_none_is_as_if_none_was_given(seconds: str) -> None:
    arguments = f'{{"command": "ls", "timeout_seconds": {seconds}}}'
    (action,) = understand(Answer(calls=(Called("c", TOOL, arguments),))).actions
    assert (action.command, action.timeout, action.why_not) == ("ls", None, "")


@pytest.mark.parametrize("tokens", [10**12, 10**40, 10**400])
def test_a_usage_without_end_breaks_nothing(working: Working, tokens: int) -> None:
    worked = working.work(in_order(Reply("Hm.", usage=Usage(tokens, tokens)), DONE), price=PRICE)
    assert worked.end == "done"
    json.loads((working.folder / "trajectory.json").read_bytes())


def test_who_is_told_not_to_ask_again_does_not(working: Working) -> None:
    with pytest.raises(ModelUnavailable, match=r"refuses the referee\.$"):
        working.work(
            in_order(Reply(status=502, error="The server refuses the referee.", headers={"x-should-retry": "false"}))
        )
    assert failure(502, b"", {"x-should-retry": "true"}).kind == "again"
