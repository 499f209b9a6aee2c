"""What a newcomer knows of a project from its own files: names, documentation, manifests. Pure reading of text."""

from __future__ import annotations

import configparser
import email
import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

from argusic.runs.agents.newcomer.blocks import Block, blocks


@dataclass(frozen=True)
class Project:
    """What was read of a project.

    Attributes:
        folder: Where its files lie, as a shell writes it.
        handed: The published file to install, for a package that was handed in as one; else None.
        files: The names of the files at its top.
        texts: The content of the files that were read, by name.
        documentation: The texts that explain it, the most important first.
    """

    folder: str
    handed: str | None
    files: tuple[str, ...]
    texts: dict[str, str] = field(default_factory=dict)
    documentation: tuple[str, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The code blocks of its documentation, in order."""
        return tuple(block for text in self.documentation for block in blocks(text))

    @property
    def metadata(self) -> Metadata:
        """What its packaging metadata says."""
        return read_metadata(self.texts)

    @property
    def package_json(self) -> dict[str, Any]:
        """Its npm manifest; empty where it has none."""
        try:
            found = json.loads(self.texts.get("package.json", "{}"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Metadata:
    """Packaging metadata of a Python project, whichever file it comes from."""

    name: str = ""
    version: str = ""
    summary: str = ""
    description: str = ""
    requires_python: str = ""
    test_requirements: tuple[str, ...] = ()


def read_metadata(texts: dict[str, str]) -> Metadata:
    """Return what the files say, the more authoritative first: METADATA or PKG-INFO, pyproject, setup.cfg, setup.py."""
    core = next((texts[name] for name in ("METADATA", "PKG-INFO") if name in texts), "")
    message = email.message_from_string(core)
    project = _table(texts, "project")
    cfg = _cfg(texts.get("setup.cfg", ""))
    setup = texts.get("setup.py", "")

    def first(*values: object) -> str:
        return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")

    payload = message.get_payload() if core else ""
    return Metadata(
        name=first(message["Name"], project.get("name"), cfg.get("name"), _argument(setup, "name")),
        version=first(message["Version"], project.get("version"), cfg.get("version"), _argument(setup, "version")),
        summary=first(
            message["Summary"], project.get("description"), cfg.get("description"), _argument(setup, "description")
        ),
        description=first(payload, message["Description"]),
        requires_python=first(message["Requires-Python"], project.get("requires-python"), cfg.get("python_requires")),
        test_requirements=_test_requirements(texts),
    )


def _toml(texts: dict[str, str]) -> dict[str, Any]:
    try:
        return tomllib.loads(texts.get("pyproject.toml", ""))
    except tomllib.TOMLDecodeError:
        return {}


def _table(texts: dict[str, str], name: str) -> dict[str, Any]:
    found = _toml(texts).get(name, {})
    return found if isinstance(found, dict) else {}


def _cfg(text: str) -> dict[str, str]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    found = dict(parser["metadata"]) if parser.has_section("metadata") else {}
    if parser.has_option("options", "python_requires"):
        found["python_requires"] = parser["options"]["python_requires"]
    return found


def _argument(setup: str, name: str) -> str:
    """Return a literal argument of `setup(...)`, read without running it."""
    match = re.search(rf"\b{name}\s*=\s*(['\"])(?P<value>[^'\"\n]+)\1", setup)
    return match["value"] if match else ""


def _test_requirements(texts: dict[str, str]) -> tuple[str, ...]:
    """Return what the project declares that its tests need: groups and extras that are called after tests."""
    declared: list[str] = []
    for table in (_table(texts, "dependency-groups"), _table(texts, "project").get("optional-dependencies", {})):
        for name in ("test", "tests", "testing"):
            declared += [item for item in table.get(name, []) if isinstance(item, str)]
    return tuple(dict.fromkeys(declared))
