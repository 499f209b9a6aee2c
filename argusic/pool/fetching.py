"""Taking one published file out of the sandbox that a package client fetched it into."""

from __future__ import annotations

import re
from typing import NamedTuple

from argusic.errors import InputError
from argusic.pool.kinds.protocol import SubjectUnavailable
from argusic.sandbox.protocol import HOME_FOLDER, Completed, Sandbox, SandboxGone

#: No published file that a run could install within its budget is larger.
MAX_FILE_BYTES = 1_000_000_000
#: Where clients put what they fetch, inside.
FETCHED = f"{HOME_FOLDER}/fetched"
#: How long a client may take to fetch one file.
FETCH_SECONDS = 600.0


class Published(NamedTuple):
    """A published file."""

    file: str
    """Its name."""
    content: bytes
    """Its content."""


def run(sandbox: Sandbox, argv: list[str], *, stdin: bytes = b"", seconds: float = 60) -> Completed:
    """Run a command of a client inside.

    Raises:
        SubjectUnavailable: The sandbox went away meanwhile.
    """
    try:
        return sandbox.run(argv, stdin=stdin, timeout=seconds)
    except SandboxGone as gone:
        raise SubjectUnavailable(f"the sandbox that fetches went away: {gone}") from gone


def text(done: Completed) -> str:
    """Return what a command printed."""
    return done.output.decode("utf-8", "replace")


def without_addresses(line: str) -> str:
    """Return a line of a client's as a message may quote it."""
    return re.sub(r"https?://\S+", "(an address)", line)


def collect(sandbox: Sandbox, client: str) -> Published:
    """Take the one file that `client` fetched out of the sandbox.

    Raises:
        InputError: It is larger than anything that is tested.
        SubjectUnavailable: There is not one such file, or it cannot be taken out.
    """
    names = [name for name in text(run(sandbox, ["ls", "-A", FETCHED])).split("\n") if name]
    if len(names) != 1 or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*", names[0]):
        raise SubjectUnavailable(f"{client} did not leave one published file")
    try:
        content = sandbox.get(f"{FETCHED}/{names[0]}", max_bytes=MAX_FILE_BYTES)
    except ValueError:
        raise InputError(f"{names[0]} is larger than {MAX_FILE_BYTES} bytes, the most that is tested.") from None
    except SandboxGone as gone:
        raise SubjectUnavailable(f"the sandbox that fetches went away: {gone}") from gone
    if content is None:
        raise SubjectUnavailable(f"{names[0]} could not be taken out of the sandbox")
    return Published(names[0], content)
