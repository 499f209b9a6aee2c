"""A Space's own definition: the front matter of its README, read as what a stranger wrote.

The front matter says which SDK runs the Space, at which version, and which of its files is started.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, cast, get_args

from argusic.database.reading import parse
from argusic.errors import InputError
from argusic.records.sources.hugging_face_space import Sdk

#: The file whose front matter defines a Space.
README = "README.md"
#: No README is longer, in bytes, and no front matter.
MAX_README, MAX_FRONT = 2_000_000, 50_000

_FRONT = re.compile(r"\A\s*---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_VERSION = re.compile(r"\d+(\.\d+){0,3}((a|b|rc)\d+)?(\.(post|dev)\d+)?")
_PYTHON = re.compile(r"3(\.\d{1,2}){0,2}")
_STARTS: dict[Sdk, str] = {"gradio": "app.py", "streamlit": "app.py", "docker": "Dockerfile", "static": "index.html"}


class DefinitionUnusable(Exception):
    """A Space does not say how it is built and launched, or says it in a way that cannot be followed."""


class Definition(NamedTuple):
    """How a Space is built and launched."""

    sdk: Sdk
    """What runs it."""
    sdk_version: str | None
    """The version of it; None where none is named, and the newest is meant."""
    app_file: str
    """The file that is started or shown, a path within the Space."""
    app_port: int
    """The port that its interface answers on, where it is a container's."""
    python_version: str | None
    """The version of Python that it asks for."""
    build: str | None
    """The command that builds it first, where it is static."""
    title: str | None
    """What it is called."""
    summary: str | None
    """What it is, in a few words."""
    licence: str | None
    """Its licence, as its front matter names it."""
    doubts: tuple[str, ...] = ()
    """What it says that cannot be followed, and that can be done without."""


def read_definition(readme: str) -> Definition:
    """Return what the front matter of a README defines.

    Raises:
        DefinitionUnusable: There is none, it cannot be read, or it names no SDK, or a file outside of the Space.
    """
    front = _FRONT.match(readme)
    if front is None:
        raise DefinitionUnusable(f"{README} has no front matter")
    if len(front[1]) > MAX_FRONT:
        raise DefinitionUnusable(f"the front matter of {README} is longer than {MAX_FRONT} characters")
    try:
        says = parse(front[1].encode("utf-8", "replace"), file=README)
    except InputError as error:
        raise DefinitionUnusable(f"the front matter of {README} cannot be read: it {_without_place(error)}") from error
    if not isinstance(says, dict):
        raise DefinitionUnusable(f"the front matter of {README} is no list of names and values")
    sdk = says.get("sdk")
    if sdk not in get_args(Sdk):
        raise DefinitionUnusable(
            f"its sdk is {str(sdk)[:40]!r}, which is none of {', '.join(get_args(Sdk))}"
            if sdk is not None
            else f"the front matter of {README} names no sdk"
        )
    sdk = cast(Sdk, sdk)
    doubts: list[str] = []
    sdk_version = _version("sdk_version", _VERSION, front[1], says, doubts)
    python_version = _version("python_version", _PYTHON, front[1], says, doubts)
    port = says.get("app_port", 7860)
    if type(port) is not int or not 0 < port < 65536:
        doubts.append(f"its app_port is {str(port)[:40]!r}, which is no port")
        port = 7860
    return Definition(
        sdk=sdk,
        sdk_version=sdk_version,
        app_file=_inside(says.get("app_file"), _STARTS[sdk]),
        app_port=port,
        python_version=python_version,
        build=_text(says, "app_build_command") if sdk == "static" else None,
        title=_text(says, "title"),
        summary=_text(says, "short_description"),
        licence=_text(says, "license"),
        doubts=tuple(doubts),
    )


def _version(name: str, form: re.Pattern[str], front: str, says: dict[str, Any], doubts: list[str]) -> str | None:
    """Return a version as it is written: `3.10` is no number, whatever a reader of YAML takes it for."""
    if says.get(name) is None:
        return None
    written = re.search(rf"^{name}[ \t]*:[ \t]*[\"']?([^\s\"'#]+)", front, re.MULTILINE)
    if written is not None and form.fullmatch(written[1]):
        return written[1]
    doubts.append(f"its {name} is {str(says[name])[:40]!r}, which is no version")
    return None


def _inside(app_file: object, usual: str) -> str:
    if app_file is None:
        return usual
    if not isinstance(app_file, str) or not app_file.strip():
        raise DefinitionUnusable("its app_file is no file's name")
    path = app_file.strip().removeprefix("./")
    parts = path.split("/")
    if path.startswith(("/", "~", "-")) or "\\" in path or any(part in ("", ".", "..") for part in parts):
        raise DefinitionUnusable(f"its app_file is {app_file[:80]!r}, which leads out of the Space")
    if not path.isprintable() or len(path) > 300:
        raise DefinitionUnusable("its app_file is no file's name")
    return path


def _text(says: dict[str, Any], name: str) -> str | None:
    value = says.get(name)
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text[:500] or None


def _without_place(error: InputError) -> str:
    return " ".join(str(error).split()).removeprefix(f"{README}:").lstrip("0123456789: ").rstrip(".")
