"""Asking again: a few times, longer apart each time, never sooner than the server said, never for ever."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.errors import EnvironmentLack
from argusic.evidence.stores.patience import AskAgain, Patience, seconds_to_wait


@given(
    st.integers(1, 8),
    st.floats(0, 100),
    st.lists(st.none() | st.floats(0, 200), min_size=8, max_size=8),
    st.integers(0, 9),
)
def test_the_waits_are_bounded_whatever_a_server_says(
    tries: int, longest: float, asked: list[float | None], fails: int
) -> None:
    slept: list[float] = []
    turns = 0

    def question() -> str:
        nonlocal turns
        turns += 1
        if turns <= fails:
            raise AskAgain("the server answers 503", asked[turns - 1])
        return "there"

    patience = Patience(tries=tries, longest=longest, sleep=slept.append)
    try:
        assert patience.ask(question) == "there"
        assert turns == fails + 1
    except EnvironmentLack as lack:
        assert str(lack).startswith("the server answers 503")
        assert turns <= fails
    assert turns <= tries
    assert sum(slept) <= longest
    assert all(wait >= (after or 0) for wait, after in zip(slept, asked, strict=False))


def test_what_is_no_passing_fault_is_not_asked_again() -> None:
    slept: list[float] = []

    def question() -> None:
        raise EnvironmentLack("it is full.")

    with pytest.raises(EnvironmentLack, match="it is full"):
        Patience(sleep=slept.append).ask(question)
    assert slept == []


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12),
        ({"retry-after": formatdate(1_000_030, usegmt=True)}, 30),
        ({"retry-after": formatdate(999_000, usegmt=True)}, 0),
        ({"retry-after": "soon"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000100"}, 100),
        ({"x-ratelimit-remaining": "4", "x-ratelimit-reset": "1000100"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "later"}, None),
    ],
)
def test_what_a_server_says_of_waiting_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert seconds_to_wait(headers, lambda: 1_000_000.0) == seconds
