"""The remote's branches as the desk uses them: what one holds is looked at, and files are put on it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final, Protocol

#: The branch that everything is merged into.
MAIN: Final = "main"


class Branches(Protocol):
    """The remote's branches.

    Raises:
        EnvironmentLack: The remote cannot be reached, or refuses.
        InputError: This is no git checkout, or it has no such remote.
    """

    def below(self, branch: str, *folders: PurePosixPath) -> Mapping[PurePosixPath, bytes]:
        """Return the files below some folders on a branch; none where there is no such branch."""

    def put(self, branch: str, files: Mapping[PurePosixPath, bytes], message: str, *, replace: bool = False) -> bool:
        """Put files on a branch, which begins at the main one where it is not there, and return whether any is new.

        Raises:
            InputError: A file is there with another content, and `replace` is false.
        """
