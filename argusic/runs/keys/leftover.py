"""Keys that a dead process of this checkout left behind, deleted wherever attempts are swept up after."""

from __future__ import annotations

from collections.abc import Mapping

from argusic.database.database import Database
from argusic.runs.keys.notes import Notes


def sweep_leftover(database: Database, environment: Mapping[str, str]) -> list[str]:
    """Delete the keys that were asked for here and that no running attempt owns; return what could not be done.

    Where no key was asked for, nobody is asked anything.

    Args:
        database: The database.
        environment: The host's, which holds the services' own keys.
    """
    if not Notes.of(database).all():
        return []
    # Clients of HTTP are loaded only where there is something to ask.
    from argusic.runs.keys.sweeping import places, sweep

    swept = sweep(database, places(database, ()), environment)
    return [f"{trouble.place.name}: {trouble.what}" for trouble in swept.troubles]
