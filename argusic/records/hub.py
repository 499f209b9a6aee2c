"""What a repository of a Hugging Face hub is to records: its name, and the files of it that a cycle pins."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from argusic.records.base import Items, Part, Sha256

#: No model that a run could load within its budget, on its disk, is larger. In bytes.
MAX_HUB_BYTES = 8_000_000_000
#: No repository of files that are read one by one has more.
MAX_HUB_FILES = 2_000

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}", re.ASCII)
_NOT_IN_A_PATH = re.compile(r"[\x00-\x1f\x7f\\:*?\"<>|]")


def _check_name(value: str) -> str:
    if not _NAME.fullmatch(value) or "--" in value or ".." in value or value.endswith((".git", ".")):
        raise ValueError("must be OWNER/NAME, as a Hugging Face hub spells it")
    return value


def check_hub_path(value: str) -> str:
    """Return `value` if it can be the path of a file within a repository that is laid out on disk.

    Raises:
        ValueError: It leads out of the folder, is absolute, or holds what some systems cannot have in a name.
    """
    parts = value.split("/")
    if len(value) > 500 or any(part in ("", ".", "..") or len(part.encode()) > 255 for part in parts):
        raise ValueError("must be a path within the repository, without '..', and not absolute")
    if _NOT_IN_A_PATH.search(value) or not value.isprintable() or parts[0].casefold() in (".git", ".cache"):
        raise ValueError("must be a path of printable characters that every system can have")
    return value


def _check_files(files: tuple[HubFile, ...]) -> tuple[HubFile, ...]:
    paths = [file.path for file in files]
    if paths != sorted(paths):
        raise ValueError("must be sorted by path")
    folded = [path.casefold() for path in paths]
    if len(set(folded)) != len(folded):
        raise ValueError("must not hold two paths that some systems take for one")
    folders = {"/".join(path.split("/")[:n]) for path in folded for n in range(1, path.count("/") + 1)}
    if folders & set(folded):
        raise ValueError("must not hold a file that is also a folder")
    total = sum(file.size for file in files)
    if total > MAX_HUB_BYTES:
        raise ValueError(f"must not hold more than {MAX_HUB_BYTES} bytes, the most that is tested")
    return files


def _check_revision(value: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{40}", value):
        raise ValueError("must be a full revision: 40 lower-case hex digits")
    return value


#: A revision of a repository, by its full id.
HubRevision = Annotated[str, AfterValidator(_check_revision)]
#: A repository of a hub, OWNER/NAME.
HubName = Annotated[str, AfterValidator(_check_name)]
#: A file's path within it.
HubPath = Annotated[str, AfterValidator(check_hub_path)]


class HubFile(Part):
    """One file that counts."""

    path: HubPath
    """Its path within the repository."""
    size: Annotated[int, Field(ge=0, le=MAX_HUB_BYTES)]
    """Its size in bytes."""
    sha256: Sha256
    """Its digest."""


#: The files that count, sorted by path: what is handed in, and nothing else is.
HubFiles = Annotated[
    Items[HubFile], Field(min_length=1, max_length=MAX_HUB_FILES, strict=False), AfterValidator(_check_files)
]
