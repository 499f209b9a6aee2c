"""The published agent programs that tests run for real, fetched once so that installing them needs no network.

    python -m tests.agent_programs

fetches them into a folder under `.argusic/` (some 400 MB); tests marked `programs` then install them from there, by the
adapters' own lines.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from argusic.records.configuration import Api, ProgramUsed
from argusic.referee.probes.probe import Probe
from argusic.sandbox.protocol import HOME_FOLDER, Sandbox

TOP: Final = Path(__file__).parents[1]
FOLDER: Final = TOP / ".argusic" / "agent-programs"
#: Each program at the version that tests run, and the protocol that it speaks to its model.
PROGRAMS: Final[dict[str, tuple[ProgramUsed, Api]]] = {
    "claude-code": (ProgramUsed(adapter="claude-code", version="2.1.332"), "anthropic_messages"),
    "codex": (ProgramUsed(adapter="codex", version="0.171.0"), "openai_responses"),
    "mini-swe-agent": (ProgramUsed(adapter="mini-swe-agent", version="2.4.6"), "openai_chat"),
}
_NPM: Final = {"claude-code": "@anthropic-ai/claude-code", "codex": "@openai/codex"}
_SECONDS: Final = 1800
#: Where it lies inside.
_INSIDE: Final = f"{HOME_FOLDER}/.kept"

#: What makes npm and pip take what was fetched.
ENVIRONMENT: Final = {
    "PIP_FIND_LINKS": f"{_INSIDE}/wheels",
    "PIP_NO_INDEX": "1",
    "npm_config_cache": f"{_INSIDE}/npm",
    "npm_config_offline": "true",
}


def probe() -> Probe:
    """Look whether they were fetched, and whether there is an npm to install two of them with."""
    if shutil.which("npm") is None:
        return Probe("agent programs", False, "npm is not here; apt-get install nodejs npm")
    mend = f"they are not fetched: {sys.executable} -m {__name__}"
    return Probe("agent programs", _stamp().is_file(), str(FOLDER) if _stamp().is_file() else mend)


def put_into(box: Sandbox, name: str) -> None:
    """Put into a sandbox what one program is installed from."""
    box.put(FOLDER / name, _INSIDE)


def fetch() -> None:
    """Fetch them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (used, _) in PROGRAMS.items():
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if name in _NPM:
            _fetch_npm(folder, f"{_NPM[name]}@{used.version}")
        else:
            wanted = f"{used.adapter}=={used.version}"
            # By the interpreter that will install it: wheels differ.
            _run(["/usr/bin/python3", "-m", "venv", str(folder / "env")])
            _run([str(folder / "env/bin/pip"), "download", "-q", "-d", str(folder / "wheels"), wanted])
            shutil.rmtree(folder / "env")
    _stamp().write_text("")


def _fetch_npm(folder: Path, package: str) -> None:
    """Install a package once, so that its files are in a cache of its own."""
    prefix = folder / "prefix"
    environment = {**os.environ, "npm_config_cache": str(folder / "npm"), "npm_config_prefix": str(prefix)}
    _run(["npm", "install", "--global", "--no-audit", "--no-fund", package], environment)
    shutil.rmtree(prefix)
    shutil.rmtree(folder / "npm/_logs", ignore_errors=True)


def _run(argv: list[str], environment: dict[str, str] | None = None) -> None:
    subprocess.run(argv, check=True, timeout=_SECONDS, env=environment, stdout=subprocess.DEVNULL)


def _stamp() -> Path:
    versions = "-".join(used.version for used, _ in PROGRAMS.values())
    return FOLDER / f"fetched-{versions}"


if __name__ == "__main__":
    if not probe().ok:
        fetch()
    print(probe().found)
