"""Unpacks, inside a sandbox, a tar stream from standard input to the path that is its one argument.

Run by the sandbox's own Python (3.8 or later), so that links which code inside has planted lead nowhere else.
"""

from __future__ import annotations

import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

#: The name of the archive's one top entry.
TOP = "content"


def main() -> None:
    """Unpack; what was there under the same names is overwritten."""
    destination = sys.argv[1]
    Path(destination).parent.mkdir(parents=True, exist_ok=True)

    def placed(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
        for member in archive:
            member.name = destination + member.name[len(TOP) :]
            if member.islnk():
                member.linkname = destination + member.linkname[len(TOP) :]
            yield member

    with tarfile.open(fileobj=sys.stdin.buffer, mode="r|") as archive:
        if hasattr(tarfile, "fully_trusted_filter"):
            archive.extractall("/", placed(archive), filter="fully_trusted")
        else:
            archive.extractall("/", placed(archive))


if __name__ == "__main__":
    main()
