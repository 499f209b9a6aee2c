"""What the hub of the tests' own holds: repositories with their revisions, and what is to go wrong."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Content = bytes | Path
#: From this size on a file is kept apart, named by its SHA-256, as a hub keeps large files.
LARGE = 1 << 20


@dataclass
class Repository:
    """A model or Space.

    Attributes:
        revisions: The files of each revision, by its full id.
        newest: What `main` is.
        card: The header of its card, as the hub has read it.
        gated: Whether an account must be let in.
        private: Whether nobody without an account may know of it.
    """

    revisions: dict[str, dict[str, Content]]
    newest: str
    card: dict[str, Any] = field(default_factory=dict)
    gated: bool = False
    private: bool = False

    def revision(self, name: str) -> str | None:
        """Return the full id of a revision that is named; None where there is none."""
        if name == "main":
            return self.newest
        return name if name in self.revisions else None


@dataclass
class Fault:
    """Something that goes wrong.

    Attributes:
        on: What is asked when it does: a pattern, searched in `METHOD /path`.
        does: `status` answers with `status`; `stall` says nothing; `cut` breaks off in the middle; `wrong` sends other
            bytes of the same number; `more` sends more than it said; `trickle` sends a byte now and then; `onwards`
            leads to `location`; `packed` says that the content is packed; `nonsense` sends what is no JSON; `another`
            says that it is of another revision.
        times: How often; for ever where None.
        status: The status.
        location: Where it leads.
    """

    on: str
    does: Literal["status", "stall", "cut", "wrong", "more", "trickle", "onwards", "packed", "nonsense", "another"] = (
        "status"
    )
    times: int | None = None
    status: int = 503
    location: str = ""

    def strikes(self, method: str, path: str) -> bool:
        """Return whether it goes wrong now, and count that."""
        if self.times == 0 or not re.search(self.on, f"{method} {path}"):
            return False
        if self.times is not None:
            self.times -= 1
        return True


def revision_of(files: Mapping[str, Content]) -> str:
    """Return an id for these files, in the shape of a commit's."""
    listing = "".join(f"{path}\0{sha256_of(content)}\n" for path, content in sorted(files.items()))
    return hashlib.sha1(listing.encode()).hexdigest()


def size_of(content: Content) -> int:
    """Return a file's size."""
    return content.stat().st_size if isinstance(content, Path) else len(content)


def read(content: Content) -> bytes:
    """Return a file's bytes."""
    return content.read_bytes() if isinstance(content, Path) else content


def sha256_of(content: Content) -> str:
    """Return a file's digest."""
    return hashlib.sha256(read(content)).hexdigest()


def blob_of(content: Content) -> str:
    """Return the id that git gives a file."""
    data = read(content)
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
