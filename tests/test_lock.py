"""The lock: every dependency pinned with hashes, in agreement with pyproject.toml, and naming no index."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TOP = Path(__file__).resolve().parent.parent
LOCK = (TOP / "requirements.lock").read_text(encoding="utf-8")
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def entries() -> Iterator[tuple[Requirement, str]]:
    """Yield each locked requirement with the text that belongs to it."""
    for entry in re.split(r"(?m)^(?=[A-Za-z0-9])", LOCK):
        if entry.strip():
            yield Requirement(entry.partition("\\")[0].strip()), entry


LOCKED = {canonicalize_name(requirement.name): requirement for requirement, _ in entries()}


def test_every_locked_package_has_one_version_and_a_hash() -> None:
    for requirement, text in entries():
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], requirement
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", text), requirement


def test_the_lock_names_no_index_and_no_address() -> None:
    assert re.findall(r"://|--(?:index-url|extra-index-url|find-links|trusted-host)|(?m:^-)", LOCK) == []


def test_every_dependency_of_the_project_is_locked_in_a_version_that_it_allows() -> None:
    for line in [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]:
        wanted = Requirement(line)
        locked = LOCKED[canonicalize_name(wanted.name)]
        (specifier,) = locked.specifier
        assert wanted.specifier.contains(specifier.version, prereleases=True), line


def test_nothing_is_locked_that_no_dependency_asks_for() -> None:
    asked = set(re.findall(r"(?m)^    #(?: via)? +([a-z0-9._-]+)", LOCK)) - {"via"}
    assert asked <= LOCKED.keys() | {"argusic"}
    assert LOCK.count("# via") == len(list(entries()))
