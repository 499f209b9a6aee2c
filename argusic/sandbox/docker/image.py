"""The image that sandboxes are made from: found or fetched, and made ready for the one user that exists inside.

Inside, everything is done by user 0 of a namespace, who is an ordinary user of the host. So what is written in a
sandbox must belong to that user. An image in which it does not gets one more layer, once, that gives away the folders
which are written to: the image made so is kept under a name of its own that says what it was made from.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import resource
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from argusic.sandbox.bubblewrap.account import SPARE_ID
from argusic.sandbox.docker.engine import Engine, EngineError, ImageFacts
from argusic.sandbox.docker.traces import owner_labels

#: The user of the host, and of the image, that sandboxes belong to: the same as under bubblewrap.
USER = SPARE_ID
#: Where an image made ready says what it was made from.
BASE_LABEL = "argusic.base"
_READY = "argusic-ready"
#: What the user inside may write to; everything else of an image is the system, and stays as it is.
GIVEN_AWAY = ("etc", "home", "media", "mnt", "opt", "root", "run", "srv", "tmp", "usr/local", "var")
_GIVE_AWAY = r"""
set -e
U=$1; shift
for folder; do test -h "$folder" || mkdir -p "$folder"; done
theirs() {  # But for what the engine itself lays into every container.
    find "$@" -xdev \( -path etc/hosts -o -path etc/hostname -o -path etc/resolv.conf -o -path etc/mtab \) -prune \
        -o ! -user "$U" -print0
}
test "$(theirs "$@" | head -c 1 | tr '\\0' x)" || exit 3
chown "$U:$U" /
theirs "$@" | xargs -0 chown -h "$U:$U"
"""
_SECONDS = 600
_NOTHING_TO_DO = 3


class ImageMissing(EngineError):
    """The image is not there and could not be fetched."""


def found(engine: Engine, references: Sequence[str]) -> ImageFacts:
    """Return the image that references name, fetched first where it is not there and its name says from where.

    Args:
        engine: The engine.
        references: By what the engine may know the image; at least one.

    Raises:
        ImageMissing: It cannot be had; the message says why, and what to do.
        EngineError: The engine does not answer.
    """
    for reference in references:
        image = engine.image(reference)
        if image is not None:
            return image
    reference = references[0]
    if "@" not in reference:
        raise ImageMissing(f"The image {reference} is not here. {_ADVICE}")
    try:
        engine.pull(reference)
    except EngineError as error:
        raise ImageMissing(_why(reference, error)) from error
    image = engine.image(reference)
    if image is None:
        raise ImageMissing(f"The image {reference} was fetched, and is not here all the same. {_ADVICE}")
    return image


_ADVICE = "`argusic environment build` makes the published one here; `docker pull` fetches any other."


def _why(reference: str, error: EngineError) -> str:
    said = str(error).lower()
    if "toomanyrequests" in said or "too many requests" in said or "429" in said:
        return (
            f"The image {reference} is not here, and its registry lets this machine fetch no more for now (too many "
            "requests): wait, or sign in with `docker login`."
        )
    return f"The image {reference} is not here and could not be fetched: {error}. {_ADVICE}"


def own_ulimits() -> list[dict[str, Any]]:
    """Return how many files and processes a container may have: some engines would grant more than they can."""
    own = {"nofile": (resource.RLIMIT_NOFILE, 65536), "nproc": (resource.RLIMIT_NPROC, 32768)}
    most = {name: _at_most(resource.getrlimit(number)[1], limit) for name, (number, limit) in own.items()}
    return [{"name": name, "soft": limit, "hard": limit} for name, limit in most.items()]


def _at_most(granted: int, limit: int) -> int:
    return limit if granted == resource.RLIM_INFINITY else min(granted, limit)


def name_of(image: ImageFacts) -> str:
    """Return an image by digest, as a record keeps it: under the name it was pulled by, if any."""
    return image.digests[0] if image.digests else image.id


def ready_tag(image: str) -> str:
    """Return the name of the image made ready from the one with an id, by the way of doing so that is known here."""
    way = hashlib.sha256("\0".join((_GIVE_AWAY, str(USER), *GIVEN_AWAY)).encode()).hexdigest()
    return f"{_READY}:{image.removeprefix('sha256:')}-{way[:12]}"


def made_ready(engine: Engine, image: ImageFacts) -> str:
    """Return the id of an image like `image` whose writable folders belong to the user inside.

    Raises:
        EngineError: It could not be made.
    """
    tag = ready_tag(image.id)
    with _alone(tag):
        ready = engine.image(tag)
        if ready is None:
            _make(engine, image, tag)
            ready = engine.image(tag)
        # Whoever was killed while the engine made one may have left a second, from which the other took the name.
        engine.forget_nameless(f"{BASE_LABEL}={image.id}")
    if ready is None:
        raise EngineError(f"The image {tag} was made, and is not there all the same")
    return ready.id


def _make(engine: Engine, image: ImageFacts, tag: str) -> None:
    host = {
        "network_mode": "none",
        "cap_drop": ["ALL"],
        "cap_add": ["CHOWN", "DAC_OVERRIDE"],
        "security_opt": ["no-new-privileges"],
        "ulimits": own_ulimits(),
    }
    container = engine.create(
        image.id,
        ["/bin/sh", "-c", _GIVE_AWAY, "sh", str(USER), *GIVEN_AWAY],
        name=f"{_READY}-{os.getpid()}-{random.getrandbits(32):x}",
        host=host,
        user="0:0",
        working_dir="/",
        labels=owner_labels(_READY),
    )
    try:
        engine.start(container)
        status = engine.wait(container, _SECONDS)
        if status == _NOTHING_TO_DO:
            engine.tag(image.id, tag)
        elif status != 0:
            raise EngineError(f"The image could not be made ready: {engine.said(container) or f'status {status}'}")
        else:
            engine.commit(container, tag, {BASE_LABEL: image.id})
    finally:
        engine.remove(container)


@contextmanager
def _alone(tag: str) -> Iterator[None]:
    """Let one process at a time make an image ready: two would leave a second one without a name."""
    folder = Path(tempfile.gettempdir())
    path = folder / f"{tag.replace(':', '-')}-{os.geteuid()}.lock"
    fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
