"""The search of a text, as it stands and as a viewer sees it, for everything that must not be served.

A text is a terminal's output or a file's content. It is looked at in several views: its very bytes, what is seen
without control sequences, and the same with full lines joined. What is found is given in places of the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from argusic.evidence.redaction.bodies import ArmourSearch, tokens
from argusic.evidence.redaction.known import KnownSearch, KnownSecret
from argusic.evidence.redaction.opaque import OpaqueSearch
from argusic.evidence.redaction.patterns import Pattern, PatternSet
from argusic.evidence.redaction.rules import Rules
from argusic.evidence.redaction.views import SPECIAL, View, Wrapping, runs, squeezed, stripped, without_harmless

#: What was found: a credential of the run's own, a secret by its shape, or key material.
Class = Literal["known", "shape", "key"]


class Found(NamedTuple):
    """One thing that must not be served."""

    what: Class
    """Its class."""
    rule: str
    """The credential's name or the rule's."""
    places: tuple[tuple[int, int], ...]
    """Where its characters stand in the text, sorted: bytes from and to."""


class Looked(NamedTuple):
    """What a look at a text gave."""

    found: list[Found]
    """Everything that must not be served."""
    special: bool
    """Whether the cursor may be moved in it, so that what is drawn must be looked at too."""
    unsearchable: str | None
    """The form that may hold a known credential and cannot be searched, where there is one."""


#: How far `near` of a rule reaches.
_NEAR: Final = 4096


class Finder:
    """The search for everything.

    Args:
        rules: What is a secret.
        known: The run's own credentials.
        width: Columns of the terminal, where one is known.
    """

    def __init__(self, rules: Rules, known: tuple[KnownSecret, ...], width: int | None) -> None:
        self._rules = rules
        self._known = KnownSearch(known) if known else None
        self._opaque = OpaqueSearch(rules.file.opaque, self._known) if self._known else None
        self._wrapping = Wrapping(width) if width else None
        self._shapes = rules.shapes
        keys = rules.file.keys
        self._armour = ArmourSearch(keys.armour)
        self._keys = [(rule, Pattern(rule.pattern), Pattern(rule.near) if rule.near else None) for rule in keys.values]
        self._any = PatternSet(
            [shape.source for shape in self._shapes]
            + [rule.pattern for rule in keys.values]
            + [keys.armour.begins, keys.armour.ends]
            + (self._opaque.sources if self._opaque else [])
            + [SPECIAL]
        )
        self._first_opaque = len(self._shapes) + len(self._keys) + 2
        self._special = self._first_opaque + (len(self._opaque.sources) if self._opaque else 0)

    def find(self, text: bytes) -> list[Found]:
        """Return everything in a text; the same thing may be there more than once."""
        return self.look(text).found

    def look(self, text: bytes) -> Looked:
        """Return everything in a text, and what else must be looked at or cannot be."""
        whole = View(text)
        seen = without_harmless(whole)
        numbers = self._any.found_in(seen.text)
        special = len(numbers) > 0 and numbers[-1] == self._special
        views = [(seen, numbers)]
        if special:
            seen = stripped(whole)
            # What is left out shows nothing by itself, but a control string's text is in the bytes all the same.
            views = [(view, self._any.found_in(view.text)) for view in (whole, seen)]
        found: list[Found] = []
        if self._known is not None:
            for view, _ in views:
                found += self._known_in(view)
        if self._wrapping is not None and (joined := self._wrapping.undone(seen)) is not seen:
            views.append((joined, self._any.found_in(joined.text)))
        for view, numbers in views:
            found += self._shaped_in(view, numbers)
        unsearchable = None
        if self._opaque is not None and any(
            self._first_opaque <= number < self._special for _, numbers in views for number in numbers
        ):
            found += self._packed_in(seen)
            unsearchable = self._opaque.unopened(seen.text)
        return Looked(found, special, unsearchable)

    def _packed_in(self, view: View) -> Iterator[Found]:
        assert self._opaque is not None
        for start, end, name in self._opaque.holding(view.text):
            if found := _found("known", name, view, [(start, end)]):
                yield found

    def _known_in(self, view: View) -> Iterator[Found]:
        assert self._known is not None
        letters = squeezed(view)
        for start, end, name in self._known.found(letters.text):
            spans = _with_marks(view.text, letters.places_before(start, end))
            if found := _found("known", name, view, spans):
                yield found

    def _shaped_in(self, view: View, numbers: Sequence[int]) -> Iterator[Found]:
        shapes = len(self._shapes)
        keys = len(self._keys)
        armour = False
        for number in numbers:
            if number < shapes:
                yield from self._shape(number, view)
            elif number < shapes + keys:
                yield from self._key(number - shapes, view)
            elif number < self._first_opaque:
                armour = True
        if armour:
            for body in self._armour.bodies(view.text):
                if found := _found("key", "armour", view, body):
                    yield found

    def _shape(self, number: int, view: View) -> Iterator[Found]:
        shape = self._shapes[number]
        for start, end in shape.pattern.matches(view.text):
            if self._rules.is_secret(shape, view.text, start, end) and (
                found := _found("shape", shape.name, view, [(start, end)])
            ):
                yield found

    def _key(self, number: int, view: View) -> Iterator[Found]:
        rule, pattern, near = self._keys[number]
        text = view.text
        for start, end in pattern.matches(text):
            around = text[max(0, start - _NEAR) : end + _NEAR]
            if near is not None and not near.found_in(around):
                continue
            if found := _found("key", rule.name, view, tokens(text, start, end)):
                yield found


def _with_marks(text: bytes, letters: Iterable[int]) -> list[tuple[int, int]]:
    """Return the stretches that letters stand in, with the few marks between two of them but no blanks."""
    spans: list[tuple[int, int]] = []
    for place in letters:
        if spans and _MARKS.fullmatch(text, spans[-1][1], place):
            spans[-1] = (spans[-1][0], place + 1)
        else:
            spans.append((place, place + 1))
    return spans


_MARKS: Final = re.compile(rb"[!-~]{0,4}")


def _found(what: Class, rule: str, view: View, spans: Iterable[tuple[int, int]]) -> Found | None:
    text = view.text
    places = [
        place
        for start, end in spans
        for offset, place in enumerate(view.places(start, end), start)
        if text[offset] > 0x20 and text[offset] != 0x7F
    ]
    return Found(what, rule, tuple(runs(sorted(set(places))))) if places else None
