"""How a user names a container image, and the address of the registry that the name leads to."""

from __future__ import annotations

import re
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from argusic.errors import InputError
from argusic.records.image import RegistryHost, Repository, Tag

#: What stands before an image's name in a target.
SCHEME = "docker://"
#: The registry that a name without one is of, and the host that answers for it.
_USUAL, _ANSWERS = "docker.io", "registry-1.docker.io"
_LOCAL = ("localhost", "127.0.0.1")
_WRITTEN = re.compile(
    r"(?P<name>[^@:\s]+(?::\d{1,5}(?=/)[^@:\s]+)?)(?::(?P<tag>[^@:\s]+))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)


class ImageName(NamedTuple):
    """An image as a user named it."""

    registry: str
    """The host of its registry."""
    repository: str
    """Its name there."""
    tag: str | None
    """The state that was named."""
    digest: str | None
    """The digest that was named."""

    def __str__(self) -> str:
        return f"{self.registry}/{self.repository}{f':{self.tag}' if self.tag else ''}"


def read_name(target: str) -> ImageName:
    """Return the image that `target` names, `docker://` before it or not, as engines read such names.

    Raises:
        InputError: It names none.
    """
    match = _WRITTEN.fullmatch(target.removeprefix(SCHEME))
    if match is None:
        raise InputError(f"{target!r} is no image's name.", advice=f"Write {SCHEME}HOST/NAME:TAG.")
    first, slash, rest = match["name"].partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost"):
        first, rest = _USUAL, match["name"]
    if first == _USUAL and "/" not in rest:
        rest = f"library/{rest}"
    tag = match["tag"] if match["tag"] or match["digest"] else "latest"
    try:
        TypeAdapter(RegistryHost).validate_python(first)
        TypeAdapter(Repository).validate_python(rest)
        if tag is not None:
            TypeAdapter(Tag).validate_python(tag)
    except ValidationError as error:
        raise InputError(f"{target!r} is no image's name.", advice=f"Write {SCHEME}HOST/NAME:TAG.") from error
    return ImageName(first, rest, tag, match["digest"])


def is_local(registry: str) -> bool:
    """Return whether a registry is on this machine's own loopback, where there need be no TLS."""
    return registry.partition(":")[0] in _LOCAL


def address_of(registry: str) -> str:
    """Return the address of a registry's interface."""
    if is_local(registry):
        return f"http://{registry}"
    return f"https://{_ANSWERS if registry == _USUAL else registry}"
