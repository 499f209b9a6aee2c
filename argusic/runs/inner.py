"""What an agent's own program ran, as rows for the command table: from what the host saw of its processes.

Listed is what the program itself starts. What that starts in turn is inside of it, as with the harness's own commands,
but for a shell that is given nothing to run: such a one waits for what the program will type, so that each command
of it is listed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from argusic.sandbox.protocol import Started

#: How many rows one program may have. What it runs beyond that is counted.
MOST_INNER: Final = 10_000
#: The longest command line that is listed whole, in characters.
MOST_CHARACTERS: Final = 100_000
_SHELLS: Final = frozenset(("ash", "bash", "busybox", "dash", "ksh", "sh", "zsh"))
_COMMAND_OPTION: Final = re.compile(r"-[a-zA-Z]*c[a-zA-Z]*")


#: Takes a command line as a program gives it to a shell, and returns the command that it has wrapped into it.
Unwrap = Callable[[str], str]


class Inner(NamedTuple):
    """One command that the program ran. Times are those of the host's monotonic clock."""

    command: str
    """The shell's command line without what the program wraps each of its commands in, or the words of another
    program, quoted as a shell would need them."""
    line: str | None
    """The whole command line, where that is another."""
    started: float
    """When it started."""
    ended: float | None
    """When it ended; None where it went on running."""
    exit_status: int | None
    """Its exit status, as far as that was seen."""


def inner_commands(started: Sequence[Started], own: str, unwrap: Unwrap) -> list[Inner]:
    """Return what an agent's program ran.

    Args:
        started: Every program that was seen to start while the agent's program ran.
        own: The harness's own command line, which started it.
        unwrap: Knows how the program wraps its commands.
    """
    found: dict[int, Inner] = {}
    program: set[int] = set()
    within: list[bool] = []
    """Of each: whether what it starts is part of what is listed."""
    for place, one in enumerate(started):
        above = started[one.above] if one.above is not None else None
        if one.argv == ("/bin/bash", "-c", own) and above is None:
            program.add(one.process)
            within.append(False)
            continue
        if above is not None and above.process in program and (above.argv[-1] == own or _hands_on(above, one)):
            program.add(one.process)
        if one.process in program:
            within.append(False)
            continue
        if one.above is not None and above is not None:
            if one.above in found and above.process == one.process and not _is_shell(above.argv):
                del found[one.above]  # It only launched what took its process over.
            elif within[one.above]:
                within.append(True)
                continue
        line = _line(one.argv)
        within.append(not _waits(one.argv))
        times = (one.started, one.ended, one.exit_status)
        found[place] = unwrapped(line, unwrap, *times) if line is not None else bare(shlex.join(one.argv), *times)
    return list(found.values())


def unwrapped(line: str, unwrap: Unwrap, started: float, ended: float | None, exit_status: int | None) -> Inner:
    """Return what ran of a command line that a program gave to a shell."""
    command = unwrap(line)
    return Inner(_shortened(command), _shortened(line) if command != line else None, started, ended, exit_status)


def bare(command: str, started: float, ended: float | None, exit_status: int | None) -> Inner:
    """Return what ran without a shell."""
    return Inner(_shortened(command), None, started, ended, exit_status)


def _hands_on(launcher: Started, one: Started) -> bool:
    """Whether a program is started with all that its launcher was given: it is the same program then.

    What the launcher was given stands behind its own name, or behind an interpreter and a script.
    """
    given = (launcher.argv[1:], launcher.argv[2:], one.argv[1:])
    longer = (one.argv, one.argv, launcher.argv)
    return any(words and argv[-len(words) :] == words for words, argv in zip(given, longer, strict=True))


def _is_shell(argv: Sequence[str]) -> bool:
    return bool(argv) and PurePosixPath(argv[0]).name.lstrip("-") in _SHELLS


def _waits(argv: Sequence[str]) -> bool:
    """Whether it is a shell that is given nothing to run."""
    return _is_shell(argv) and not any(_COMMAND_OPTION.fullmatch(word) or word[0:1] not in "-+" for word in argv[1:])


def _line(argv: Sequence[str]) -> str | None:
    """Return the command line that a shell was given, or None where it was given none."""
    if not _is_shell(argv):
        return None
    asked = False
    words = iter(argv[1:])
    for word in words:
        if not word.startswith(("-", "+")) or word in ("-", "--"):
            return word if asked else None
        asked = asked or _COMMAND_OPTION.fullmatch(word) is not None
        if word.endswith(("o", "O")) and not word.startswith("--"):
            next(words, None)
    return None


def _shortened(command: str) -> str:
    return command if len(command) <= MOST_CHARACTERS else command[:MOST_CHARACTERS] + "…"
