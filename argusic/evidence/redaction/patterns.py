"""Patterns over bytes, in time linear in the text whatever it is: RE2 instead of Python's backtracking engine.

What is searched was printed by strangers' code, and it is searched for some sixty patterns at once; RE2 does both
without a text that could stall it, at some hundred megabytes a second. This is the only module that knows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import re2  # type: ignore[import-untyped]

_MEMORY = 64 * 1024 * 1024


class PatternError(ValueError):
    """A pattern that the engine does not take, such as one with a look-around."""


def _options(*, utf8: bool) -> Any:
    options = re2.Options()
    encoding = re2.Options.Encoding
    options.encoding = encoding.UTF8 if utf8 else encoding.LATIN1
    options.max_mem = _MEMORY
    options.log_errors = False
    return options


class Pattern:
    """One pattern over bytes.

    Args:
        source: In RE2's syntax. A byte is a character unless `utf8`.
        utf8: Whether a character is one of UTF-8.

    Raises:
        PatternError: The engine does not take it.
    """

    def __init__(self, source: str, *, utf8: bool = False) -> None:
        self.source = source
        try:
            self._compiled: Any = re2.compile(source.encode(), _options(utf8=utf8))
        except re2.error as error:
            raise PatternError(f"{source}: {error}") from error

    def found_in(self, text: bytes) -> bool:
        """Return whether it occurs."""
        return self._compiled.search(text) is not None

    def is_all_of(self, text: bytes) -> bool:
        """Return whether it matches the whole."""
        return self._compiled.fullmatch(text) is not None

    def matches(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield each match's place, the first group's where the pattern has one that took part."""
        group = 1 if self._compiled.groups else 0
        for match in self._compiled.finditer(text):
            start, end = match.span(group)
            yield (start, end) if start >= 0 else match.span()

    def whole_matches(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield each match's place, whatever groups there are."""
        for match in self._compiled.finditer(text):
            yield match.span()


@lru_cache(maxsize=4)
def _set_of(sources: tuple[str, ...]) -> Any:
    compiled = re2.Set.SearchSet(_options(utf8=False))
    for source in sources:
        compiled.Add(source.encode())
    compiled.Compile()
    return compiled


class PatternSet:
    """Many patterns, asked in one pass which of them occur.

    Args:
        sources: The patterns; their order gives their numbers.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self._numbers = range(len(sources))
        self._any = Pattern("|".join(f"(?:{source})" for source in sources))
        self._set = _set_of(tuple(sources))

    def found_in(self, text: bytes) -> Sequence[int]:
        """Return the numbers of the patterns that occur, sorted, or of more than those: never of fewer."""
        if not self._any.found_in(text):
            return []
        # A set that ran out of memory answers as if there were no match; the union does not.
        return sorted(self._set.Match(text) or self._numbers)


def literals(texts: Iterable[bytes]) -> str:
    """Return the pattern of any of `texts`; they must be letters and digits."""
    return "|".join(sorted(text.decode("ascii") for text in texts))
