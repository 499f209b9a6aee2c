"""Whether each change of what measurements rest on has an edition, or a statement that it has no effect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from argusic.errors import Finding, Place
from argusic.referee.changelog.bearing import INSTRUCTIONS, Bearing
from argusic.referee.changelog.comparing import Comparison

_STATE = "`argusic rules state --base ... --no-effect ... --by ...`"


def uncovered(made: Comparison) -> Iterator[Finding]:
    """Yield each changed file that measurements rest on and that neither an edition nor a statement covers."""
    stated = {
        (PurePosixPath(entry.file), entry.sha256) for _, statement in made.statements for entry in statement.files
    }
    for path, borne in made.bearings.items():
        covered = (path, made.digest(path)) in stated
        if covered and all(bearing.statable for bearing in borne):
            continue
        what = _lacking(made, path, borne)
        if what is not None:
            yield Finding(Place(path), what)


def _lacking(made: Comparison, path: PurePosixPath, borne: tuple[Bearing, ...]) -> str | None:
    statable = all(bearing.statable for bearing in borne)
    state = f" A change without effect on measurement may be stated instead: {_STATE}." if statable else ""
    held = next((bearing for bearing in borne if bearing.held), None)
    if held is not None and made.under_way:
        cycle = made.under_way[0].cycle.cycle
        return f"is {held.name}, which changes between cycles only, and cycle {cycle} is under way.{state}"
    name = borne[0].name
    if not made.new_editions:
        return f"is {name}: a change of it comes with an edition, planned for the next cycle.{state}"
    editions = made.new_editions
    if INSTRUCTIONS in borne:
        if all(edition.instructions != path.stem for edition in editions):
            return f"is {name}, and edition {editions[-1].edition} names other instructions."
        return None
    if all(edition.corrects_description for edition in editions):
        strict = next((bearing for bearing in borne if not bearing.described), None)
        if strict is not None:
            edition = editions[-1].edition
            return f"is {strict.name}: edition {edition} corrects a description, which covers no change of it.{state}"
    return None


def misstated(made: Comparison) -> Iterator[Finding]:
    """Yield what new statements of no effect say that is not so."""
    changed = {change.path for change in made.changes}
    for place, statement in made.statements:
        for entry in statement.files:
            path = PurePosixPath(entry.file)
            strict = next((one for one in made.bearings.get(path, ()) if not one.statable), None)
            if path not in changed or path not in made.bearings:
                yield made.found(place, f"names {path}, of which no change has to be explained here.", "files")
            elif strict is not None:
                yield made.found(place, f"cannot cover {path}, which is {strict.name}: add an edition.", "files")
            elif entry.sha256 != made.digest(path):
                yield made.found(place, f"was made for another content of {path}: state it anew.", "files")
