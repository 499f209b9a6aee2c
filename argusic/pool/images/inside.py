"""What an image needs of the machine that it is run in, and what is laid beside it there, the same for every agent."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

from argusic.errors import EnvironmentLack
from argusic.pool.images import machine
from argusic.pool.kinds.protocol import Workshop

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64", "riscv64": "riscv64"}
_LAUNCHER = """\
#!/usr/bin/env python3
\"\"\"Carries out the command lines of an image's description in this machine; `docker --help` says how.\"\"\"

import os
import sys

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, here)

from machine.main import begin

sys.exit(begin(here))
"""


def host_platform() -> str:
    """Return what images run on this machine are for."""
    return f"linux/{_ARCHITECTURES.get(platform.machine(), platform.machine())}"


def can_run(wanted: str, workshop: Workshop) -> None:
    """Refuse an image where no agent could run it: that would be this machine's fault, and not the agent's.

    Args:
        wanted: The platform that the image is for.
        workshop: What opens a sandbox as an agent will have it.

    Raises:
        EnvironmentLack: The image is for another kind of machine, or a sandbox has nothing to run it with.
    """
    here = host_platform()
    if not f"{wanted}/".startswith(f"{here}/"):
        raise EnvironmentLack(f"The image is for {wanted}, and this machine is {here}.")
    sandbox = workshop.sandbox()
    try:
        there = sandbox.run(["sh", "-c", "command -v proot && command -v python3"]).exit_status == 0
    finally:
        sandbox.destroy()
    if not there:
        raise EnvironmentLack(
            "The sandbox has no PRoot, with which images are run in it.",
            advice="Install it on this machine (apt-get install proot), or run in the published environment.",
        )


def lay_beside(folder: Path, description: str | None) -> None:
    """Lay an image's description, and what carries out its commands, into the folder that has the image."""
    if description:
        (folder / "DESCRIPTION.md").write_text(description, encoding="utf-8")
    (folder / "machine").mkdir()
    for module in sorted(Path(machine.__path__[0]).glob("*.py")):
        shutil.copyfile(module, folder / "machine" / module.name)
    (folder / "docker").write_text(_LAUNCHER, encoding="utf-8")
    (folder / "docker").chmod(0o755)
