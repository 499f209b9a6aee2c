"""What files change in a tree of git: which are new, which are there, and which cannot lie beside what is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from argusic.errors import InputError

_REGULAR: Final = ("100644", "100755")
_NO_BLOB: Final = "0" * 40


@dataclass(frozen=True)
class Changed:
    """What a commit changes.

    Attributes:
        put: The blob of each path that is put there.
        removed: The paths that are removed.
    """

    put: Mapping[str, str]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.put or self.removed)

    def index_info(self) -> bytes:
        """Return it as `git update-index -z --index-info` reads it."""
        lines = [f"0 {_NO_BLOB}\t{path}" for path in self.removed]
        lines += [f"{_REGULAR[0]} {blob}\t{path}" for path, blob in self.put.items()]
        return b"".join(os.fsencode(line) + b"\0" for line in lines)


def must_lie_well(paths: Iterable[PurePosixPath]) -> None:
    """Refuse paths that lead out of a repository, into git's own folder, or through each other.

    Raises:
        InputError: One of them does.
    """
    every = {str(path): path for path in paths}
    for name, path in every.items():
        if not path.parts or path.is_absolute() or any(_is_bad(part) for part in path.parts):
            raise InputError(f"{name!r} is no path of a file in a repository.")
        if through := next((str(above) for above in path.parents if str(above) in every), None):
            raise InputError(f"{through!r} cannot be a file and the folder of {name!r} at once.")


def _is_bad(part: str) -> bool:
    return part == ".." or part.lower().rstrip(". ") == ".git" or any(ord(sign) < 32 for sign in part)


def changed(listed: bytes, blobs: Mapping[str, str | None], *, replace: bool, branch: str) -> Changed:
    """Return what has to change in a tree so that paths hold blobs.

    Args:
        listed: The tree, as `git ls-tree -r -z` lists it.
        blobs: What each path is to hold; None where it is to be removed.
        replace: Whether what is there may be replaced or removed.
        branch: What the tree is of, in a sentence.

    Raises:
        InputError: Something is there that may not be replaced, or that stands in the way.
    """
    there: dict[str, tuple[str, str]] = {}
    for line in listed.split(b"\0"):
        if line:
            facts, _, name = os.fsdecode(line).partition("\t")
            has, _, content = facts.split(" ")
            there[name] = (has, content)
    folders = {str(above) for name in there for above in PurePosixPath(name).parents}
    put: dict[str, str] = {}
    removed: list[str] = []
    for path, blob in blobs.items():
        mode, held = there.get(path, (None, None))
        if blob is not None and (path in folders or any(str(one) in there for one in PurePosixPath(path).parents)):
            raise InputError(f"the branch {branch} has a file where {path!r} needs a folder, or a folder in its place.")
        if mode is not None and mode not in _REGULAR:
            raise InputError(f"the branch {branch} has something at {path!r} that is no file.")
        if held == blob:
            continue
        if held is not None and not replace:
            raise InputError(f"the branch {branch} has {path!r} with another content, and it is not to be replaced.")
        if blob is None:
            removed.append(path)
        else:
            put[path] = blob
    return Changed(put, tuple(removed))
