"""Files at an address of their vendor's: fetched in a sandbox, piece by piece, so that no address leads into this host.

The way out of the sandbox resolves every name once, refuses this machine, its neighbours and metadata services, and
does so again at each redirection. Nothing of an answer is read by the host but the file itself, within its bound.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from argusic.errors import InputError
from argusic.pool.fetching import FETCH_SECONDS, FETCHED, MAX_FILE_BYTES, Published, collect, run, text
from argusic.pool.files import PAUSES, kept, patiently, pinned_file
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable, Workshop
from argusic.sandbox.protocol import Completed, Sandbox

#: What fetches, inside. It ends with status 3 where the address is not there, with 4 where it leads where it must not,
#: with 5 where the file is too large; anything else may pass.
_FETCH = """
import http.client, sys, time, urllib.error, urllib.parse, urllib.request
address, target = sys.argv[1:3]
most, seconds, stall = (float(word) for word in sys.argv[3:6])
def end(status, why):
    print(why)
    sys.exit(status)
def may(address):
    parts = urllib.parse.urlsplit(address)
    here = parts.hostname in ("127.0.0.1", "localhost", "::1")
    return parts.scheme == "https" or (parts.scheme == "http" and here and first_is_here)
first_is_here = urllib.parse.urlsplit(address).hostname in ("127.0.0.1", "localhost", "::1")
class Redirect(urllib.request.HTTPRedirectHandler):
    max_redirections = 5
    def redirect_request(self, request, file, code, message, headers, address):
        if not may(address):
            end(4, "it leads to an address that is not https")
        return super().redirect_request(request, file, code, message, headers, address)
class Nothing(urllib.request.BaseHandler):
    def unknown_open(self, request):
        end(4, "it leads to an address that is not https")
if not may(address):
    end(4, "it is not https")
begun, size = time.monotonic(), 0
try:
    opener = urllib.request.build_opener(Redirect)
    opener.addheaders = [("User-Agent", "argusic"), ("Accept-Encoding", "identity")]
    with opener.open(address, timeout=stall) as answer, open(target, "wb") as out:
        stated = answer.headers.get("Content-Length", "")
        if stated.isdecimal() and int(stated) > most:
            end(5, "it says that it is larger than %d bytes" % most)
        while piece := answer.read1(262144):
            size += len(piece)
            if size > most:
                end(5, "it is larger than %d bytes" % most)
            if time.monotonic() - begun > seconds:
                end(1, "it did not arrive whole within %d seconds" % seconds)
            out.write(piece)
    if stated.isdecimal() and size != int(stated):
        end(1, "it was cut off after %d of %s bytes" % (size, stated))
except urllib.error.HTTPError as error:
    if 300 <= error.code < 400:
        end(4, "it leads on and on, or to an address that is not https")
    end(3 if error.code in (404, 410) else 1, "the server answers %d" % error.code)
except (OSError, http.client.HTTPException, ValueError) as error:
    end(1, "it cannot be reached: %s" % (getattr(error, "reason", None) or error or type(error).__name__))
"""
_GONE, _ASTRAY, _TOO_LARGE = 3, 4, 5


class Bounds(NamedTuple):
    """What a file at an address may take."""

    most_bytes: int = MAX_FILE_BYTES
    """Its size."""
    stall_seconds: float = 60
    """The longest silence of its server, in seconds."""
    seconds: float = FETCH_SECONDS
    """All of its time, in seconds."""


BOUNDS = Bounds()


class FoundFile(NamedTuple):
    """A file that was fetched from an address."""

    file: str
    """Its name."""
    sha256: str
    """Its digest."""
    cached: Path
    """Where it lies in the cache."""


def file_name(url: str) -> str | None:
    """Return the file name that an address ends with; None where it ends with none that is safe on a disk."""
    try:
        name = unquote(urlsplit(url).path.rpartition("/")[2])
    except ValueError:
        return None
    return name if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.!+_-]{0,254}", name) else None


def look_up(
    url: str,
    workshop: Workshop,
    bounds: Bounds = BOUNDS,
    pauses: tuple[float, ...] = PAUSES,
) -> FoundFile:
    """Fetch what is at an address now. It is in the cache afterwards.

    Raises:
        InputError: There is nothing, or it is nothing that can be tested.
        SubjectUnavailable: It could not be reached.
    """
    name = file_name(url)
    if name is None:
        raise InputError(
            f"The address {url} ends with no file's name.", advice="Give the address of the archive or program itself."
        )
    workshop.progress(f"fetching {name}")
    done, published = patiently(lambda: _fetched(url, name, workshop, bounds), pauses)
    if published is None:
        raise InputError(f"{url} cannot be used: {_last(done)}.")
    cached, sha256 = kept(published.content, name, workshop)
    return FoundFile(name, sha256, cached)


def pinned(
    url: str,
    file: str,
    sha256: str,
    workshop: Workshop,
    bounds: Bounds = BOUNDS,
    pauses: tuple[float, ...] = PAUSES,
) -> Path:
    """Return a pinned file from the cache, fetching it first where it is not there or is damaged.

    Raises:
        PinMismatch: At the address is another file, or one that is too large. Nothing is kept.
        SubjectUnavailable: It is there no longer, or could not be reached.
    """

    def fetch() -> bytes:
        done, published = patiently(lambda: _fetched(url, file, workshop, bounds), pauses)
        if published is None:
            wrong = PinMismatch if done.exit_status in (_ASTRAY, _TOO_LARGE) else SubjectUnavailable
            raise wrong(f"{url} no longer gives {file}: {_last(done)}")
        return published.content

    return pinned_file(file, sha256, workshop, fetch, f"{url} gives a file with")


def _fetched(url: str, file: str, workshop: Workshop, bounds: Bounds) -> tuple[Completed, Published | None]:
    """Fetch a file in a sandbox of its own; None where asking again would not help.

    Raises:
        SubjectUnavailable: It could not be reached.
    """
    sandbox = workshop.sandbox()
    try:
        done = _run(sandbox, url, file, bounds)
        if done.exit_status in (_GONE, _ASTRAY, _TOO_LARGE):
            return done, None
        if done.exit_status != 0:
            why = "the server did not answer in time" if done.timed_out else _last(done)
            raise SubjectUnavailable(f"{url} could not be fetched: {why}")
        return done, collect(sandbox, "the address")
    finally:
        sandbox.destroy()


def _run(sandbox: Sandbox, url: str, file: str, bounds: Bounds) -> Completed:
    run(sandbox, ["mkdir", "-p", FETCHED])
    most = [str(bounds.most_bytes), str(bounds.seconds), str(bounds.stall_seconds)]
    command = ["python3", "-c", _FETCH, url, f"{FETCHED}/{file}", *most]
    return run(sandbox, command, seconds=bounds.seconds + bounds.stall_seconds)


def _last(done: Completed) -> str:
    lines = [line.strip() for line in text(done).splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it did not say why"
