"""The user's folder of private keys: outside of every repository, readable by its owner alone.

No private key of Argusic ever lies below the tree that it protects: one careless `git add` would publish it for ever.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from argusic.database.atomic import sync_folder
from argusic.database.git import Git
from argusic.errors import InputError, Place

_OWNER_ONLY: Final = 0o600
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class KeyFolder:
    """The folder of private keys.

    Args:
        folder: Where. It is made with the first key.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    @classmethod
    def of_user(cls, environment: Mapping[str, str] | None = None) -> KeyFolder:
        """Return the folder that ARGUSIC_KEYS names, else `argusic/keys` in the user's configuration."""
        given = os.environ if environment is None else environment
        if named := given.get("ARGUSIC_KEYS"):
            return cls(Path(named))
        configuration = given.get("XDG_CONFIG_HOME")
        return cls(Path(configuration or Path.home() / ".config") / "argusic" / "keys")

    def path(self, name: str) -> Path:
        """Return where the file `name` (`sealing/recovery.key`) lies or would lie."""
        return self.folder / name

    def read(self, name: str) -> bytes:
        """Return a private key.

        Raises:
            InputError: It is not there, or others than its owner may read it.
        """
        path = self.path(name)
        try:
            mode = path.stat().st_mode
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}.", place=Place(path)) from None
        if mode & _OTHERS:
            raise InputError(
                "holds a private key and may be read by others than its owner.",
                place=Place(path),
                advice=f"Run: chmod 600 {path}",
            )
        return data

    def add(self, name: str, data: bytes) -> Path:
        """Write a new private key and return its path.

        Raises:
            InputError: There is one already, which is never replaced, or the folder lies in a repository.
        """
        path = self.path(name)
        refuse_inside_a_repository(self.folder)
        for folder in (self.folder, *[self.folder / part for part in reversed(Path(name).parents) if part.name]):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Whole or not at all, and readable by nobody else at any moment.
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.link(temporary, path)
        except FileExistsError:
            raise InputError("is there already, and a private key is never replaced.", place=Place(path)) from None
        finally:
            temporary.unlink()
        sync_folder(path.parent)
        return path


def refuse_inside_a_repository(folder: Path, root: Path | None = None) -> None:
    """Refuse a folder of private keys that lies in a repository.

    Args:
        folder: The folder. It need not exist yet.
        root: The top of a database that may be no git checkout.

    Raises:
        InputError: It lies in there, or in the work tree of any git repository.
    """
    real = Path(os.path.realpath(folder))
    existing = next(parent for parent in (real, *real.parents) if parent.is_dir())
    inside = (root is not None and real.is_relative_to(root.resolve())) or Git.around(existing) is not None
    if inside:
        raise InputError(
            "is to hold private keys and lies in a repository, where one careless commit would publish them.",
            place=Place(folder),
            advice="Name another folder with ARGUSIC_KEYS.",
        )
