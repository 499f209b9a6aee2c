"""Which program measured: Argusic's own version and commit, as every manifest states them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import argusic
from argusic.database.git import Git
from argusic.records.manifest import ArgusicFacts


@cache
def argusic_facts() -> ArgusicFacts:
    """Return the version and commit of the program that runs, as they were when first asked.

    A program that was not run from a checkout of its own has no commit and counts as changed.
    """
    folder = Path(argusic.__file__).parent
    git = Git.around(folder)
    if git is None or not git.tracked("__init__.py"):
        return ArgusicFacts(version=argusic.__version__, commit=None, dirty=True)
    return ArgusicFacts(version=argusic.__version__, commit=git.head(), dirty=git.is_dirty())
