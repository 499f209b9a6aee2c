"""Files that hold only a pointer: what they are about lies in git LFS, and is not fetched with the commit."""

from __future__ import annotations

import re
from pathlib import Path

from argusic.pool.git import Git

#: The most that a pointer takes, by the specification of git LFS.
_MOST_BYTES = 1024
_POINTER = re.compile(
    rb"version https?://(?:git-lfs\.github\.com|hawser\.github\.com|git-media\.io)/\S+\n"
    rb"(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:[0-9a-f]{64}\n(?:[a-z0-9.-]+ [^\n]*\n)*?size \d+\n"
)
#: How many files are read at once.
_BATCH = 2000


def pointers(git: Git, repository: Path, commit: str) -> int:
    """Return how many files of a commit hold only a pointer of git LFS. Two files of one content are two."""
    small: dict[bytes, int] = {}
    with git.lines("ls-tree", "-r", "-l", "-z", "--full-tree", commit, folder=repository) as entries:
        for entry in entries:
            mode, _, blob, length = entry.split(b"\t", 1)[0].split()
            if mode.startswith(b"100") and int(length) <= _MOST_BYTES:
                small[blob] = small.get(blob, 0) + 1
    blobs, found = list(small), 0
    for start in range(0, len(blobs), _BATCH):
        batch = blobs[start : start + _BATCH]
        said = git.run("cat-file", "--batch", folder=repository, stdin=b"\n".join(batch) + b"\n")
        place = 0
        for blob in batch:
            end = said.index(b"\n", place)
            size = int(said[place:end].split()[2])
            content = said[end + 1 : end + 1 + size]
            place = end + size + 2
            found += small[blob] if _POINTER.match(content) else 0
    return found
