"""Reads a command line of `docker run` or `docker exec` as an engine's client reads it, and says what is not done here.

An option is carried out, or has no bearing on whether an image does its job and is passed over with a note, or is
refused: nothing is dropped in silence.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .wrong import Wrong

#: Options of one letter, and the long ones that they stand for.
_SHORT = {
    **{"d": "detach", "i": "interactive", "t": "tty", "e": "env", "v": "volume", "w": "workdir", "u": "user"},
    **{
        "p": "publish",
        "P": "publish-all",
        "h": "hostname",
        "m": "memory",
        "c": "cpu-shares",
        "l": "label",
        "q": "quiet",
    },
}
#: Options without a value that are carried out, and those with one.
_FLAGS = frozenset({"detach", "interactive", "tty", "rm", "publish-all", "quiet", "sig-proxy"})
_VALUES = frozenset(
    {"env", "env-file", "volume", "mount", "workdir", "user", "publish", "name", "entrypoint", "hostname", "tmpfs"}
)
#: Options that have no bearing here, without a value and with one.
_IDLE_FLAGS = frozenset({"init", "read-only", "no-healthcheck", "oom-kill-disable", "disable-content-trust"})
_IDLE = frozenset(
    [
        *("restart", "memory", "memory-swap", "memory-reservation", "cpus", "cpu-shares", "cpuset-cpus", "pids-limit"),
        *("shm-size", "ulimit", "security-opt", "cap-drop", "label", "log-driver", "log-opt", "stop-timeout"),
        *("stop-signal", "health-cmd", "health-interval", "health-retries", "health-timeout", "pull", "platform"),
        *("add-host", "dns", "network-alias", "group-add", "detach-keys", "cidfile", "domainname", "expose"),
    ]
)
#: Networks that are all the same here.
_NETWORKS = ("bridge", "host", "default")


@dataclass
class Asked:
    """What a command line asks for.

    Attributes:
        image: The image, or for `exec` the container.
        words: The command, where one is given.
        flags: The options without a value.
        values: The values of each option, in order.
        idle: The options that are passed over.
    """

    image: str
    words: list[str]
    flags: set[str] = field(default_factory=set)
    values: dict[str, list[str]] = field(default_factory=dict)
    idle: list[str] = field(default_factory=list)

    def last(self, name: str) -> str | None:
        """Return the value of an option that counts, or None where it is not given."""
        return self.values[name][-1] if name in self.values else None


def read(words: list[str]) -> Asked:
    """Return what a command line asks for, from behind `run` or `exec` on.

    Raises:
        Wrong: An option is unknown, lacks its value, or asks for what is not done here.
    """
    asked = Asked("", [])
    waiting = list(words)
    while waiting and waiting[0].startswith("-") and waiting[0] != "-":
        word = waiting.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            _take(asked, name, value if equals else None, waiting)
        else:
            _letters(asked, word[1:], waiting)
    if not waiting:
        raise Wrong("it is not said which image.")
    asked.image, asked.words = waiting[0], waiting[1:]
    return asked


def _letters(asked: Asked, letters: str, waiting: list[str]) -> None:
    """Take options of one letter that stand together, the last of which may have its value behind it."""
    for place, letter in enumerate(letters):
        name = _SHORT.get(letter)
        if name is None:
            raise Wrong(f"the option -{letter} is not known.")
        if name in _FLAGS or name in _IDLE_FLAGS:
            _take(asked, name, None, waiting)
            continue
        rest = letters[place + 1 :]
        _take(asked, name, rest.removeprefix("=") if rest else None, waiting)
        return


def _take(asked: Asked, name: str, value: str | None, waiting: list[str]) -> None:
    written = f"--{name}"
    if name in _FLAGS or name in _IDLE_FLAGS:
        if value not in (None, "true", "false"):
            raise Wrong(f"the option {written} takes no value.")
        if value != "false":
            asked.flags.add(name) if name in _FLAGS else asked.idle.append(written)
        return
    if name not in _VALUES and name not in _IDLE and name not in ("network", "net"):
        raise Wrong(f"the option {written} asks for what is not done here, or is not known.")
    if value is None:
        if not waiting:
            raise Wrong(f"the option {written} needs a value.")
        value = waiting.pop(0)
    if name in ("network", "net"):
        if value not in _NETWORKS:
            raise Wrong(f"there is no network {value!r} here: an image shares this machine's own loopback.")
        asked.idle.append(written)
    elif name in _IDLE:
        asked.idle.append(written)
    else:
        asked.values.setdefault(name, []).append(value)
