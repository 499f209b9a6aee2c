"""Published Python files, fetched by pip itself inside a sandbox, so that no index is named here.

pip may run code of the package it fetches (a source distribution's own build), which is why it never runs on the
host. Where that code fails, the file is fetched by the address that pip has just printed: whether a package can
be built is the agent's to find out, not ours.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from argusic.errors import EnvironmentLack, InputError
from argusic.pool.fetching import FETCH_SECONDS, FETCHED, Published, collect, run, text, without_addresses
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable
from argusic.sandbox.protocol import HOME_FOLDER, Completed, Sandbox

_REQUIREMENTS = f"{HOME_FOLDER}/requirements.txt"
_FETCH = """
import shutil, sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=60) as source, open(sys.argv[2], "wb") as target:
    shutil.copyfileobj(source, target)
"""

_NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|Failed to resolve|Temporary failure in name resolution"
    r"|ConnectTimeoutError|ReadTimeoutError|Read timed out|ProxyError|Cannot connect to proxy"
    r"|Connection (refused|reset|aborted|broken)|RemoteDisconnected|SSLError|confirming the ssl certificate"
    r"|HTTP error (429|5\d\d)|(429|5\d\d) (Client|Server) Error|IncompleteRead|Max retries exceeded",
    re.IGNORECASE,
)
_WRONG_HASH = re.compile(r" from (\S+)[^\n]*\n\s*Expected sha256 ([0-9a-f]{64})\s*\n\s*Got\s+([0-9a-f]{64})")
_NOTHING = re.compile(r"Could not find a version that satisfies the requirement .*\(from versions: (.*)\)")
_DOWNLOADING = re.compile(r"^\s*Downloading (\S+?\.(?:whl|zip|tar\.\w+|tgz))(?=[ \n])", re.MULTILINE)


def newest(sandbox: Sandbox, name: str, version: str | None, *, source: bool = False) -> Published:
    """Fetch the file that pip picks for `name`, at `version` where one is given.

    Args:
        sandbox: Where pip runs.
        name: The package.
        version: Its version; the newest where None.
        source: Whether only a source distribution will do, since a built one lacks what is no part of the program.

    Raises:
        InputError: There is no such package or version, or none of its files fits the Python inside.
        SubjectUnavailable: The registry could not be reached.
    """
    requirement = f"{name}=={version}" if version else name
    done = _download(sandbox, requirement, *(("--no-binary", name) if source else ()))
    said = text(done)
    if done.exit_status != 0:
        chosen = _chosen(said, name)
        nothing = None if chosen else _NOTHING.search(said)
        if nothing and nothing[1] != "none":
            raise InputError(f"The package {name} has no version {version or 'at all'} that fits the sandbox's Python.")
        if nothing and not _unreachable(said):
            raise InputError(f"There is no published package called {name} that fits the sandbox's Python.")
        if chosen is None or not _fetch_link(sandbox, said, chosen):
            why = "the registry could not be reached" if done.timed_out or _unreachable(said) else _last(said)
            raise SubjectUnavailable(f"{requirement} could not be fetched: {why}")
    return collect(sandbox, "pip")


def exact(sandbox: Sandbox, name: str, version: str, file: str, sha256: str) -> bytes:
    """Fetch one published file. pip checks its digest before it runs anything of it; the caller checks it again.

    Raises:
        PinMismatch: What is published under that name has another digest.
        SubjectUnavailable: It is not there, or the registry could not be reached.
    """
    done = _download(sandbox, f"{name}=={version} --hash=sha256:{sha256}", "--require-hashes")
    said = text(done)
    if done.exit_status != 0:
        wrong = _WRONG_HASH.search(said)
        # An index that tells no digests leaves the choice of file to pip, which may then refuse another file.
        if wrong and _file_of(wrong[1]) == file:
            raise PinMismatch(f"{file} has sha256 {wrong[3]}, but {wrong[2]} was pinned")
        if not _fetch_link(sandbox, said, file):
            what = "the registry could not be reached" if _unreachable(said) else "it is no longer published"
            raise SubjectUnavailable(f"{file} could not be fetched: {what}")
    published = collect(sandbox, "pip")
    if published.file != file:
        raise PinMismatch(f"{name} {version} is published as {published.file}, but {file} was pinned")
    return published.content


def _download(sandbox: Sandbox, requirement: str, *options: str) -> Completed:
    """Let pip fetch one requirement into an empty folder. It says at length what it finds."""
    python = _python(sandbox)
    run(sandbox, ["rm", "-rf", FETCHED])
    # pip opens requirements by name, and standard input has none that can be opened again.
    run(sandbox, ["sh", "-c", f"cat > {_REQUIREMENTS}"], stdin=requirement.encode() + b"\n")
    return run(
        sandbox,
        [
            *(python, "-m", "pip", "download", "-vv", "--no-input", "--no-deps", "--no-cache-dir"),
            *("--disable-pip-version-check", "--progress-bar", "off", "--retries", "1", "--timeout", "30"),
            *(*options, "--dest", FETCHED, "--requirement", _REQUIREMENTS),
        ],
        seconds=FETCH_SECONDS,
    )


def _python(sandbox: Sandbox) -> str:
    """Return a Python inside that has pip, making an environment with one where the system's has none."""
    if run(sandbox, ["python3", "-m", "pip", "--version"]).exit_status == 0:
        return "python3"
    made = f"{HOME_FOLDER}/.fetching"
    if run(sandbox, ["python3", "-m", "venv", made]).exit_status == 0:
        return f"{made}/bin/python"
    raise EnvironmentLack(
        "The sandbox has no pip to fetch packages with.", advice="Install it: apt-get install python3-pip python3-venv"
    )


def _chosen(said: str, name: str) -> str | None:
    """Return the file of `name` that pip chose to download, by its own words."""
    for found in _DOWNLOADING.findall(said):
        file = _file_of(found)
        if plain_name(file).startswith(f"{plain_name(name)}-"):
            return file
    return None


def _file_of(link: str) -> str:
    return unquote(link.partition("#")[0].rsplit("/", 1)[-1])


def plain_name(name: str) -> str:
    """Return a package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def same_name(one: str, other: str) -> bool:
    """Return whether two names are of the same package, as the index compares them."""
    return plain_name(one) == plain_name(other)


def _fetch_link(sandbox: Sandbox, said: str, file: str) -> bool:
    """Fetch `file` by the address that pip printed for it. Return whether it printed one that answers."""
    links = [link for link in re.findall(r"https?://[^\s#]+", said) if _file_of(link) == file]
    if not links:
        return False
    run(sandbox, ["mkdir", "-p", FETCHED])
    fetched = run(sandbox, ["python3", "-c", _FETCH, links[-1], f"{FETCHED}/{file}"], seconds=FETCH_SECONDS)
    return fetched.exit_status == 0


def _unreachable(said: str) -> bool:
    return _NO_NETWORK.search(said) is not None


def _last(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip().startswith("ERROR")]
    return without_addresses(lines[-1]) if lines else "it did not say why"
