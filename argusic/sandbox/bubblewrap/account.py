"""As whom a sandbox's processes run on the host.

Inside, the agent is user 0 of a user namespace. Were that user the host's real root, files of the kernel that only
check for it (the core pattern, say) could be written from inside. So where Argusic runs as root, its sandboxes
belong to a user id that nothing else uses; an ordinary user's sandboxes belong to that user.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: The first id of the range that systemd reserves for services without a user of their own.
SPARE_ID = 61184


@dataclass(frozen=True)
class Account:
    """The host's user that a sandbox belongs to.

    Attributes:
        uid: Its user id.
        gid: Its group id.
        switched: Whether that is another user than Argusic runs as.
    """

    uid: int
    gid: int
    switched: bool

    @classmethod
    def choose(cls, *, uid_map: Path = Path("/proc/self/uid_map")) -> Account:
        """Return the account for sandboxes started by this process."""
        if os.geteuid() == 0 and _is_mapped(uid_map, SPARE_ID):
            return cls(SPARE_ID, SPARE_ID, switched=True)
        return cls(os.geteuid(), os.getegid(), switched=False)

    def popen_options(self) -> dict[str, Any]:
        """Return what `subprocess.Popen` needs to run something under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switched else {}

    def take(self, path: Path | str) -> None:
        """Make the account the owner of a file, folder or link."""
        if self.switched:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def reaches(self, folder: Path) -> bool:
        """Whether the account can get at what lies in `folder`, by the permission bits of the way there."""
        if not self.switched:
            return os.access(folder, os.X_OK)
        way = folder.resolve()
        return all(self._passes(step.stat()) for step in (way, *way.parents))

    def _passes(self, facts: os.stat_result) -> bool:
        if facts.st_uid == self.uid:
            return bool(facts.st_mode & stat.S_IXUSR)
        if facts.st_gid == self.gid:
            return bool(facts.st_mode & stat.S_IXGRP)
        return bool(facts.st_mode & stat.S_IXOTH)


def _is_mapped(uid_map: Path, uid: int) -> bool:
    try:
        ranges = [tuple(map(int, line.split())) for line in uid_map.read_text().splitlines()]
    except OSError:
        return False
    return any(first <= uid < first + count for first, _, count in ranges)
