"""Lays the layers of an image over each other into a folder. No name, and no link, leads out of that folder.

Only one user exists in a sandbox, so whose a file is cannot be kept, and devices are left out.
"""

from __future__ import annotations

import os
import shutil
import stat
import tarfile

from .wrong import Wrong

_HIDES, _HIDES_ALL = ".wh.", ".wh..wh..opq"
_HOPS = 64


def unpack(layers: tuple[str, ...], root: str) -> None:
    """Unpack layers, the lowest first, into the new folder `root`.

    Raises:
        Wrong: A layer is damaged, or there is no room.
    """
    os.makedirs(root, mode=0o755)
    try:
        for layer in layers:
            made: set[str] = set()
            with tarfile.open(layer, "r:*") as archive:
                for entry in archive:
                    _lay(archive, entry, root, made)
    except (OSError, EOFError, tarfile.TarError) as error:
        raise Wrong(f"the image cannot be unpacked: {error}.") from error


def within(root: str, path: str, *, follow: bool = True) -> str:
    """Return where a path of the image lies below `root`, its links followed as the image would.

    Args:
        root: The image's root.
        path: The path, as the image knows it.
        follow: Whether a link at its very end is followed as well.

    Raises:
        Wrong: Its links lead round in a circle.
    """
    waiting = [part for part in path.split("/") if part not in ("", ".")]
    done: list[str] = []
    hops = 0
    while waiting:
        part = waiting.pop(0)
        if part == "..":
            done = done[:-1]
            continue
        here = os.path.join(root, *done, part)
        if os.path.islink(here) and (waiting or follow):
            hops += 1
            if hops > _HOPS:
                raise Wrong(f"the links of {path} lead round in a circle.")
            target = os.readlink(here)
            if target.startswith("/"):
                done = []
            waiting = [*(piece for piece in target.split("/") if piece not in ("", ".")), *waiting]
        else:
            done.append(part)
    return os.path.join(root, *done)


def folder_within(root: str, path: str) -> str:
    """Return the folder at a path of the image, made with those above it where it is not there.

    Raises:
        Wrong: A file is in the way.
    """
    place = within(root, path)
    try:
        os.makedirs(place, mode=0o755, exist_ok=True)
    except OSError as error:
        raise Wrong(f"{path} cannot be made in the image: {error.strerror}.") from error
    return place


def _lay(archive: tarfile.TarFile, entry: tarfile.TarInfo, root: str, made: set[str]) -> None:
    above, _, name = entry.name.strip("/").rpartition("/")
    if name in ("", "."):
        return
    folder = folder_within(root, above)
    place = os.path.join(folder, name)
    if name == _HIDES_ALL:
        for inside in os.listdir(folder):
            if os.path.join(folder, inside) not in made:
                _remove(os.path.join(folder, inside))
        return
    if name.startswith(_HIDES):
        _remove(os.path.join(folder, name[len(_HIDES) :]))
        return
    made.add(place)
    if entry.isdir():
        if os.path.islink(place) or not os.path.isdir(place):
            _remove(place)
            os.mkdir(place)
        os.chmod(place, entry.mode & 0o1777 | stat.S_IRWXU)
        return
    _remove(place)
    if entry.issym():
        os.symlink(entry.linkname, place)
    elif entry.islnk():
        os.link(within(root, entry.linkname, follow=False), place, follow_symlinks=False)
    elif entry.isreg():
        source = archive.extractfile(entry)
        assert source is not None
        with open(place, "xb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
        os.chmod(place, entry.mode & 0o777 | stat.S_IRUSR | stat.S_IWUSR)
        os.utime(place, (entry.mtime, entry.mtime))


def _remove(place: str) -> None:
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place)
    elif os.path.lexists(place):
        os.unlink(place)
