"""Where Debian's packages come from: the mirror that this machine's own apt knows, or the one that the user names.

No address of a mirror is written anywhere in the repository or in an image.
"""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from argusic.errors import EnvironmentLack, InputError
from argusic.sandbox.environment.programs import run

#: The environment variable that names a mirror.
VARIABLE = "ARGUSIC_DEBIAN_MIRROR"
#: What Debian signs its releases with; of the package `debian-archive-keyring`.
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

#: What apt takes for an address, without what would be a second word or an option to it.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:/[^\s\[\]#]+")
_FORMAT = "$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN) $(SIGNED_BY)"
#: How the names of suites end that hold something else than a whole release.
_PARTIAL = ("-security", "-updates", "-backports", "-proposed-updates")


@dataclass(frozen=True)
class Mirror:
    """A Debian mirror.

    Attributes:
        address: Its address.
        keyring: The keys that its releases must be signed with.
    """

    address: str
    keyring: Path

    def source(self, suite: str) -> str:
        """Return the line of apt's `sources.list` for a release."""
        return f"deb [signed-by={self.keyring}] {self.address} {suite} main\n"


def find_mirror(named: str | None = None, keyring: Path = KEYRING) -> Mirror:
    """Return the mirror that `named` or the variable names, else the one that this machine's apt has.

    Raises:
        InputError: What was named is no address.
        EnvironmentLack: There is none, or Debian's keys are not here.
    """
    if not keyring.exists():
        raise EnvironmentLack(
            f"Debian's signing keys are not here ({keyring}).",
            advice="Install them with: apt-get install -y debian-archive-keyring",
        )
    for what, stated in (("--mirror", named), (VARIABLE, os.environ.get(VARIABLE) or None)):
        if stated is not None:
            return Mirror(_address(stated, what), keyring)
    address = known_to_apt()
    if address is None:
        raise EnvironmentLack(
            "This machine's apt knows no Debian mirror, which the environment's packages come from.",
            advice=f"Name one with --mirror URL, or in {VARIABLE}.",
        )
    return Mirror(address.rstrip("/"), keyring)


def _address(stated: str, what: str) -> str:
    """Return a mirror's address as a user stated it, which becomes one word of apt's list of sources and no more."""
    if not _ADDRESS.fullmatch(stated):
        raise InputError(f"{what} is {stated!r}, which is no address of a mirror, such as http://HOST/debian.")
    return stated.rstrip("/")


def known_to_apt() -> str | None:
    """Return the address of the Debian mirror in this machine's apt configuration, or None."""
    # What a release says of itself is known only where its lists were fetched; its place always.
    targets = "".join(_targets(*option) for option in ((), ("--no-release-info",)))
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        system = {}
    return choose(targets, system.get("VERSION_CODENAME") if system.get("ID") == "debian" else None)


def _targets(*options: str) -> str:
    argv = ["apt-get", "indextargets", *options, "--format", _FORMAT, "Created-By: Packages"]
    try:
        return run(argv, seconds=60)
    except EnvironmentLack:
        return ""  # No apt, so no mirror of its own.


def choose(targets: str, own: str | None = None) -> str | None:
    """Return the first address among apt's index targets that is a Debian mirror of whole releases.

    Args:
        targets: Lines of address, release, component, origin and keyring, the last two possibly empty.
        own: The code name of the Debian release that this machine runs, where it runs one: an address that the
            release comes from is a Debian mirror.
    """
    for line in targets.splitlines():
        address, release, component, *rest = [*line.split(" "), "", ""]
        debian = "Debian" in rest or any("debian-archive" in word for word in rest) or release == own
        # Another archive may bear the same code name; a mirror's component is `main`, and its releases are whole.
        if debian and component == "main" and not release.endswith(_PARTIAL):
            return address
    return None
