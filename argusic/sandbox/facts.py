"""What an agent meets inside a sandbox: the system, and the versions of the tools found there."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from argusic.records.manifest import EnvironmentFacts
from argusic.sandbox.protocol import Sandbox

#: Reads what npm says of itself: starting it takes longer than all others together.
_NPM = (
    r"""sed -n 's/^  "version": *"\(.*\)".*/\1/p' "$(dirname "$(readlink -f "$(command -v npm)")")/../package.json" """
)
#: The tools asked for, and how each tells its version.
TOOLS = {
    "bash": ("bash", "--version"),
    "cargo": ("cargo", "--version"),
    "cmake": ("cmake", "--version"),
    "curl": ("curl", "--version"),
    "gcc": ("gcc", "-dumpfullversion"),
    "git": ("git", "--version"),
    "go": ("go", "version"),
    "java": ("java", "-version"),
    "make": ("make", "--version"),
    "node": ("node", "--version"),
    "npm": ("sh", "-c", _NPM),
    "perl": ("perl", "-e", "print $^V"),
    "php": ("php", "--version"),
    "python3": ("python3", "--version"),
    "ruby": ("ruby", "--version"),
    "rustc": ("rustc", "--version"),
}
_AT_ONCE = 4
_SECONDS = 20
_VERSION = re.compile(r"\d+(\.\d+)+([-+~.]?[0-9A-Za-z]+)*|\d+")


def read_environment(sandbox: Sandbox, among: Sequence[str] = tuple(TOOLS)) -> EnvironmentFacts:
    """Return the facts of the machine inside, asked from inside.

    Args:
        sandbox: Where to ask.
        among: The names of `TOOLS` to ask for.

    Raises:
        SandboxGone: The sandbox is no longer there.
    """
    kernel, _, machine = _say(sandbox, "uname", "-r", "-m").partition(" ")
    present = _say(sandbox, "sh", "-c", 'for tool; do command -v "$tool"; done', "sh", *among)
    names = sorted({line.rpartition("/")[2] for line in present.splitlines()} & set(among))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        said = pool.map(lambda name: _say(sandbox, *TOOLS[name]), names)
        matches = {name: _VERSION.search(text) for name, text in zip(names, said, strict=True)}
        versions = {name: match.group() for name, match in matches.items() if match}
    release = sandbox.get("/etc/os-release", max_bytes=65536) or b""
    system = re.search(r'^PRETTY_NAME="?([^"\n]+)', release.decode(errors="replace"), re.MULTILINE)
    facts = {
        "os": system.group(1) if system else "Linux",
        "kernel": kernel or "unknown",
        "machine": machine or "unknown",
        "tools": versions,
    }
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    return EnvironmentFacts.model_validate({**facts, "digest": digest})


def _say(sandbox: Sandbox, *argv: str) -> str:
    completed = sandbox.run(argv, timeout=_SECONDS, max_output=65536)
    return completed.output.decode(errors="replace").strip()
