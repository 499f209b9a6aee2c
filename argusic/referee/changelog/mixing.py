"""What never comes in one pull request: code and evidence, since who reads results must not have to read a program as
well; and what is derived, which follows from the facts and is written on the main branch alone. And what lies where no
check looks, under a name that some systems take for one of ours."""

from __future__ import annotations

import unicodedata
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


def posing(made: Comparison) -> Iterator[Finding]:
    """Yield what was added to a folder that is one of ours on some systems, and here lies beside it unchecked."""
    ours = {name.casefold(): name for name in (*DATA_FOLDERS, *CODE_FOLDERS, ".argusic")}
    for change in made.tracked_changes:
        top = change.path.parts[0]
        own = ours.get(_seen(top))
        if own not in (None, top) and change.status != "D":
            yield Finding(
                Place(change.path), f"lies in {own!r} on systems that read {top!r} so, and nothing checks it."
            )


def _seen(name: str) -> str:
    """Return a name as a system has it that knows no case, spells characters its own way, or skips hidden ones."""
    spelt = unicodedata.normalize("NFKC", name)
    return "".join(sign for sign in spelt if unicodedata.category(sign) != "Cf").casefold().rstrip(". ")


def _is_code(path: PurePosixPath) -> bool:
    """Return whether a file is neither data nor prose: tools find what they run under many names, in any case."""
    if path.parts[0] in CODE_FOLDERS:
        return True
    prose = path.suffix == ".md" and not path.parts[0].startswith(".")
    return path.parts[0] not in DATA_FOLDERS and not prose


def _is_evidence(path: PurePosixPath) -> bool:
    holding = what_is(path)
    return path.parts[0] == "runs" and not (holding is not None and holding.row.name in _OF_CODE)
