"""A private apt: its own lists and an empty machine, so that nothing of this one decides what an image holds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from argusic.sandbox.environment.mirror import Mirror
from argusic.sandbox.environment.programs import run

_UPDATE_SECONDS = 300.0
_RESOLVE_SECONDS = 120.0
_DOWNLOAD_SECONDS = 900.0
_INSTALLING = re.compile(r"^Inst (\S+) \((\S+) ", re.MULTILINE)

_CONFIGURATION = """\
Dir "{top}";
Dir::State "{top}/state";
Dir::State::status "{top}/status";
Dir::Cache "{top}/cache";
Dir::Log "{top}/log";
Dir::Etc "{top}/etc";
Dir::Etc::sourcelist "{top}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::main "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "{architecture}";
APT::Architectures "{architecture}";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
"""


class Offered(NamedTuple):
    """A package as the mirror offers it."""

    name: str
    version: str
    sha256: str
    installed_kb: int


class Apt:
    """Apt over one mirror and one release.

    Args:
        top: A folder of its own.
        mirror: Where packages come from.
        suite: The release.
        architecture: The processor architecture.
    """

    def __init__(self, top: Path, mirror: Mirror, suite: str, architecture: str) -> None:
        self._top = top
        for folder in ("state/lists/partial", "cache/archives/partial", "etc/trusted.gpg.d", "log"):
            (top / folder).mkdir(parents=True, exist_ok=True)
        (top / "status").touch()
        (top / "sources.list").write_text(mirror.source(suite), encoding="utf-8")
        configuration = top / "apt.conf"
        configuration.write_text(_CONFIGURATION.format(top=top, architecture=architecture), encoding="utf-8")
        self._environment = {"APT_CONFIG": str(configuration)}

    def update(self) -> None:
        """Fetch the mirror's lists. Raises EnvironmentLack where it does not answer."""
        argv = ["apt-get", "--quiet=2", "--error-on=any", "update"]
        run(argv, seconds=_UPDATE_SECONDS, environment=self._environment)

    def release(self) -> str:
        """Return the release that the lists are of, such as `Debian 13.8`."""
        for path in sorted((self._top / "state/lists").glob("*Release")):
            fields = dict(_fields(path.read_text(encoding="utf-8")))
            if "Version" in fields:
                return f"{fields.get('Origin', 'Debian')} {fields['Version']}"
        return "Debian"

    def resolve(self, asked: Sequence[str]) -> dict[str, str]:
        """Return the version of every package that an empty machine gets when `asked` are installed on it.

        Raises:
            EnvironmentLack: One of them is not there, or they do not go together.
        """
        argv = ["apt-get", "--simulate", "--quiet=2", "install", "--", "?essential", "apt", *asked]
        said = run(argv, seconds=_RESOLVE_SECONDS, environment=self._environment)
        return {name.partition(":")[0]: version for name, version in _INSTALLING.findall(said)}

    def offered(self, names: Collection[str]) -> dict[tuple[str, str], Offered]:
        """Return what the mirror offers of some packages, by name and version."""
        found = {}
        for path in sorted((self._top / "state/lists").glob("*_Packages")):
            for stanza in _stanzas(path):
                name = stanza[len("Package: ") : stanza.find("\n")]
                if name not in names:
                    continue
                fields = dict(_fields(stanza))
                version = fields["Version"]
                size = int(fields.get("Installed-Size", "0"))
                found[name, version] = Offered(name, version, fields["SHA256"], size)
        return found

    def download(self, wanted: Sequence[tuple[str, str]], folder: Path) -> None:
        """Fetch packages, each a name and a version, as files into `folder`.

        Raises:
            EnvironmentLack: One could not be fetched.
        """
        words = [f"{name}={version}" for name, version in wanted]
        argv = ["apt-get", "--quiet=2", "download", "--", *words]
        run(argv, seconds=_DOWNLOAD_SECONDS, folder=folder, environment=self._environment)


def _stanzas(path: Path) -> Iterator[str]:
    """Yield the stanzas of a list of packages, each of which begins with its name."""
    for stanza in path.read_text(encoding="utf-8").split("\n\n"):
        if stanza.startswith("Package: "):
            yield stanza


def _fields(stanza: str) -> Iterator[tuple[str, str]]:
    for line in stanza.split("\n"):
        name, colon, value = line.partition(": ")
        if colon and not line.startswith(" "):
            yield name, value
