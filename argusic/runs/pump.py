"""The reading loop: moves what a terminal prints to whoever takes it, until the command ends or must end.

A command ends when its process does. Whoever else still holds its terminal (a server left in the background) does
not hold up the end: the terminal is then only emptied of what had been printed.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from argusic.runs.terminal import Terminal

#: The most that is taken from a terminal at once.
READ_BYTES: Final = 65_536
#: How often, in seconds, process, limits and cancellation are looked at while nothing else happens.
TICK: Final = 0.05
#: After the end, reading stops once a terminal was quiet for so long,
QUIET: Final = 0.03
#: and in any case after so long.
DRAIN: Final = 0.5
#: How long a killed process may take to be gone.
KILL_GRACE: Final = 5.0

#: Why the pump killed a command.
Stop = Literal["command_time", "output", "attempt"]


class Pumped(NamedTuple):
    """How a command ended."""

    exit_status: int | None
    """Its exit status, where it ended by itself."""
    stopped: Stop | None
    """Why it was killed, where it was."""
    terminal_open: bool
    """Whether someone still holds its terminal."""


def pump(
    main: Terminal,
    others: Sequence[Terminal],
    *,
    until: float | None,
    attempt_over: Callable[[], bool],
    gone: Callable[[Terminal], None],
    clock: Callable[[], float],
) -> Pumped:
    """Read a command's terminal until the command ends, and empty other terminals meanwhile.

    Args:
        main: The command.
        others: Terminals that earlier commands left open.
        until: When, on `clock`, the command's own time is up.
        attempt_over: Whether the attempt has ended; asked at each tick.
        gone: Told of each of `others` that closed or printed too much.
        clock: A monotonic clock in seconds.
    """
    terminals = {terminal.process.fileno(): terminal for terminal in (*others, main)}
    poller = select.poll()
    for descriptor in terminals:
        os.set_blocking(descriptor, False)
        poller.register(descriptor, select.POLLIN)
    main_descriptor = main.process.fileno()
    next_look = clock() + TICK
    data: bytes | None = None
    while True:
        # The only terminal, and it printed: most likely there is more.
        ready = list(terminals) if data and len(terminals) == 1 else _readable(poller, terminals)
        for descriptor in ready:
            terminal = terminals[descriptor]
            data = read_available(descriptor)
            more = terminal.take(data) if data else data is not None
            if terminal is main and data and not more:
                return _kill(main, "output")
            if not more:
                poller.unregister(descriptor)
                del terminals[descriptor]
                if terminal is not main:
                    gone(terminal)
        now = clock()
        closed = main_descriptor not in terminals
        if now < next_look and not closed:
            continue
        next_look = now + TICK
        # A terminal that closed is nearly always the end of its command: waiting is quicker than looking again.
        status = main.process.wait(TICK) if closed else main.process.poll()
        if status is not None:
            return Pumped(status, None, not closed and drain(main))
        if attempt_over():
            return _kill(main, "attempt")
        if until is not None and clock() >= until:
            return _kill(main, "command_time")


def _readable(poller: select.poll, terminals: Mapping[int, Terminal]) -> list[int]:
    """Return which terminals have something to read, waiting for a tick where none has."""
    ready = poller.poll(0)
    if not ready:
        for terminal in terminals.values():
            terminal.settle()
        ready = poller.poll(TICK * 1000)
    return [descriptor for descriptor, _ in ready]


def read_available(descriptor: int) -> bytes | None:
    """Return what a terminal hands out at once; None when it is closed and empty."""
    try:
        # Nothing at the end, and EIO: nobody holds the other end of the terminal.
        return os.read(descriptor, READ_BYTES) or None
    except BlockingIOError:
        return b""
    except OSError:
        return None


def drain(terminal: Terminal) -> bool:
    """Take what had been printed before the end; return whether someone still holds the terminal."""
    descriptor = terminal.process.fileno()
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    for _ in range(int(DRAIN / QUIET)):
        if not poller.poll(QUIET * 1000):
            return True
        data = read_available(descriptor)
        if data is None or (data and not terminal.take(data)):
            return False
    return True


def _kill(main: Terminal, why: Stop) -> Pumped:
    main.process.kill()
    main.process.wait(KILL_GRACE)
    if why != "output":
        drain(main)
    return Pumped(None, why, False)
