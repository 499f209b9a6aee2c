"""What a change of a file asks for, by what measurements rest on it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from argusic.records.conditions import Harness


class Bearing(NamedTuple):
    """One way in which a file bears on measurements."""

    name: str
    """What such a file is, as sentences name it."""
    patterns: tuple[str, ...]
    """Its files; `**` stands for any folders."""
    statable: bool = True
    """Whether a statement that the change has no effect will do instead of an edition."""
    held: bool = False
    """Whether a cycle that is under way holds on to it."""
    described: bool = False
    """Whether an edition that corrects a description alone may come with a change of it."""


INSTRUCTIONS = Bearing("part of the standard instructions", ("rules/instructions/*.md",), statable=False)
RUBRIC = Bearing("code of the rubric", ("argusic/rules/**/*.py",), described=True)
#: What lies under `rules/` and beside it. Editions themselves have a check of their own, statements too, and prose
#: decides nothing.
BEARINGS = (
    INSTRUCTIONS,
    Bearing("the declaration of a kind", ("rules/kinds/*.yaml",), statable=False, described=True),
    Bearing("part of the published environment", ("rules/environment/*.yaml",), held=True),
    Bearing("the list of the harness", ("rules/harness.yaml",), held=True),
    Bearing("the policy of who may sign", ("rules/trust/*.yaml",), described=True),
    Bearing("where evidence is kept", ("rules/evidence.yaml",), described=True),
    Bearing("a table of what is masked in evidence", ("argusic/evidence/redaction/*.yaml",)),
    RUBRIC,
)


def harness_bearing(lists: Iterable[Harness]) -> tuple[Bearing, tuple[str, ...]]:
    """Return how harness code bears on measurements, by some lists of it, and the patterns of what is none of it.

    Args:
        lists: The list before the change and the one after it: what only one of them names is harness all the same.
    """
    parts = [part for harness in lists for part in harness.parts]
    files = tuple(pattern for part in parts for pattern in part.files)
    without = {pattern for part in parts for pattern in part.without}
    return Bearing("code of the harness", files, held=True), tuple(sorted(without))


def matches(path: PurePosixPath, patterns: Iterable[str]) -> bool:
    """Return whether any of some patterns names a path."""
    return any(_expression(pattern).fullmatch(str(path)) for pattern in patterns)


def _expression(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*)", pattern)
    spelt = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}
    return re.compile("".join(spelt.get(part) or re.escape(part) for part in parts))
