"""How a user names a repository: a git address in any of git's forms, or a folder of this machine."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

_ADDRESS = re.compile(r"(https?|ssh|git|file)://\S+|[A-Za-z0-9_.][\w.-]*@[A-Za-z0-9.][A-Za-z0-9.-]*:\S+")
_FOLDER_FORMS = ("/", "./", "../", "~")


def is_address(target: str) -> bool:
    """Return whether `target` is a git address, `file://` and `user@host:path` included."""
    return _ADDRESS.fullmatch(target) is not None


def is_folder(target: str) -> bool:
    """Return whether `target` is written as a folder, or names one that is there."""
    if is_address(target) or not target or "\0" in target or "\n" in target:
        return False
    return target in (".", "..") or target.startswith(_FOLDER_FORMS) or Path(target).is_dir()


def split_folder(target: str) -> tuple[str, str | None]:
    """Return a target without the folder that a user names behind `//`, as in `NAME.git//FOLDER`; and that folder."""
    scheme, mark, rest = target.partition("://")
    front, rest = (scheme + mark, rest) if mark else ("", target)
    # An absolute folder may begin with any number of slashes.
    begun = len(rest) - len(rest.lstrip("/"))
    address, two, folder = rest[begun:].partition("//")
    return (front + rest[:begun] + address, folder.rstrip("/")) if two else (target, None)


def name_of(address: str) -> str:
    """Return the public name of the repository at an address: `owner/name`, or a folder's own name."""
    if address.startswith(("/", "file:")):
        path = unquote(urlsplit(address).path) if address.startswith("file:") else address
        folder = Path(path.rstrip("/"))
        return (folder.parent if folder.name == ".git" else folder).name.removesuffix(".git") or "root"
    path = urlsplit(address).path if "://" in address else address.partition(":")[2]
    parts = [part for part in unquote(path).removesuffix("/").removesuffix(".git").split("/") if part]
    return "/".join(parts[-2:]) or "repository"


def local_folder(address: str) -> Path | None:
    """Return the folder of this machine that an address leads to, or None where it leads elsewhere."""
    if address.startswith("/"):
        return Path(address)
    if address.startswith("file://"):
        return Path(unquote(urlsplit(address).path))
    return None


def is_git_folder(folder: Path) -> bool:
    """Return whether a folder is the top of a git repository, with a work tree or bare."""
    bare = (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    return (folder / ".git").exists() or bare
