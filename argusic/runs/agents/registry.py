"""Finds agent implementations: one module of this package each, known by being there.

A module that implements an agent defines `program()`, which returns it. A new agent adds a module and edits
nothing.
"""

from __future__ import annotations

import importlib
import pkgutil

from argusic.errors import InputError
from argusic.runs import agents
from argusic.runs.session import AgentProgram


def implementations() -> tuple[str, ...]:
    """Return the names of all implementations, sorted."""
    names = (info.name for info in pkgutil.iter_modules(agents.__path__))
    return tuple(sorted(_public(name) for name in names if hasattr(_module(name), "program")))


def implementation(name: str) -> AgentProgram:
    """Return a fresh agent of the implementation called `name`.

    Raises:
        InputError: There is no such implementation.
    """
    if name not in implementations():
        raise InputError(
            f"There is no agent implementation called {name!r}.",
            advice=f"Known are: {', '.join(implementations())}.",
        )
    program: AgentProgram = _module(name.replace("-", "_")).program()
    return program


def _module(name: str):  # type: ignore[no-untyped-def]  # a module found by name has no static type
    return importlib.import_module(f"{agents.__name__}.{name}")


def _public(module: str) -> str:
    return module.replace("_", "-")
