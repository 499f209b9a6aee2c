"""Cutting something into reads at any places, for the tests of what must not depend on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from hypothesis import strategies as st

S = TypeVar("S", str, bytes)


def cuts(whole: str | bytes) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, len(whole)), max_size=8).map(sorted)


def pieces(whole: S, places: list[int]) -> Iterator[S]:
    for start, end in zip([0, *places], [*places, len(whole)], strict=True):
        yield whole[start:end]
