"""What a container is before it runs: its folder, its command, its environment, its user, and what is shown in it."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from . import ports
from .asked import Asked
from .image import Image
from .unpacking import folder_within, within
from .wrong import NOT_STARTED, NOT_THERE, Wrong

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: What an engine gives an image of the machine: folders of the kernel's, and how names are found.
_GIVEN = ("/dev", "/proc", "/sys", "/etc/hosts", "/etc/resolv.conf")
#: What an engine's client that knows of a proxy gives an image.
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")

#: A user's or a group's number, as lists of them have it.
_NUMBER = re.compile(r"[0-9]{1,10}")


@dataclass(frozen=True)
class Prepared:
    """A command, ready to run in an image's root.

    Attributes:
        root: The root, unpacked.
        words: The command.
        environment: Its environment.
        folder: Where it starts.
        user: The numbers of its user and group.
        shown: What of this machine is shown in it, by where.
        ports: The ports that are to lead to it.
    """

    root: str
    words: tuple[str, ...]
    environment: dict[str, str]
    folder: str
    user: tuple[int, int]
    shown: tuple[tuple[str, str], ...]
    ports: tuple[ports.Published, ...] = ()

    def command(self, proot: str) -> list[str]:
        """Return the command line of PRoot that runs it."""
        words = [proot, "-r", self.root, "-w", self.folder]
        words += ["-0"] if self.user == (0, 0) else ["-i", f"{self.user[0]}:{self.user[1]}"]
        for outside, inside in self.shown:
            words += ["-b", f"{outside}:{inside}"]
        return [*words, *self.words]


def prepare(image: Image, asked: Asked, root: str, volumes: str, machine: Mapping[str, str], name: str) -> Prepared:
    """Return what a command line of `docker run` asks for, and make in the root what an engine makes there.

    Args:
        image: The image.
        asked: What the command line asks for.
        root: The image's root, unpacked.
        volumes: Where this machine keeps named volumes.
        machine: The environment here.
        name: The container's name.

    Raises:
        Wrong: It cannot be run so.
    """
    user, home = _user(root, asked.last("user") or str(image.settings.get("User") or ""))
    environment = {
        "PATH": _PATH,
        "HOSTNAME": asked.last("hostname") or name,
        **({"TERM": machine.get("TERM", "xterm")} if "tty" in asked.flags else {}),
        **{key: machine[key] for key in _PROXIES if key in machine},
        "HOME": home,
        **dict(one.partition("=")[::2] for one in image.texts("Env")),
        **_given(asked, machine),
    }
    folder = os.path.join("/", asked.last("workdir") or str(image.settings.get("WorkingDir") or "/"))
    shown = [(given, given) for given in _GIVEN if os.path.exists(given)]
    shown += [_bound(root, outside, inside) for outside, inside in _volumes(asked, root, volumes)]
    for outside, inside in shown[: len(_GIVEN)]:
        _point(root, inside, folder=os.path.isdir(outside))
    folder_within(root, folder)
    words = _words(image, asked)
    if any("\0" in one for one in (*words, *environment, *environment.values())) or "" in environment:
        raise Wrong("the image or the command line holds words or variables that no program can be given.")
    _look_up(root, words[0], folder, environment["PATH"], shown)
    published = [ports.read(one) for one in asked.values.get("publish", ())]
    if "publish-all" in asked.flags:
        published += [ports.read(one) for one in image.names("ExposedPorts") if not one.endswith("/udp")]
    return Prepared(root, tuple(words), environment, folder, user, tuple(shown), tuple(published))


def again(prepared: Prepared, asked: Asked, machine: Mapping[str, str]) -> Prepared:
    """Return what a command line of `docker exec` asks for of a container.

    Raises:
        Wrong: It cannot be run so.
    """
    if not asked.words:
        raise Wrong("it is not said which command.")
    user, home = _user(prepared.root, asked.last("user") or "{}:{}".format(*prepared.user))
    environment = {**prepared.environment, "HOME": home, **_given(asked, machine)}
    folder = os.path.join("/", asked.last("workdir") or prepared.folder)
    _look_up(prepared.root, asked.words[0], folder, environment["PATH"], prepared.shown)
    return Prepared(prepared.root, tuple(asked.words), environment, folder, user, prepared.shown)


def _words(image: Image, asked: Asked) -> list[str]:
    instead = asked.last("entrypoint")
    if instead is not None:
        words = [*([instead] if instead else []), *asked.words]
    else:
        words = [*image.texts("Entrypoint"), *(asked.words or image.texts("Cmd"))]
    if not words:
        raise Wrong("the image says no command, and none is given.")
    return words


def _given(asked: Asked, machine: Mapping[str, str]) -> dict[str, str]:
    lines = []
    for file in asked.values.get("env-file", ()):
        try:
            with open(file, encoding="utf-8") as opened:
                lines += [line.strip() for line in opened if line.strip() and not line.lstrip().startswith("#")]
        except (OSError, ValueError) as error:
            raise Wrong(f"the file of variables {file} cannot be read: {error}.") from error
    found = {}
    for one in [*lines, *asked.values.get("env", ())]:
        name, equals, value = one.partition("=")
        if equals or name in machine:
            found[name] = value if equals else machine[name]
    return found


def _volumes(asked: Asked, root: str, volumes: str) -> list[tuple[str, str]]:
    """Return what is to be shown, by where; each is there afterwards."""
    wanted = [_volume(one) for one in asked.values.get("volume", ())]
    wanted += [_mount(one) for one in asked.values.get("mount", ())]
    wanted += [("", one.partition(":")[0]) for one in asked.values.get("tmpfs", ())]
    found = []
    for number, (outside, inside) in enumerate(wanted):
        if not inside.startswith("/"):
            raise Wrong(f"the volume {inside!r} is to be shown at no whole path.")
        if "/" in outside or outside in (".", ".."):
            place = os.path.abspath(outside)
            if not os.path.exists(place):
                os.makedirs(place)
        else:
            place = os.path.join(volumes, outside or f"{os.path.basename(os.path.dirname(root))}-{number}")
            if not os.path.isdir(place):
                held = within(root, inside)
                os.makedirs(volumes, exist_ok=True)
                shutil.copytree(held, place, symlinks=True) if os.path.isdir(held) else os.makedirs(place)
        found.append((place, inside))
    return found


def _volume(said: str) -> tuple[str, str]:
    parts = said.split(":")
    if len(parts) == 1:
        return "", parts[0]
    return parts[0], parts[1]


def _mount(said: str) -> tuple[str, str]:
    parts = dict(part.partition("=")[::2] for part in said.split(","))
    kind = parts.get("type", "volume")
    if kind not in ("bind", "volume", "tmpfs"):
        raise Wrong(f"a mount of the type {kind} is not done here.")
    inside = next((parts[name] for name in ("target", "dst", "destination") if name in parts), "")
    outside = next((parts[name] for name in ("source", "src") if name in parts), "")
    return (os.path.abspath(outside) if kind == "bind" else outside), inside


def _bound(root: str, outside: str, inside: str) -> tuple[str, str]:
    _point(root, inside, folder=os.path.isdir(outside))
    return outside, inside


def _point(root: str, inside: str, *, folder: bool) -> None:
    """Make what something is to be shown at, as an engine does."""
    if folder:
        folder_within(root, inside)
        return
    above, _, name = inside.rpartition("/")
    place = os.path.join(folder_within(root, above), name)
    if not os.path.lexists(place):
        with open(place, "xb"):
            pass


def _look_up(
    root: str, program: str, folder: str, path: str, shown: list[tuple[str, str]] | tuple[tuple[str, str], ...]
) -> None:
    """Refuse a program that is not there, or cannot be started, in words that say so."""
    if program.startswith("-"):
        raise Wrong(f"{program!r} cannot be started here: its name begins with a dash.", NOT_STARTED)
    candidates = (
        [os.path.join(folder, program)] if "/" in program else [f"{one or folder}/{program}" for one in path.split(":")]
    )
    found = [place for place in candidates if os.path.isfile(_seen(root, place, shown))]
    if not found:
        raise Wrong(f"the image has no program {program!r}.", NOT_THERE)
    if not any(os.stat(_seen(root, place, shown)).st_mode & stat.S_IXUSR for place in found):
        raise Wrong(f"{program!r} cannot be started: it is no program.", NOT_STARTED)


def _seen(root: str, path: str, shown: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> str:
    """Return the file that a path of the image stands for, what is shown in it included."""
    for outside, inside in sorted(shown, key=lambda one: -len(one[1])):
        if path == inside or path.startswith(f"{inside.rstrip('/')}/"):
            return outside + path[len(inside.rstrip("/")) :]
    return within(root, path)


def _user(root: str, said: str) -> tuple[tuple[int, int], str]:
    """Return the numbers of a user and group, and the user's home, as the image's own lists have them."""
    name, _, group = said.partition(":")
    entry = next((line for line in _lines(root, "/etc/passwd") if (name or "0") in (line[0], line[2])), None)
    if entry is None and name and not _NUMBER.fullmatch(name):
        raise Wrong(f"the image has no user {name!r}.", NOT_STARTED)
    number = int(entry[2]) if entry else int(name or 0)
    main = int(entry[3]) if entry else 0
    if group and not _NUMBER.fullmatch(group):
        found = next((line for line in _lines(root, "/etc/group") if line[0] == group), None)
        if found is None:
            raise Wrong(f"the image has no group {group!r}.", NOT_STARTED)
        main = int(found[2])
    elif group:
        main = int(group)
    home = entry[5] if entry and len(entry) > 5 and entry[5] else ("/root" if number == 0 and entry else "/")
    return (number, main), home


def _lines(root: str, path: str) -> list[list[str]]:
    try:
        with open(within(root, path), encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n").split(":") for line in file]
    except OSError:
        return []
    return [
        line
        for line in lines
        if len(line) > 3 and _NUMBER.fullmatch(line[2]) and (_NUMBER.fullmatch(line[3]) or path == "/etc/group")
    ]
