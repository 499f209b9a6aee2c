"""Makes the documented ways to start a server ones of this machine: its own program, and places that are there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.mcp.configured import Entry

#: Options of `docker run` that stand alone; every other one takes the next word.
_ALONE = frozenset(["-i", "-t", "-it", "-ti", "--rm", "-d", "--init", "--interactive", "--tty", "--detach"])
#: Options of the runners that take the next word.
_TAKES = frozenset(["--directory", "--from", "--with", "--python", "-p", "--package", "--prefix", "--project"])
_FILE = re.compile(r"(?i)[\w.-]+\.(db|sqlite3?|jsonl?|txt|csv|md|ya?ml|toml|log)$")
_REPOSITORY = re.compile(r"(?i)(?<![a-z])(repo|repos|repository|git)(?![a-z])")
_PLACE = re.compile(
    r"^(~|\.{1,2})?/|^[A-Za-z]:\\|\$\{?\w*(folder|home|pwd)\w*\}?|^(path|your)[/-]|[\w.-]+/[\w.-]+", re.I
)
_STANDS_FOR = re.compile(r"^<[^>]*>$|^\[[^\]]*\]$|^(YOUR|PATH|DIR|FILE)[_A-Z]*$")
_INPUT = re.compile(r"\$\{input:([\w.-]+)\}")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Places:
    """What paths of the documentation become.

    Attributes:
        folder: A folder of the newcomer's own, as an absolute path.
        repository: A git repository in it.
    """

    folder: str
    repository: str


@dataclass(frozen=True)
class Launch:
    """A server's command on this machine.

    Attributes:
        words: The command and its arguments.
        transport: How the server is reached.
        env: Environment variables.
        documented: The command as the documentation writes it; empty where it writes none.
    """

    words: tuple[str, ...]
    transport: str
    env: Mapping[str, str] = field(default_factory=dict)
    documented: str = ""

    @property
    def line(self) -> str:
        """The command as a shell takes it."""
        return shlex.join(self.words)

    @property
    def assignments(self) -> str:
        """Its environment as a shell takes it before the command."""
        return "".join(f"{name}={shlex.quote(value)} " for name, value in self.env.items())


def launches(entries: tuple[Entry, ...], installed: Installed, places: Places, transport: str) -> tuple[Launch, ...]:
    """Return the documented ways to start what was installed over a transport; containers come last.

    Where the documentation has none, that is the server's own program, by itself.
    """
    found: dict[tuple[str, ...], tuple[bool, Launch]] = {}
    for entry in entries:
        bare = _bare(entry.words)
        own = _own(bare, installed)
        if own is None or entry.transport != transport:
            continue
        words = _once(
            own, [_filled(word, before, entry, places) for before, word in zip(("", *own), own, strict=False)]
        )
        env = {
            name: _filled(value, name, entry, places)
            for name, value in {**entry.env, **_container_env(bare)}.items()
            if _NAME.fullmatch(name)
        }
        contained = bare[0] in ("docker", "podman")
        launch = Launch(words, transport, env, shlex.join(entry.words))
        if words not in found or found[words][0] > contained:
            found[words] = (contained, launch)
    if not found:
        return tuple(Launch((name,), transport) for name in _programs(installed)[:1])
    return tuple(launch for _, launch in sorted(found.values(), key=lambda one: one[0]))


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command without what only another system needs before it, and without assignments."""
    while words and re.fullmatch(r"[A-Za-z_]\w*=.*", words[0]):
        words = words[1:]
    if words[:1] == ("cmd",) and len(words) > 2 and words[1].lower() == "/c":
        return words[2:]
    return words or ("",)


def _own(words: tuple[str, ...], installed: Installed) -> tuple[str, ...] | None:
    """Return a documented command as one of the installed programs; None where it is of something else."""
    program, rest = words[0].rsplit("/", 1)[-1], words[1:]
    if program in installed.programs:
        return (program, *rest)
    if program in ("python", "python3") and rest[:1] == ("-m",) and len(rest) > 1:
        return ("python", *rest) if rest[1].split(".")[0] in installed.modules else None
    if program in ("docker", "podman") and rest[:1] == ("run",):
        return _with_program(installed, _contained(rest[1:]))
    if program == "node" and installed.packages and rest and re.search(r"\.[cm]?js$", rest[0]):
        return _with_program(installed, rest[1:])
    if program in ("uv", "npm", "pnpm", "yarn", "pipx", "bun"):
        verb = next((place for place, word in enumerate(rest) if word in ("run", "exec", "dlx", "x", "tool")), None)
        script = verb is not None and program in ("npm", "bun") and rest[verb] == "run"
        rest = () if verb is None or script else rest[verb + 1 :]
        rest = rest[1:] if rest[:1] == ("run",) else rest
    elif program not in ("uvx", "npx", "bunx"):
        return None
    return _run(rest, installed)


def _run(rest: tuple[str, ...], installed: Installed) -> tuple[str, ...] | None:
    """Return what a runner such as uvx or npx runs, as the installed program."""
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _TAKES else rest[1:]
    if not rest:
        return None
    if rest[0] in ("python", "python3", "node"):
        return _own(rest, installed)
    name = re.sub(r"(?<=.)(@|==).*$", "", rest[0]) if not rest[0].startswith("@") else "@" + rest[0][1:].split("@")[0]
    name = name.split("[")[0]
    if name in installed.programs:
        return (name, *rest[1:])
    known = {*installed.packages, *(module.replace("_", "-") for module in installed.modules)}
    return _with_program(installed, rest[1:]) if name in known else None


def _contained(rest: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arguments that a container's image is run with."""
    while rest and rest[0].startswith("-"):
        rest = rest[1:] if rest[0] in _ALONE or re.match(r"--[\w-]+=", rest[0]) else rest[2:]
    return rest[1:]


def _container_env(words: tuple[str, ...]) -> dict[str, str]:
    """Return the environment that `docker run` is told to give, where it is told the values."""
    pairs = [after for word, after in pairwise(words) if word in ("-e", "--env") and "=" in after]
    return dict(pair.split("=", 1) for pair in pairs) if words[0] in ("docker", "podman") else {}


def _with_program(installed: Installed, arguments: tuple[str, ...]) -> tuple[str, ...] | None:
    programs = _programs(installed)
    return (programs[0], *arguments) if programs else None


def _programs(installed: Installed) -> tuple[str, ...]:
    """Return the installed programs, that which serves first."""
    return tuple(sorted(installed.programs, key=lambda name: not re.search(r"(?i)mcp|serve", name)))


def _filled(word: str, before: str, entry: Entry, places: Places) -> str:
    """Return an argument with what only the document's author has replaced by what is here."""
    asked = _INPUT.search(word)
    if asked:
        word = _INPUT.sub(lambda match: entry.inputs.get(match[1], f"<{match[1]}>"), word)
    front, equals, value = word.partition("=") if word.startswith("--") and "=" in word else ("", "", word)
    if value.startswith(("http://", "https://", "@", "-")) or not (_PLACE.search(value) or _STANDS_FOR.search(value)):
        return word
    if _STANDS_FOR.search(value) and not re.search(r"(?i)path|dir|folder|file|repo", f"{before} {value}"):
        return word
    return f"{front}{equals}{_there(value, f'{before} {front}', places)}"


def _once(documented: tuple[str, ...], filled: list[str]) -> tuple[str, ...]:
    """Return filled words, one place that several documented words became named once."""
    replaced = [word for was, word in zip(documented, filled, strict=True) if was != word]
    again = {place for place, word in enumerate(filled) if word in replaced and word in filled[:place]}
    after = {place for place in again if filled[place - 1].startswith("-")}
    return tuple(word for place, word in enumerate(filled) if place not in again - after)


def _there(value: str, around: str, places: Places) -> str:
    file = _FILE.search(value)
    if file:
        return f"{places.folder}/{file[0].lstrip('.-')}"
    if _REPOSITORY.search(f"{value} {around}"):
        return places.repository
    return places.folder
