"""What a hub says of a repository, read as what a stranger says: names are checked, counts and sizes bounded."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from argusic.errors import InputError
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable
from argusic.records.hub import MAX_HUB_BYTES, MAX_HUB_FILES, HubName, HubPath

_REVISION = re.compile(r"[0-9a-f]{40}")
_name = TypeAdapter(HubName)
_path = TypeAdapter(HubPath)


class Listed(NamedTuple):
    """A file as the hub lists it."""

    path: str
    """Its path within the repository."""
    size: int
    """Its size in bytes, as the hub says."""
    sha256: str | None
    """Its digest, where the hub keeps one."""


class Found(NamedTuple):
    """A repository as the hub has it."""

    name: str
    """Its name, as its owner spells it."""
    revision: str
    """The full id of the commit."""
    files: tuple[Listed, ...]
    """Its files, sorted by path."""
    gated: bool
    """Whether an account must be let in."""
    licence: str | None
    """Its licence, as the card's header names it."""
    card: dict[str, Any]
    """The header of its card."""


def read_found(answer: dict[str, Any], revision: str | None) -> Found:
    """Return what the hub said of a repository.

    Raises:
        PinMismatch: It says so of another revision than the one asked for.
        InputError: It lists more than is tested, or a path that cannot be laid out.
        SubjectUnavailable: What it said makes no sense.
    """
    found = str(answer.get("revision"))
    if not _REVISION.fullmatch(found):
        raise SubjectUnavailable("the hub names no revision by its full id")
    if revision is not None and _REVISION.fullmatch(revision) and found != revision:
        raise PinMismatch(f"the hub answers with the revision {found}, but {revision} was asked for")
    try:
        name = _name.validate_python(str(answer.get("name")))
        files = tuple(sorted(_listed(file) for file in answer.get("files", ())))
    except ValidationError as error:
        said = error.errors()[0]
        raise InputError(
            f"The hub lists {str(said['input'])[:100]!r}: it {said['msg'].removeprefix('Value error, ')}."
        ) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SubjectUnavailable("the hub lists files in a way that cannot be read") from error
    if len(files) > MAX_HUB_FILES:
        raise InputError(f"{name} has more than {MAX_HUB_FILES} files, the most that is tested.")
    card = answer.get("card")
    card = card if isinstance(card, dict) else {}
    licence = card.get("license")
    return Found(
        name=name,
        revision=found,
        files=files,
        gated=bool(answer.get("gated")),
        licence=licence if isinstance(licence, str) and licence.strip() else None,
        card=card,
    )


def _listed(file: Any) -> Listed:
    size, sha256 = file["size"], file["sha256"]
    if type(size) is not int or size < 0 or not (sha256 is None or re.fullmatch(r"[0-9a-f]{64}", sha256)):
        raise ValueError("no size or digest")
    if size > MAX_HUB_BYTES:
        # It may still be a file that does not count: whoever chooses decides.
        size = MAX_HUB_BYTES + 1
    return Listed(_path.validate_python(file["path"]), size, sha256)
