"""A Debian repository of exactly the pinned packages, on this disk: the build can see these and no others."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import shutil
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from argusic.sandbox.environment.fetching import Files
from argusic.sandbox.environment.planning import Pinned, PinnedWheel, Plan
from argusic.sandbox.environment.programs import run

_FIELD_SECONDS = 60.0


def lay_out(plan: Plan, files: Files, folder: Path) -> None:
    """Make the repository of a plan's packages in an empty folder. Their files must have been fetched."""
    pool = folder / "pool"
    pool.mkdir(parents=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as workers:
        stanzas = list(workers.map(lambda pin: _entry(pin, files, pool), plan.packages))
    index = "\n".join(stanzas).encode()
    (folder / "Packages").write_bytes(index)
    # Apt picks the essential packages by the release they are of, so the release has to say what it is.
    (folder / "Release").write_text(
        f"Suite: {plan.suite}\nCodename: {plan.suite}\nArchitectures: {plan.architecture}\nComponents: main\n"
        f"SHA256:\n {hashlib.sha256(index).hexdigest()} {len(index)} Packages\n",
        encoding="utf-8",
    )


def _entry(pin: Pinned, files: Files, pool: Path) -> str:
    """Put one package into the pool and return its stanza of the index."""
    kept, name = files.path(pin.sha256), f"{pin.name}_{pin.sha256[:16]}.deb"
    place(kept, pool / name)
    control = run(["dpkg-deb", "--field", str(kept)], seconds=_FIELD_SECONDS)
    return f"{control.rstrip()}\nFilename: pool/{name}\nSize: {kept.stat().st_size}\nSHA256: {pin.sha256}\n"


def place(source: Path, destination: Path) -> None:
    """Make a kept file appear at another place, without a copy where both are on one disk."""
    try:
        os.link(source, destination)
    except OSError:
        shutil.copyfile(source, destination)
        destination.chmod(0o644)


def wheel_archive(pinned: PinnedWheel, files: Files, destination: Path, time: int) -> None:
    """Write the content of a wheel as a tar archive to be unpacked in `/usr/local`.

    Args:
        pinned: The wheel.
        files: The kept files.
        destination: Where the archive is to be.
        time: The time that every file in it gets.
    """
    top = f"{pinned.wheel.folder}/"
    with zipfile.ZipFile(files.path(pinned.pin.sha256)) as wheel, tarfile.open(destination, "w") as archive:
        entries = {entry.filename.removeprefix(top): entry for entry in wheel.infolist() if entry.filename != top}
        for name in sorted(entries):
            entry = entries[name]
            if not entry.filename.startswith(top) or entry.is_dir() or not _wanted(name, pinned):
                continue
            member = _member(name, time)
            member.size, member.mode = entry.file_size, 0o755 if entry.external_attr >> 16 & 0o111 else 0o644
            with wheel.open(entry) as content:
                archive.addfile(member, content)
        for name, target in sorted(pinned.wheel.commands.items()):
            member = _member(f"bin/{name}", time)
            member.type, member.linkname, member.mode = tarfile.SYMTYPE, f"../{target}", 0o777
            archive.addfile(member)


def _wanted(name: str, pinned: PinnedWheel) -> bool:
    """Leave out the wheel's own Python modules at its top, what a link takes the place of, and what is not wanted."""
    wheel = pinned.wheel
    taken = name.removeprefix("bin/") in wheel.commands
    return "/" in name and not taken and not any(fnmatch.fnmatchcase(name, pattern) for pattern in wheel.without)


def _member(name: str, time: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "root", "root"
    return member
