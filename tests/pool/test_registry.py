from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from argusic.errors import InputError
from argusic.pool import kinds as package
from argusic.pool.kinds.registry import kind, kinds, recognise
from argusic.records import sources

NINTH_KIND = """
from pathlib import Path


class Ninth:
    kind = "ninth"

    def recognises(self, target):
        return target.startswith("ninth:")


KIND = Ninth()
"""

NINTH_SOURCE = """
from typing import Literal

from argusic.records.base import Part

KIND = "ninth"


class Source(Part):
    kind: Literal["ninth"] = "ninth"


class Pin(Part):
    kind: Literal["ninth"] = "ninth"
"""


@pytest.fixture
def ninth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A ninth kind: its two files lie where the program looks, and nothing else is touched."""
    for folder, top, text in (("kinds", package, NINTH_KIND), ("sources", sources, NINTH_SOURCE)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ninth.py").write_text(text)
        monkeypatch.setattr(top, "__path__", [*top.__path__, str(tmp_path / folder)])
    sources.source_models.cache_clear()
    yield
    sources.source_models.cache_clear()
    for name in ("argusic.pool.kinds.ninth", "argusic.records.sources.ninth"):
        sys.modules.pop(name, None)


def test_a_kind_is_found_by_being_there() -> None:
    assert list(kinds()) == ["package", "repository"]
    assert kind("package").kind == "package"


def test_a_ninth_kind_adds_files_and_edits_nothing(ninth: None) -> None:
    assert list(kinds()) == ["ninth", "package", "repository"]
    assert recognise("ninth:thing").kind == "ninth"
    assert list(sources.source_models()) == ["ninth", "package", "repository"]


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="package, repository"):
        kind("spaceship")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("tinydb", "package"),
        ("tinydb==4.9.0", "package"),
        ("https://host.invalid/owner/name", "repository"),
        ("https://host.invalid/owner/name.git", "repository"),
        ("git@host.invalid:owner/name.git", "repository"),
        ("file:///some/where", "repository"),
        ("./here", "repository"),
        ("../there", "repository"),
        ("/some/where", "repository"),
        ("~/project", "repository"),
        (".", "repository"),
    ],
)
def test_a_target_is_of_the_kind_it_reads_as(target: str, expected: str) -> None:
    assert recognise(target).kind == expected


def test_a_folder_that_is_there_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some" / "folder").mkdir(parents=True)
    assert recognise("some/folder").kind == "repository"


def test_a_name_that_is_also_a_folder_here_is_ambiguous(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tinydb").mkdir()
    with pytest.raises(InputError, match="--kind package or --kind repository"):
        recognise("tinydb")
    assert recognise("tinydb", "package").kind == "package"
    assert recognise("./tinydb").kind == "repository"


def test_a_file_is_never_taken_for_a_package_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").touch()
    for target in ("README.md", "./README.md", str(tmp_path / "README.md")):
        with pytest.raises(InputError, match="is a file"):
            recognise(target)
    assert recognise("README.md", "package").kind == "package"


@pytest.mark.parametrize(
    "target", ["", "-x", "--upload-pack=x", "owner/name", "ext::sh -c x", "a b", "ftp://h/x", "\0"]
)
def test_what_is_of_no_kind_is_refused(target: str) -> None:
    with pytest.raises(InputError, match="nothing that can be tested"):
        recognise(target)


def test_a_named_kind_must_fit() -> None:
    with pytest.raises(InputError, match="not a package"):
        recognise("https://host.invalid/x", "package")
