"""The kinds that this program can run, found by being here, and which of them a user's target is of.

A module of this package that defines `KIND` (a `SubjectKind`) is a kind. A new kind adds a file and edits nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import cast

from argusic.errors import InputError
from argusic.pool import kinds as package
from argusic.pool.kinds.protocol import SubjectKind


def kinds() -> dict[str, SubjectKind]:
    """Return every kind that this program can run, by its id, sorted."""
    found = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        if hasattr(module, "KIND"):
            one = cast(SubjectKind, module.KIND)
            found[one.kind] = one
    return dict(sorted(found.items()))


def kind(name: str) -> SubjectKind:
    """Return the kind called `name`.

    Raises:
        InputError: This program cannot run subjects of that kind.
    """
    known = kinds()
    if name not in known:
        raise InputError(f"No subject of the kind {name!r} can be run. The kinds are {', '.join(known)}.")
    return known[name]


def kind_names() -> tuple[str, ...]:
    """Return the ids of the kinds that this program can run, sorted."""
    return tuple(kinds())


def forms() -> str:
    """Return how a user writes targets, kind by kind."""
    return "; ".join(f"{one.kind}: {', '.join(one.written)}" for one in kinds().values())


def recognise(target: str, name: str | None = None) -> SubjectKind:
    """Return the kind of `target`, as a user types it after `argusic try`.

    Args:
        target: What the user typed: `forms` says how each kind is written.
        name: The kind, where the user named it.

    Raises:
        InputError: It is of no kind, or could be of several.
    """
    fitting = candidates(target, name)
    if len(fitting) > 1:
        which = " or ".join(f"--kind {one.kind}" for one in fitting)
        raise InputError(f"{target!r} can be of several kinds.", advice=f"Say which one you mean: {which}.")
    return fitting[0]


def candidates(target: str, name: str | None = None) -> tuple[SubjectKind, ...]:
    """Return every kind that `target` can be of, at least one.

    Args:
        target: What the user typed.
        name: The kind, where the user named it.

    Raises:
        InputError: It is of no kind, or not of the one that was named.
    """
    if name is not None:
        named = kind(name)
        if not named.recognises(target):
            raise InputError(f"{target!r} is not a {name}.", advice=f"Write one as {' or '.join(named.written)}.")
        return (named,)
    if "\0" not in target and Path(target).is_file():
        # A file's name can also read as a package's, and a package of a stranger's would be tried instead.
        raise InputError(
            f"{target} is a file.", advice="Name the folder that holds the project, or a package with --kind package."
        )
    fitting = tuple(one for one in kinds().values() if one.recognises(target))
    if not fitting:
        raise InputError(f"{target!r} is nothing that can be tested.", advice=f"Write one of these. {forms()}.")
    return fitting
