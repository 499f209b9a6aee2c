"""The program that speaks with a hub, by `huggingface_hub`: a request comes in on standard input, the answer goes out.

It runs in a process of its own, started by `client` under a clean environment: the library reads its settings from
there when it is imported, keeps state for the whole process, and waits as it likes. Whatever it says is proved by
whoever started it.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

#: Memory that a listing may take, in bytes.
_MEMORY = 3_000_000_000
#: Bytes that listings, headers and errors may take.
_TALK = 20_000_000
#: The kernel's number for the signal that a process gets when its parent ends.
_PARENT_DEATH = 1


class _Another(Exception):
    """The hub has another thing than was asked for."""


def main() -> None:
    """Answer one request."""
    _end_with_whoever_asks()
    request = json.loads(sys.stdin.buffer.read())
    _limit(resource.RLIMIT_FSIZE, int(request["most"]))
    _limit(resource.RLIMIT_DATA, _MEMORY)
    try:
        answer = {"look": _look, "fetch": _fetch}[request["do"]](request)
    except Exception as error:
        answer = _said(error)
    json.dump(answer, sys.stdout)


def _look(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the hub says of a repository, and the files that it lists at one revision."""
    from huggingface_hub import RepoFile

    api, allow = _session(request)
    allow(0)
    where: dict[str, Any] = {"repo_type": request["kind"], "token": request["token"] or False}
    info = api.repo_info(request["name"], revision=request["revision"], timeout=request["stall"], **where)
    revision = str(info.sha)
    if request["revision"] and len(request["revision"]) == len(revision) and request["revision"] != revision:
        raise _Another(f"the revision {revision}, but {request['revision']} was asked for")
    files: list[dict[str, Any]] = []
    for entry in api.list_repo_tree(request["name"], recursive=True, revision=revision, **where):
        if not isinstance(entry, RepoFile):
            continue
        files.append(
            {"path": entry.path, "size": entry.size, "sha256": entry.lfs.sha256 if entry.lfs is not None else None}
        )
        if len(files) > request["count"]:
            raise _Another(f"more than {request['count']} files, the most that is tested")
    card = info.card_data.to_dict() if info.card_data is not None else {}
    return {
        "name": info.id,
        "revision": revision,
        "files": files,
        "gated": bool(getattr(info, "gated", False)),
        "tags": [str(tag) for tag in info.tags or ()],
        "card": json.loads(json.dumps(card, default=str)),
    }


def _fetch(request: dict[str, Any]) -> dict[str, Any]:
    """Fetch the files of one revision into a folder."""
    from huggingface_hub import hf_hub_download, hf_hub_url

    from argusic.pool.hub.bounded import Elsewhere

    api, allow = _session(request)
    token = request["token"] or False
    where = {"repo_type": request["kind"], "revision": request["revision"], "endpoint": request["endpoint"]}
    for file in request["files"]:
        allow(2 * file["size"])
        meta = api.get_hf_file_metadata(
            url=hf_hub_url(request["name"], file["path"], **where), token=token, timeout=request["stall"]
        )
        if meta.commit_hash is None:
            raise Elsewhere("it does not say of which revision its files are")
        if meta.commit_hash != request["revision"]:
            raise _Another(f"{file['path']} at the revision {meta.commit_hash}, but {request['revision']} was pinned")
        if meta.size is not None and meta.size != file["size"]:
            raise _Another(f"{file['path']} with {meta.size} bytes, but {file['size']} were pinned")
        hf_hub_download(
            request["name"], file["path"], local_dir=request["folder"], token=token, cache_dir=request["home"], **where
        )
    return {}


def _session(request: dict[str, Any]) -> tuple[Any, Callable[[int], None]]:
    """Return the library's way to the hub, bounded, and what allows further bytes of content."""
    from huggingface_hub import HfApi, constants, set_client_factory

    from argusic.pool.hub.bounded import Allowance, BoundedClient

    endpoint = request["endpoint"] or constants.ENDPOINT
    allowance = Allowance()
    set_client_factory(lambda: BoundedClient(endpoint, allowance, request["stall"]))
    return HfApi(endpoint=endpoint), lambda content: allowance.renew(_TALK + content)


def _said(error: Exception) -> dict[str, Any]:
    """Return what went wrong, by what the caller makes of it."""
    from huggingface_hub import errors

    from argusic.pool.hub import bounded

    kinds: list[tuple[str, tuple[type[Exception], ...]]] = [
        ("another", (_Another, bounded.TooMuch)),
        ("away", (bounded.Away,)),
        ("nonsense", (bounded.Elsewhere,)),
        ("locked", (errors.GatedRepoError, errors.DisabledRepoError)),
        ("missing", (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.EntryNotFoundError)),
    ]
    kind = next((name for name, classes in kinds if isinstance(error, classes)), "nonsense")
    says = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        says = f"it answers {status}"
        if kind == "nonsense" and status in (401, 403):
            kind = "locked"
    elif isinstance(error, bounded.TooMuch) or (isinstance(error, OSError) and error.errno == errno.EFBIG):
        kind, says = "another", "more bytes than it said"
    elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        kind = "full"
    elif isinstance(error, ValueError):
        says = "its answer cannot be read"
    elif "Consistency check failed" in says:
        kind, says = "away", "the answer broke off before its end"
    return {"error": kind, "says": says[:300]}


def _end_with_whoever_asks() -> None:
    """Have the kernel end this process where the one that started it is killed: nobody would wait for the answer."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)


def _limit(what: int, most: int) -> None:
    _, allowed = resource.getrlimit(what)
    if allowed != resource.RLIM_INFINITY:  # Nobody may raise what the user's own shell allows.
        most = min(most, allowed)
    with suppress(OSError, ValueError):
        resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
