"""Where the host cannot look: shells inside write down what they are given, which proves less.

A shell that is given a command line reads a file first where a variable names one. That file has the outermost shell
below the agent's program write down its line, and at its end how it ended. Code inside can change or avoid all this.
Shells other than bash do not read the file, and are not seen.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from typing import Final

from argusic.runs.inner import Inner, Unwrap, unwrapped
from argusic.sandbox.protocol import Sandbox, SandboxGone

_MOST_BYTES: Final = 16_000_000
_FIELDS: Final = 4
_SCRIPT: Final = """\
case $ARGUSIC_SHELL in
0) export ARGUSIC_SHELL=1 ;;
1)
  export ARGUSIC_SHELL=2
  if [ -n "$BASH_EXECUTION_STRING" ]; then
    printf '%s\\0' begin $$ "$EPOCHREALTIME" "$BASH_EXECUTION_STRING" >> "$ARGUSIC_TOLD"
    trap '__argusic=$?; printf "%s\\0" end $$ "$EPOCHREALTIME" "$__argusic" >> "$ARGUSIC_TOLD"' EXIT
  fi ;;
esac
"""


class Told:
    """What shells inside tell of one program.

    Args:
        sandbox: Where it will run.

    Raises:
        SandboxGone: The sandbox is no longer there.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._place = f"/tmp/.told-{secrets.token_hex(8)}"
        sandbox.run(["/bin/sh", "-c", 'cat > "$0"', f"{self._place}.sh"], stdin=_SCRIPT.encode())

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that the program has to be started with."""
        return {"BASH_ENV": f"{self._place}.sh", "ARGUSIC_SHELL": "0", "ARGUSIC_TOLD": self._place}

    def commands(self, clock: Callable[[], float], unwrap: Unwrap) -> list[Inner]:
        """Return what was written down so far, its times on a monotonic clock of the host's."""
        try:
            data = self._sandbox.get(self._place, max_bytes=_MOST_BYTES) or b""
        except (SandboxGone, ValueError):
            return []
        return read_told(data, clock() - time.time(), unwrap)


def read_told(data: bytes, offset: float, unwrap: Unwrap) -> list[Inner]:
    """Return the commands that shells wrote down, in the order in which they started; what is none is left out.

    Args:
        data: What they wrote.
        offset: What has to be added to a time of theirs.
        unwrap: Knows how the program wraps its commands.
    """
    fields = data.decode(errors="replace").split("\0")
    found: list[Inner] = []
    open_at: dict[str, int] = {}
    for at in range(0, len(fields) - _FIELDS + 1, _FIELDS):
        what, process, when, rest = fields[at : at + _FIELDS]
        try:
            moment = float(when.replace(",", ".")) + offset
            status = int(rest) & 0xFF if what == "end" else None
        except ValueError:
            continue
        if what == "begin":
            open_at[process] = len(found)
            found.append(unwrapped(rest, unwrap, moment, None, None))
        elif process in open_at:
            place = open_at.pop(process)
            found[place] = found[place]._replace(ended=max(moment, found[place].started), exit_status=status)
    return found
