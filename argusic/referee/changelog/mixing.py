"""What never comes in one pull request: code and evidence, since who reads results must not have to read a program as
well; and what is derived, which follows from the facts and is written on the main branch alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from argusic.database.paths import DATA_FOLDERS, what_is
from argusic.errors import Finding, Place
from argusic.referee.changelog.comparing import CODE_FOLDERS, Comparison

#: Files of cycles that people write because code changed.
_OF_CODE = ("conditions", "harness change", "read me", "place holder")


def mixed(made: Comparison) -> Iterator[Finding]:
    """Yield the first file of code, where evidence changed with it."""
    evidence = next((change.path for change in made.changes if _is_evidence(change.path)), None)
    if evidence is None:
        return
    code = next((change.path for change in (*made.changes, *made.tracked_changes) if _is_code(change.path)), None)
    if code is not None:
        what = f"is code, and {evidence} is evidence: one pull request changes code or evidence, never both."
        yield Finding(Place(code), what)


def carried(made: Comparison) -> Iterator[Finding]:
    """Yield each derived file that changed."""
    for change in made.changes:
        holding = what_is(change.path)
        if holding is not None and holding.row.nature == "derived":
            what = "is derived: `argusic recompute` writes it on the main branch, and no pull request brings it along."
            yield Finding(Place(change.path), what)


def _is_code(path: PurePosixPath) -> bool:
    """Return whether a file is neither data nor prose: tools find what they run under many names, in any case."""
    if path.parts[0] in CODE_FOLDERS:
        return True
    prose = path.suffix == ".md" and not path.parts[0].startswith(".")
    return path.parts[0] not in DATA_FOLDERS and not prose


def _is_evidence(path: PurePosixPath) -> bool:
    holding = what_is(path)
    return path.parts[0] == "runs" and not (holding is not None and holding.row.name in _OF_CODE)
