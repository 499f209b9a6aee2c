"""Finds agent implementations: one module of this package each, known by being there.

A module that implements an agent without a model defines `program()`, one that implements an agent with a model
`model_program(given)`; either returns the agent. A new agent adds a module and edits nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from argusic.errors import InputError
from argusic.runs import agents
from argusic.runs.agents.given import Given
from argusic.runs.session import AgentProgram


def implementations() -> tuple[str, ...]:
    """Return the names of all implementations, sorted."""
    modules = (_module(info.name) for info in pkgutil.iter_modules(agents.__path__))
    return tuple(
        sorted(_public(module) for module in modules if hasattr(module, "program") or hasattr(module, "model_program"))
    )


def uses_model(name: str) -> bool:
    """Return whether the implementation called `name`, which is one of those above, works with a model."""
    return not hasattr(_module(name.replace("-", "_")), "program")


def implementation(name: str, given: Given | None = None) -> AgentProgram:
    """Return a fresh agent of the implementation called `name`.

    Args:
        name: The implementation.
        given: What an agent with a model needs; others are not told of it.

    Raises:
        InputError: There is no such implementation, or it needs a model and none is given.
    """
    # Only the one that is asked for is loaded: what others need does not concern it.
    known = {info.name.replace("_", "-"): info.name for info in pkgutil.iter_modules(agents.__path__)}
    module = _module(known[name]) if name in known else None
    if module is None or not (hasattr(module, "program") or hasattr(module, "model_program")):
        raise InputError(
            f"There is no agent implementation called {name!r}.",
            advice=f"Known are: {', '.join(implementations())}.",
        )
    if hasattr(module, "program"):
        program: AgentProgram = module.program()
        return program
    if given is None:
        raise InputError(f"The agent implementation {name!r} needs a model, and none is given.")
    with_model: AgentProgram = module.model_program(given)
    return with_model


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{agents.__name__}.{name}")


def _public(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2].replace("_", "-")
