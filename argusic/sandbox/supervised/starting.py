"""What starting a sandbox has in common, whatever it is made by: nothing is left of one that could not be started."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from argusic.sandbox.protocol import SandboxStartFailed
from argusic.sandbox.supervised.link import LinkClosed
from argusic.sandbox.supervised.sandbox import SupervisedSandbox


def started(begin: Callable[[ExitStack], SupervisedSandbox], explain: Callable[[OSError], str]) -> SupervisedSandbox:
    """Start a sandbox.

    Args:
        begin: Starts it, and gives what undoes each step.
        explain: Says why the system refused a step.

    Raises:
        SandboxStartFailed: It could not be started; nothing is left behind.
    """
    with ExitStack() as undo:
        try:
            return begin(undo)
        except LinkClosed as error:
            raise SandboxStartFailed("The sandbox could not be started: its first process died.") from error
        except OSError as error:
            raise SandboxStartFailed(f"The sandbox could not be started: {explain(error)}.") from error
