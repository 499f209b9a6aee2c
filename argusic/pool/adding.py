"""Adding a subject to the pool: its slug, its record, and its pin in a cycle that is still open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from argusic.database.database import Database
from argusic.database.editing import edit
from argusic.database.paths import cycle_path, subject_path
from argusic.errors import InputError
from argusic.pool.kinds.protocol import Resolved
from argusic.records.base import Tier, slug_of
from argusic.records.cycle import Cycle, PoolEntry
from argusic.records.subject import Subject


def known(database: Database, kind: str, found: Resolved) -> Subject | None:
    """Return the subject of the pool that comes from where `found` comes from, if there is one."""
    return next((one for one in database.subjects() if one.kind == kind and one.source == found.source), None)


def free_slug(database: Database, kind: str, found: Resolved) -> str:
    """Return the slug of a new subject: of its name, or where that is taken, of name and ecosystem.

    Raises:
        InputError: Its name makes no slug, or both are taken.
    """
    try:
        plain = slug_of(found.name)
    except ValueError as error:
        raise InputError(
            f"The name {found.name!r} makes no slug: it {error}.", advice="Name one with --slug."
        ) from error
    for slug in (plain, f"{plain}-{getattr(found.source, 'ecosystem', kind)}"):
        if not database.holds(subject_path(kind, slug)):
            return slug
    raise InputError(f"The pool has another {kind} called {plain}.", advice="Name this one with --slug.")


def drafted(
    kind: str,
    slug: str,
    found: Resolved,
    *,
    summary: str | None,
    licence: str | None,
    licence_by: str | None = None,
    languages: Sequence[str],
    desktop: bool = False,
) -> Subject:
    """Return the record of a new subject.

    Raises:
        InputError: A value is not what its field takes.
    """
    try:
        return Subject(
            kind=kind,
            slug=slug,
            name=found.name,
            source=found.source,
            summary=None if summary is None else in_one_line(summary),
            licence=licence,
            licence_by=licence_by,
            languages=tuple(languages),
            desktop=desktop or None,
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{field}: {first['msg'].removeprefix('Value error, ')}.") from error


def in_one_line(text: str) -> str:
    """Return what a stranger wrote without what steers terminals or turns lines round: it stands on pages as it is."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def entry_of(subject: Subject, found: Resolved, tier: Tier = "standard", heavy_by: str | None = None) -> dict[str, Any]:
    """Return the cycle's entry of a subject as plain data, in the order of its fields."""
    entry = PoolEntry(subject=subject.ref, pin=found.pin, tier=tier, heavy_by=heavy_by)
    return entry.model_dump(mode="json", exclude_none=True)


def may_enter(database: Database, cycle: str, ref: str) -> None:
    """Refuse to change a cycle that is closed or has the subject already.

    Raises:
        InputError: It may not be changed so.
    """
    if database.close(cycle) is not None:
        raise InputError(f"The cycle {cycle} is closed: its pool changes no more.")
    if database.cycle(cycle).entry(ref) is not None:
        raise InputError(f"The cycle {cycle} has {ref} already, and its pin stays for the whole cycle.")


def enter(database: Database, cycle: str, entry: dict[str, Any]) -> None:
    """Add an entry to a cycle's pool; the rest of its file stays as it is, comments included.

    Raises:
        InputError: The cycle would not be valid any more.
    """
    with edit(database.root / cycle_path(cycle), Cycle, root=database.root) as content:
        content["subjects"].append(entry)
