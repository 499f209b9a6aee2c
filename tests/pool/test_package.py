from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from argusic.errors import InputError
from argusic.pool.kinds.package import PackageKind
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable
from argusic.records.sources.package import Pin, Source
from argusic.records.subject import Subject
from tests.pool.conftest import Index, Said, sdist, wheel

KIND = PackageKind(pauses=())

#: A set-up script of another Python: pip cannot even ask it for its metadata.
OLD_SETUP = b"import ConfigParser\nprint 'never'\n"


def subject(name: str) -> Subject:
    return Subject(kind="package", slug=name.lower(), name=name, source=Source(ecosystem="pypi", name=name))


def pin(file: str, content: bytes, version: str = "1.0") -> Pin:
    return Pin(version=version, file=file, sha256=hashlib.sha256(content).hexdigest())


@pytest.mark.parametrize("target", ["tinydb", "tinydb==4.9.0", "MySQL-python==1.2.5", "zope.interface"])
def test_a_name_with_or_without_a_version_is_a_package(target: str) -> None:
    assert KIND.recognises(target)


@pytest.mark.parametrize("target", ["-tinydb", "./tinydb", "a b", "", "tinydb>=1", "a/b", "tinydb==", "x[y]", "a\nb"])
def test_anything_else_is_no_package(target: str) -> None:
    assert not KIND.recognises(target)


def test_resolving_pins_the_file_that_pip_picks(workshop: Said, index: Index) -> None:
    index.add("thing", *wheel("thing", "1.0"))
    newer = index.add("thing", *wheel("thing", "1.1"))
    found = KIND.resolve("Thing", workshop.workshop)
    assert found.pin == Pin(version="1.1", file="thing-1.1-py3-none-any.whl", sha256=newer)
    assert (found.name, found.summary) == ("thing", "Says a thing.")
    older = KIND.resolve("thing==1.0", workshop.workshop)
    assert older.pin.model_dump()["version"] == "1.0"
    assert all(opened.destroyed for opened in workshop.opened)


def test_what_was_resolved_is_fetched_from_the_cache(workshop: Said, index: Index, tmp_path: Path) -> None:
    index.add("thing", *wheel("thing", "1.0"))
    found = KIND.resolve("thing", workshop.workshop)
    opened = len(workshop.opened)
    cached = KIND.fetch(subject("thing"), found.pin, workshop.workshop)
    assert len(workshop.opened) == opened
    handed = tmp_path / "handed"
    handed.mkdir()
    KIND.hand_in(subject("thing"), found.pin, cached, handed)
    assert [file.name for file in handed.iterdir()] == ["thing-1.0-py3-none-any.whl"]


def test_no_such_package_and_no_such_version_are_the_users_mistake(workshop: Said, index: Index) -> None:
    index.add("thing", *wheel("thing", "1.0"))
    with pytest.raises(InputError, match="no published package called other"):
        KIND.resolve("other", workshop.workshop)
    with pytest.raises(InputError, match=r"no version 9\.9"):
        KIND.resolve("thing==9.9", workshop.workshop)


@pytest.mark.parametrize("status", [429, 503])
def test_a_registry_that_fails_is_no_mistake_of_the_user(workshop: Said, index: Index, status: int) -> None:
    index.status = status
    with pytest.raises(SubjectUnavailable):
        KIND.resolve("thing", workshop.workshop)


def test_a_registry_that_is_not_there_makes_the_subject_unavailable(workshop: Said, index: Index) -> None:
    file, content = wheel("thing", "1.0")
    index.url = "http://127.0.0.1:9/simple/"
    with pytest.raises(SubjectUnavailable):
        KIND.resolve("thing", workshop.workshop)
    with pytest.raises(SubjectUnavailable):
        KIND.fetch(subject("thing"), pin(file, content), workshop.workshop)


def test_a_registry_that_comes_back_is_asked_again(workshop: Said, index: Index) -> None:
    file, content = wheel("thing", "1.0")
    index.add("thing", file, content)
    index.failures = 2  # pip itself asks twice.
    cached = PackageKind(pauses=(0.1, 0.1)).fetch(subject("thing"), pin(file, content), workshop.workshop)
    assert cached.read_bytes() == content
    assert len(workshop.opened) == 2


@pytest.mark.parametrize("hashes", [True, False])
def test_another_digest_than_the_pinned_one_is_refused_and_nothing_is_kept(
    workshop: Said, index: Index, hashes: bool
) -> None:
    index.hashes = hashes
    file, content = wheel("thing", "1.0")
    found = index.add("thing", file, content)
    pinned = pin(file, b"something else")
    with pytest.raises(PinMismatch) as refused:
        KIND.fetch(subject("thing"), pinned, workshop.workshop)
    assert found in str(refused.value) and pinned.sha256 in str(refused.value)
    assert not list((workshop.workshop.cache / "packages").glob("[!.]*"))
    assert not list((workshop.workshop.cache / "packages").glob(".making*"))


def test_a_package_whose_build_fails_under_pip_can_still_be_pinned_and_fetched(workshop: Said, index: Index) -> None:
    file, content = sdist("Old", "1.0", {"setup.py": OLD_SETUP})
    sha256 = index.add("old", file, content)
    found = KIND.resolve("Old==1.0", workshop.workshop)
    assert found.pin == Pin(version="1.0", file=file, sha256=sha256)
    assert (found.name, found.summary) == ("Old", None)
    (workshop.workshop.cache / "packages" / sha256 / file).unlink()
    assert KIND.fetch(subject("Old"), found.pin, workshop.workshop).read_bytes() == content


def test_a_package_whose_build_fails_is_still_held_to_its_digest(workshop: Said, index: Index) -> None:
    file, content = sdist("Old", "1.0", {"setup.py": OLD_SETUP})
    index.add("old", file, content)
    with pytest.raises(PinMismatch):
        KIND.fetch(subject("Old"), pin(file, b"something else"), workshop.workshop)


def test_the_pinned_file_is_fetched_though_pip_would_choose_another(workshop: Said, index: Index) -> None:
    index.hashes = False
    index.add("thing", *wheel("thing", "1.0"))
    file, content = sdist("thing", "1.0", {"setup.py": OLD_SETUP})
    index.add("thing", file, content)
    assert KIND.fetch(subject("thing"), pin(file, content), workshop.workshop).read_bytes() == content


def test_a_file_for_another_machine_can_still_be_fetched(workshop: Said, index: Index) -> None:
    _, content = wheel("thing", "1.0")
    index.add("thing", "thing-1.0-cp27-none-win32.whl", content)
    pinned = pin("thing-1.0-cp27-none-win32.whl", content)
    assert KIND.fetch(subject("thing"), pinned, workshop.workshop).read_bytes() == content


def test_a_file_that_is_published_no_longer_is_unavailable(workshop: Said, index: Index) -> None:
    file, content = wheel("thing", "1.0")
    index.add("thing", *wheel("thing", "2.0"))
    with pytest.raises(SubjectUnavailable, match="no longer published"):
        KIND.fetch(subject("thing"), pin(file, content), workshop.workshop)


@pytest.mark.parametrize("damage", ["flipped", "cut", "link"])
def test_a_damaged_cache_entry_is_fetched_again(workshop: Said, index: Index, tmp_path: Path, damage: str) -> None:
    file, content = wheel("thing", "1.0")
    index.add("thing", file, content)
    pinned = pin(file, content)
    cached = workshop.workshop.cache / "packages" / pinned.sha256 / file
    cached.parent.mkdir(parents=True)
    match damage:
        case "flipped":
            cached.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        case "cut":
            cached.write_bytes(content[:-1])
        case "link":
            (tmp_path / "elsewhere").write_bytes(content)
            cached.symlink_to(tmp_path / "elsewhere")
    again = KIND.fetch(subject("thing"), pinned, workshop.workshop)
    assert again == cached and again.read_bytes() == content and not again.is_symlink()
    assert len(workshop.opened) == 1
    KIND.fetch(subject("thing"), pinned, workshop.workshop)
    assert len(workshop.opened) == 1


def test_two_fetchers_at_once_fetch_once_and_both_have_it(workshop: Said, index: Index) -> None:
    file, content = wheel("thing", "1.0")
    index.add("thing", file, content)
    got: list[bytes] = []
    threads = [
        threading.Thread(
            target=lambda: got.append(KIND.fetch(subject("thing"), pin(file, content), workshop.workshop).read_bytes())
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [content] * 4
    assert len(workshop.opened) == 1


def test_what_is_handed_in_is_proved_once_more(workshop: Said, tmp_path: Path) -> None:
    cached = tmp_path / "thing-1.0-py3-none-any.whl"
    cached.write_bytes(b"changed meanwhile")
    folder = tmp_path / "handed"
    folder.mkdir()
    with pytest.raises(PinMismatch):
        KIND.hand_in(subject("thing"), pin(cached.name, b"pinned"), cached, folder)


def test_a_file_that_says_it_is_another_package_is_refused(workshop: Said, index: Index) -> None:
    _, content = wheel("other", "1.0")
    index.add("thing", "thing-1.0-py3-none-any.whl", content)
    with pytest.raises((InputError, SubjectUnavailable)):
        KIND.resolve("thing", workshop.workshop)


def test_the_task_names_version_and_file() -> None:
    file, content = wheel("thing", "1.0")
    text = KIND.task(subject("thing"), pin(file, content))
    assert "thing 1.0" in text and f"/root/subject/{file}" in text and "quickstart" in text
