"""Where a checkout's remote lies, and how git is told the token for it."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from argusic.database.database import Database
from argusic.database.git import Git as OwnGit
from argusic.errors import InputError
from argusic.evidence.stores.github_token import token_of

_REMOTE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: `ssh` without a scheme: `git@host:owner/name.git`.
_SSH: Final = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:[^\s:]+")


def address_of(database: Database, remote: str) -> str:
    """Return where a remote of the database's checkout lies: a URL, or a path of this machine.

    Raises:
        InputError: This is no git checkout, or it has no such remote.
    """
    if not _REMOTE.fullmatch(remote):
        raise InputError(f"{remote!r} is no name of a remote.")
    own = OwnGit.around(database.root)
    if own is None:
        raise InputError(
            "this is no git checkout, so it has no remote.",
            advice="Clone the repository with git.",
        )
    address = own.address(remote)
    if address is None:
        raise InputError(f"this checkout has no remote {remote!r}.")
    if address.startswith(("https://", "http://", "ssh://", "git://")) or _SSH.fullmatch(address):
        return address
    path = Path(address.removeprefix("file://"))
    return str((database.root / path).resolve())


def local_of(address: str) -> Path | None:
    """Return the folder that an address names on this machine; None where it names another."""
    return Path(address) if address.startswith("/") else None


def without_names(said: str) -> str:
    """Return git's words without whoever an address in them logs in as."""
    return re.sub(r"//[^/@\s]*@", "//", said)


def authorised(address: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what tells git the job's token: by the environment, so that no command line and no file holds it."""
    token = token_of(environment)
    server = (environment.get("GITHUB_SERVER_URL") or "https://github.com").rstrip("/")
    there = urlsplit(address)
    # Nobody reads along between a program and its own machine, where tests have their server.
    private = there.scheme == "https" or (there.scheme == "http" and there.hostname == "127.0.0.1")
    if token is None or not private or not address.startswith(f"{server}/"):
        return {}
    said = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{server}/.extraheader",
        "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {said}",
    }
