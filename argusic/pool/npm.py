"""Published Node packages, fetched by npm itself inside a sandbox, so that no registry is named here.

npm runs nothing of a package that it only packs, and checks what arrives against the digest that its registry keeps.
It is fetched in a sandbox all the same: there the client is the one that the agent will have, under no configuration
of this machine's user.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from argusic.errors import EnvironmentLack, InputError
from argusic.pool.fetching import FETCH_SECONDS, FETCHED, Published, collect, run, text, without_addresses
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable
from argusic.sandbox.protocol import Completed, Sandbox

#: How npm begins the line that says which error it was, in its versions so far.
_CODE = re.compile(r"^npm (?:error|ERR!) code (\w+)", re.MULTILINE)
_LINE = re.compile(r"^npm (?:error|ERR!) (?!code |A complete log)(\S.*)", re.MULTILINE)
_COMMAND_NOT_FOUND = 127
_OPTIONS = (
    *("--ignore-scripts", "--loglevel=error", "--no-update-notifier"),
    *("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"),
)


def newest(sandbox: Sandbox, name: str, version: str | None) -> Published:
    """Fetch the archive that npm picks for `name`, at `version` (or under that tag) where one is given.

    Raises:
        InputError: There is no such package or version.
        SubjectUnavailable: The registry could not be reached.
    """
    done = _pack(sandbox, f"{name}@{version}" if version else name)
    if done.exit_status != 0:
        code = _code(done)
        if code == "E404":
            raise InputError(f"npm knows no published package called {name}.")
        if code == "ETARGET":
            raise InputError(f"The package {name} has no version {version or 'at all'}.")
        raise SubjectUnavailable(f"{name} could not be fetched: {_why(done)}")
    return collect(sandbox, "npm")


def exact(sandbox: Sandbox, name: str, version: str, file: str, sha256: str) -> bytes:
    """Fetch one published archive. Its digest is the caller's to check.

    Raises:
        PinMismatch: What is published under that name is another file.
        SubjectUnavailable: It is not there, or the registry could not be reached.
    """
    done = _pack(sandbox, f"{name}@{version}")
    if done.exit_status != 0:
        gone = _code(done) in ("E404", "ETARGET")
        raise SubjectUnavailable(f"{file} could not be fetched: {'it is no longer published' if gone else _why(done)}")
    published = collect(sandbox, "npm")
    if published.file != file:
        raise PinMismatch(f"{name} {version} is published as {published.file}, but {file} was pinned")
    return published.content


def same_name(one: str, other: str) -> bool:
    """Return whether two names are of the same package. npm's registry holds them apart to the letter."""
    return one == other


def integrity_of(file: Path) -> str:
    """Return the SHA-512 of a file as npm writes it."""
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha512").digest()
    return f"sha512-{base64.b64encode(digest).decode('ascii')}"


def _pack(sandbox: Sandbox, wanted: str) -> Completed:
    """Let npm fetch one archive, as it is published, into an empty folder."""
    run(sandbox, ["rm", "-rf", FETCHED])
    run(sandbox, ["mkdir", "-p", FETCHED])
    command = ["npm", "pack", *_OPTIONS, "--pack-destination", FETCHED, "--", wanted]
    done = run(sandbox, ["sh", "-c", '"$@"', "sh", *command], seconds=FETCH_SECONDS)
    if done.exit_status == _COMMAND_NOT_FOUND:
        raise EnvironmentLack(
            "The sandbox has no npm to fetch packages with.", advice="Install it: apt-get install nodejs npm"
        )
    return done


def _code(done: Completed) -> str:
    found = _CODE.search(text(done))
    return found[1] if found else ""


def _why(done: Completed) -> str:
    if done.timed_out:
        return "the registry did not answer in time"
    line = _LINE.search(text(done))
    said = without_addresses(line[1]) if line else "it did not say why"
    return f"npm stopped with {_code(done) or 'an error'}: {said}"
