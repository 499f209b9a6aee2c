"""The root folder of a sandbox on the host's disk: ordinary writable folders, and a clean `/etc` of its own.

Nothing of the host's configuration gets in but what an allow-list below names: what programs in `/usr` need in
order to work, never accounts, secrets, or the configuration of package clients.
"""

from __future__ import annotations

import fnmatch
import shutil
from collections.abc import Iterator
from pathlib import Path

from argusic.sandbox.bubblewrap.account import Account
from argusic.sandbox.supervised.environment import CA_BUNDLE

#: The name of the machine inside.
HOST_NAME = "sandbox"
#: System folders beside `/usr`. On most systems they are links into it.
SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")

_FOLDERS = {
    "dev": 0o755,
    "etc": 0o755,
    "etc/ssl": 0o755,
    "etc/ssl/certs": 0o755,
    "home": 0o755,
    "media": 0o755,
    "mnt": 0o755,
    "opt": 0o755,
    "proc": 0o755,
    "root": 0o700,
    "run": 0o755,
    "run/lock": 0o1777,
    "srv": 0o755,
    "tmp": 0o1777,
    "usr": 0o755,
    "var": 0o755,
    "var/cache": 0o755,
    "var/lib": 0o755,
    "var/log": 0o755,
    "var/tmp": 0o1777,
}
_LINKS = {
    "etc/localtime": "/usr/share/zoneinfo/UTC",
    "etc/mtab": "/proc/self/mounts",
    "var/lock": "/run/lock",
    "var/run": "/run",
}
_TEXTS = {
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/host.conf": "multi on\n",
    "etc/hostname": f"{HOST_NAME}\n",
    "etc/hosts": f"127.0.0.1 localhost {HOST_NAME}\n::1 localhost {HOST_NAME}\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "etc/resolv.conf": "",
    "etc/shells": "/bin/sh\n/bin/bash\n",
    "etc/timezone": "Etc/UTC\n",
}
#: Files of the host's `/etc` that are copied.
_COPIED = (
    "debian_version",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "locale.alias",
    "lsb-release",
    "magic",
    "magic.mime",
    "manpath.config",
    "maven/logging/simplelogger.properties",
    "maven/m2.conf",
    "mime.types",
    "os-release",
    "protocols",
    "redhat-release",
    "rpc",
    "services",
    "ssl/certs/java/cacerts",
    "ssl/openssl.cnf",
)
#: Folders of the host's `/etc` that are shown read-only: configuration of compilers and interpreters.
_SHOWN = (
    "ImageMagick-*",
    "R",
    "alternatives",
    "crypto-policies",
    "fonts",
    "java-*",
    "ld.so.conf.d",
    "perl",
    "php",
    "python3*",
    "sgml",
    "terminfo",
    "xml",
)
#: The usual folders below `/usr/local`.
_LOCAL = ("bin", "etc", "include", "lib", "man", "sbin", "share", "src")


def shown_folders(etc: Path = Path("/etc")) -> list[str]:
    """Return the names of the host's `/etc` folders to show read-only, sorted."""
    names = sorted(entry.name for entry in etc.iterdir() if entry.is_dir())
    return [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in _SHOWN)]


def build_local(upper: Path, work: Path, account: Account, local: Path = Path("/usr/local")) -> None:
    """Make the layer in which everything that the agent installs below `/usr/local` goes.

    The host's folders there belong to a user that does not exist inside. Where the layer has a folder of the same
    name it is the layer's owner that counts, so the usual ones, and those that exist, are made anew.
    """
    names = {name for name in _LOCAL if not (local / name).is_symlink()}
    for pattern in ("*", "*/*"):
        names |= {str(path.relative_to(local)) for path in local.glob(pattern) if _is_real_folder(path)}
    for folder in (upper, work, *(upper / name for name in sorted(names))):
        folder.mkdir(exist_ok=True)
        account.take(folder)


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not path.parent.is_symlink()


def build_skeleton(root: Path, account: Account, certificates: Path | None) -> None:
    """Make the root folder `root`, which does not exist yet, owned by `account`."""
    root.mkdir(mode=0o755)
    for path in (root, *_make(root, certificates)):
        account.take(path)


def _make(root: Path, certificates: Path | None) -> Iterator[Path]:
    for name, mode in _FOLDERS.items():
        (root / name).mkdir()
        (root / name).chmod(mode)
        yield root / name
    for name, target in _LINKS.items():
        (root / name).symlink_to(target)
        yield root / name
    for name, text in _TEXTS.items():
        (root / name).write_text(text)
        yield root / name
    for name in shown_folders():
        (root / "etc" / name).mkdir()
        yield root / "etc" / name
    for name in _COPIED:
        source = Path("/etc") / name
        if source.is_file():
            yield from _make_parents(root / "etc" / name)
            yield _copy(source, root / "etc" / name)
    if certificates is not None:
        yield _copy(certificates, root / CA_BUNDLE[1:])
    for name in SYSTEM_FOLDERS:
        system = Path("/") / name
        if system.is_symlink():
            (root / name).symlink_to(system.readlink())
            yield root / name
        elif system.is_dir():
            (root / name).mkdir()
            yield root / name


def _make_parents(path: Path) -> Iterator[Path]:
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir()
            yield folder


def _copy(source: Path, destination: Path) -> Path:
    shutil.copyfile(source, destination)
    destination.chmod(0o644)
    return destination
