"""The ways of making sandboxes that there are, by name."""

from __future__ import annotations

from argusic.errors import InputError
from argusic.sandbox.bubblewrap import Bubblewrap
from argusic.sandbox.docker import Docker
from argusic.sandbox.protocol import Provider


def providers() -> dict[str, Provider]:
    """Return every provider by its name, sorted, each new."""
    made: list[Provider] = [Bubblewrap(), Docker()]
    return {one.name: one for one in sorted(made, key=lambda one: one.name)}


def provider(name: str) -> Provider:
    """Return the provider called `name`.

    Raises:
        InputError: There is none of that name.
    """
    known = providers()
    if name not in known:
        raise InputError(f"There is no sandbox called {name!r}.", advice=f"Known are: {', '.join(known)}.")
    return known[name]
