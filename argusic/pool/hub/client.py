"""A hub as the rest of Argusic asks it: what a repository is, and the bytes of files of one of its revisions.

The asking is done by `talk`, in a process of its own: bounded in time, in memory and in the files it writes, under an
environment that holds what it needs of this user's and nothing else. It sends no usage figures, and no token but
`HF_TOKEN`.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from argusic.errors import InputError
from argusic.pool.fetching import without_addresses
from argusic.pool.hub.answers import Found, Listed, read_found
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable
from argusic.records.hub import MAX_HUB_FILES, HubFile

#: What a hub keeps that is a subject here.
RepoType = Literal["model", "space"]

#: Variables of the user's that say how the net is reached.
_NET = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
)
#: What the library is told: nothing but what it was asked for goes over the net.
_QUIET = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_SYMLINKS": "1",
    "HF_HUB_VERBOSITY": "error",
}
#: What it prints at most, in bytes.
_ANSWER = 10_000_000


class Bounds(NamedTuple):
    """What one asking may take."""

    stall: float = 20
    """Seconds without an answer, or without its next bytes."""
    look: float = 120
    """Seconds for looking a repository up."""
    fetch: float = 1800
    """Seconds for fetching all files."""


#: What one asking may take, where nobody says otherwise.
ORDINARY = Bounds()


class Locked(Exception):
    """The hub keeps it from whoever has no account that was let in."""


class Missing(Exception):
    """The hub has no such repository, revision or file."""


@dataclass(frozen=True)
class Hub:
    """One hub.

    Attributes:
        environment: The host's environment: `HF_ENDPOINT` names another hub, `HF_TOKEN` is the account's.
        bounds: What one asking may take.
    """

    environment: Mapping[str, str]
    bounds: Bounds = ORDINARY

    @property
    def endpoint(self) -> str | None:
        """The address of the hub; None for the library's own.

        Raises:
            InputError: `HF_ENDPOINT` is no address.
        """
        address = self.environment.get("HF_ENDPOINT", "").strip().rstrip("/")
        if not address:
            return None
        if not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~/-]*)?", address):
            raise InputError("HF_ENDPOINT is no address of a hub.", advice="Write https://HOST, or unset it.")
        return address

    def look_up(self, kind: RepoType, name: str, revision: str | None = None) -> Found:
        """Return what the hub says of a repository at a revision; at the newest of its default branch without one.

        Raises:
            Missing: There is none.
            Locked: It is not open to everybody, or not to this account.
            SubjectUnavailable: The hub cannot be reached, or what it says makes no sense.
        """
        request = {"do": "look", "revision": revision, "count": MAX_HUB_FILES, "most": _ANSWER}
        return read_found(self._ask(kind, name, request, self.bounds.look), revision)

    def fetch(
        self, kind: RepoType, name: str, revision: str, files: Sequence[HubFile] | Sequence[Listed], folder: Path
    ) -> None:
        """Fetch files of a revision into `folder`. Their digests are the caller's to prove.

        Raises:
            PinMismatch: The hub has another revision, or files of another size.
            Missing, Locked, SubjectUnavailable: As `look_up` does.
        """
        wanted = [{"path": file.path, "size": file.size} for file in files]
        most = max((file.size for file in files), default=0) + _ANSWER
        request = {"do": "fetch", "revision": revision, "files": wanted, "folder": str(folder), "most": most}
        self._ask(kind, name, request, self.bounds.fetch)

    def _ask(self, kind: RepoType, name: str, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        endpoint = self.endpoint
        with tempfile.TemporaryDirectory(prefix="argusic-hub-") as home:
            whole = {
                **request,
                **{"kind": kind, "name": name, "endpoint": endpoint, "token": self._token(endpoint)},
                **{"stall": self.bounds.stall, "home": home},
            }
            answer = _answer(self._run(json.dumps(whole).encode(), home, seconds))
        match answer.get("error"):
            case None:
                return answer
            case "another":
                raise PinMismatch(f"the hub has of {name} {answer.get('says')}")
            case "missing":
                raise Missing(f"the hub has no {name}" + (f" at {request['revision']}" if request["revision"] else ""))
            case "locked":
                raise Locked(f"the hub keeps {name} from everybody who was not let in")
            case "full":
                raise OSError(errno.ENOSPC, f"there is no room for the files of {name}")
            case _:
                raise SubjectUnavailable(f"the hub cannot give {name}: {without_addresses(str(answer.get('says')))}")

    def _token(self, endpoint: str | None) -> str | None:
        """Return the account's token, where it travels unseen."""
        parts = urlsplit(endpoint or "https:")
        seen = parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1")
        return None if seen else self.environment.get("HF_TOKEN", "").strip() or None

    def _run(self, request: bytes, home: str, seconds: float) -> bytes:
        variables = {key: self.environment[key] for key in _NET if key in self.environment}
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", "argusic.pool.hub.talk"],
            cwd=home,
            env={**variables, **_QUIET, "HOME": home, "HF_HOME": home, "TMPDIR": home, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            umask=0o022,
        )
        try:
            output, _ = process.communicate(request, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise SubjectUnavailable(f"the hub had not given everything after {seconds:g} seconds") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None and not pipe.closed:
                    pipe.close()
        return output


def _answer(output: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(output)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        return {"error": "nonsense", "says": "it gave no answer that can be read"}
    return answer
