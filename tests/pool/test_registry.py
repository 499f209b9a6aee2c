from __future__ import annotations

import re
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.errors import InputError
from argusic.pool.kinds.registry import kind, kinds, recognise
from argusic.records.sources import source_models
from tests.made_database import TOP


def test_a_kind_is_found_by_being_there() -> None:
    declared = {kind.kind for kind in Database(TOP).kinds()}
    assert set(kinds()) == set(source_models()) == declared
    assert kind("package").kind == "package"


def test_every_kind_says_how_its_targets_are_written_and_recognises_none_of_anothers() -> None:
    for one in kinds().values():
        assert one.written, one.kind
        for form in one.written:
            lively = example(form)
            assert [other.kind for other in kinds().values() if other.recognises(lively)] == [one.kind], lively


def example(form: str) -> str:
    """Return a target as a user may write it, from how the kind says that it is written."""
    filled = {"HOST": "host.invalid", "OWNER": "ada", "NAME": "wingspan", "VERSION": "1.0", "FOLDER": "birds"}
    filled |= {"PATH": "nest.yaml", "FILE": "wingspan.tgz", "TAG": "latest", "FLAVOUR": "cloudformation"}
    filled |= {"SUITE": "trixie", "REVISION": "c" * 40, "PACKAGE": "carrier"}
    return re.sub(r"[A-Z]{3,}", lambda word: filled[word.group()], form)


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"package, .*repository"):
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
