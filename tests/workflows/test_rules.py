"""The fifteen rules of workflows hold here; and each is what catches whoever breaks it."""

from __future__ import annotations

import pytest

from tests.workflows.broken import BROKEN, Broken
from tests.workflows.repository import Repository
from tests.workflows.rules import RULES

HERE = Repository.here()


@pytest.mark.parametrize("number", RULES)
def test_this_repository_keeps_the_rule(number: int) -> None:
    assert list(RULES[number](HERE)) == []


@pytest.mark.parametrize("broken", BROKEN, ids=lambda one: f"{one.rule}: {one.how}")
def test_a_copy_that_breaks_a_rule_breaks_that_one_alone(broken: Broken) -> None:
    copy = broken.made(HERE)
    said = {number: list(rule(copy)) for number, rule in RULES.items()}
    assert {number for number, one in said.items() if one} == {broken.rule}, said


def test_there_are_fifteen_rules_and_each_is_broken_at_least_once() -> None:
    assert list(RULES) == list(range(1, 16))
    assert {broken.rule for broken in BROKEN} == set(RULES)
