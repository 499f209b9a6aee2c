"""Packages of npm, from a registry on loopback: pinned by npm itself, proved before anything of them runs."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from argusic.errors import EnvironmentLack, InputError
from argusic.pool.adding import drafted, free_slug
from argusic.pool.archives import described
from argusic.pool.kinds.package import PackageKind
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable
from argusic.pool.kinds.registry import recognise
from argusic.pool.kinds.repository import RepositoryKind
from argusic.pool.registries import wanted
from argusic.records.published import PublishedSource
from argusic.records.sources.package import Pin, Source
from argusic.records.sources.repository import Pin as Commit
from argusic.records.sources.repository import Source as Repository
from argusic.records.subject import Subject
from tests.pool.conftest import Index, Said, node_package

KIND = PackageKind(pauses=())
#: A script that leaves a trace where npm runs it.
TRAP = {"scripts": {"preinstall": "touch ran", "prepare": "touch ran", "prepack": "touch ran"}}


def subject(name: str) -> Subject:
    return Subject(kind="package", slug="thing", name=name, source=Source(ecosystem="npm", name=name))


def pin(content: bytes, integrity: str | None, file: str = "thing-1.0.0.tgz") -> Pin:
    return Pin(version="1.0.0", file=file, sha256=hashlib.sha256(content).hexdigest(), integrity=integrity)


@pytest.mark.parametrize(
    ("target", "name", "version"),
    [
        ("npm:cowsay", "cowsay", None),
        ("npm:cowsay@1.6.0", "cowsay", "1.6.0"),
        ("npm:@scope/name", "@scope/name", None),
        ("npm:@scope/name@2.0.0-rc.1", "@scope/name", "2.0.0-rc.1"),
        ("pypi:cowsay==6.1", "cowsay", "6.1"),
    ],
)
def test_a_registry_before_the_name_says_where_a_package_is_published(
    target: str, name: str, version: str | None
) -> None:
    found = wanted(target)
    assert found is not None and (found.name, found.version) == (name, version)
    assert found.registry.ecosystem == target.partition(":")[0]
    assert recognise(target).kind == "package"


@pytest.mark.parametrize(
    "target", ["npm:", "npm:@scope", "npm:a b", "npm:../x", "npm:x@", "npm:x==1", "npm:-x", "cargo:x"]
)
def test_anything_else_after_npm_is_no_package(target: str) -> None:
    assert not KIND.recognises(target)


@pytest.mark.node
def test_resolving_pins_the_newest_release_and_its_integrity(workshop: Said, index: Index) -> None:
    index.publish("thing", "1.0.0", node_package("thing", "1.0.0"))
    archive = node_package("thing", "1.1.0", **TRAP)
    integrity = index.publish("thing", "1.1.0", archive)
    found = KIND.resolve("npm:thing", workshop.workshop)
    sha256 = hashlib.sha256(archive).hexdigest()
    assert found.pin == Pin(version="1.1.0", file="thing-1.1.0.tgz", sha256=sha256, integrity=integrity)
    assert (found.name, found.summary, found.source) == (
        "thing",
        "Says a thing.",
        Source(ecosystem="npm", name="thing"),
    )
    assert not list(Path(workshop.workshop.cache).rglob("ran")) and all(one.destroyed for one in workshop.opened)
    opened = len(workshop.opened)
    assert KIND.fetch(subject("thing"), found.pin, workshop.workshop).read_bytes() == archive
    assert len(workshop.opened) == opened
    older = KIND.resolve("npm:thing@1.0.0", workshop.workshop)
    assert older.pin.model_dump()["version"] == "1.0.0"


@pytest.mark.node
def test_a_scoped_name_has_a_slug_with_two_dashes(workshop: Said, index: Index, tmp_path: Path) -> None:
    index.publish("@birds/tern", "1.0.0", node_package("@birds/tern", "1.0.0"))
    found = KIND.resolve("npm:@birds/tern", workshop.workshop)
    assert found.pin.model_dump()["file"] == "birds-tern-1.0.0.tgz"

    class Empty:
        def holds(self, path: object) -> bool:
            return False

    slug = free_slug(Empty(), "package", found)  # type: ignore[arg-type]
    made = drafted("package", slug, found, summary=None, licence=None, languages=())
    assert (made.ref, made.name) == ("package/birds--tern", "@birds/tern")


@pytest.mark.node
def test_no_such_package_and_no_such_version_are_the_users_mistake(workshop: Said, index: Index) -> None:
    index.publish("thing", "1.0.0", node_package("thing", "1.0.0"))
    with pytest.raises(InputError, match="no published package called other"):
        KIND.resolve("npm:other", workshop.workshop)
    with pytest.raises(InputError, match=r"no version 9\.9\.9"):
        KIND.resolve("npm:thing@9.9.9", workshop.workshop)
    with pytest.raises(SubjectUnavailable, match="no longer published"):
        KIND.fetch(subject("gone"), pin(b"", "sha512-" + "A" * 86 + "=="), workshop.workshop)


@pytest.mark.node
def test_a_registry_that_is_not_there_is_no_mistake_of_the_user_and_its_address_is_not_told(
    workshop: Said, index: Index
) -> None:
    index.url = "http://127.0.0.1:9/simple/"
    with pytest.raises(SubjectUnavailable, match="ECONNREFUSED") as refused:
        KIND.resolve("npm:thing", workshop.workshop)
    assert "http" not in str(refused.value)


@pytest.mark.node
def test_another_file_than_the_pinned_one_is_refused_and_nothing_is_kept(workshop: Said, index: Index) -> None:
    archive = node_package("thing", "1.0.0")
    integrity = index.publish("thing", "1.0.0", archive)
    for pinned in (pin(b"something else", integrity), pin(archive, f"sha512-{'A' * 86}==")):
        with pytest.raises(PinMismatch):
            KIND.fetch(subject("thing"), pinned, workshop.workshop)
    with pytest.raises(PinMismatch, match="lacks the integrity"):
        KIND.fetch(subject("thing"), pin(archive, None), workshop.workshop)


@pytest.mark.node
def test_an_archive_that_its_own_registry_does_not_vouch_for_is_refused(workshop: Said, index: Index) -> None:
    index.publish("thing", "1.0.0", node_package("thing", "1.0.0"), integrity=f"sha512-{'A' * 86}==")
    with pytest.raises(SubjectUnavailable, match="EINTEGRITY"):
        KIND.resolve("npm:thing", workshop.workshop)


@pytest.mark.node
def test_an_archive_that_says_it_is_another_package_is_refused(workshop: Said, index: Index) -> None:
    index.publish("thing", "1.0.0", node_package("other", "1.0.0"))
    with pytest.raises(InputError, match="says that it is other"):
        KIND.resolve("npm:thing", workshop.workshop)


def test_where_there_is_no_npm_a_sentence_says_so(
    workshop: Said, index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for tool in ("sh", "rm", "mkdir", "ls"):
        (bare / tool).symlink_to(Path("/bin") / tool)
    monkeypatch.setenv("PATH", os.fspath(bare))
    with pytest.raises(EnvironmentLack, match="no npm"):
        KIND.resolve("npm:thing", workshop.workshop)


def test_what_is_handed_in_is_held_to_its_integrity_once_more(tmp_path: Path) -> None:
    cached = tmp_path / "thing-1.0.0.tgz"
    cached.write_bytes(b"pinned")
    folder = tmp_path / "handed"
    folder.mkdir()
    with pytest.raises(PinMismatch, match="integrity"):
        KIND.hand_in(subject("thing"), pin(b"pinned", f"sha512-{'A' * 86}=="), cached, folder)


@pytest.mark.node
def test_a_repository_can_be_made_of_an_archive_of_npm(workshop: Said, index: Index, tmp_path: Path) -> None:
    archive = node_package("thing", "1.0.0", {"test/all.js": "1\n"})
    index.publish("thing", "1.0.0", archive)
    source = PublishedSource(
        ecosystem="npm",
        name="thing",
        version="1.0.0",
        file="thing-1.0.0.tgz",
        sha256=hashlib.sha256(archive).hexdigest(),
    )
    made = Subject(kind="repository", slug="thing", name="thing", source=Repository(published=source))
    kind = RepositoryKind(pauses=())
    with pytest.raises(PinMismatch, match=r"makes the commit [0-9a-f]{40}") as refused:
        kind.fetch(made, Commit(commit="0" * 40), workshop.workshop)
    commit = Commit(commit=str(refused.value).split("makes the commit ")[1][:40])
    folder = tmp_path / "work"
    folder.mkdir()
    kind.hand_in(made, commit, kind.fetch(made, commit, workshop.workshop), folder)
    assert (folder / "test" / "all.js").read_text() == "1\n" and (folder / "package.json").is_file()


@pytest.mark.parametrize("manifest", ["", "[]", "{", '{"name": 3}', "[" * 100_000])
def test_a_manifest_that_is_none_says_nothing(manifest: str, tmp_path: Path) -> None:
    file = tmp_path / "thing-1.0.0.tgz"
    file.write_bytes(node_package("thing", "1.0.0", {"package.json": manifest}))
    assert described(file).name is None


def test_the_task_says_where_the_package_is_published_and_where_its_readme_is() -> None:
    text = KIND.task(subject("@birds/tern"), pin(b"", None, "birds-tern-1.0.0.tgz"))
    assert "@birds/tern 1.0.0" in text and "registry of npm" in text and "The README is in the file." in text


@pytest.mark.parametrize("integrity", ["", "sha512-", "sha512-AAAA", "sha256-" + "A" * 86 + "==", "sha512-" + "!" * 88])
def test_an_integrity_is_a_whole_sha512(integrity: str) -> None:
    with pytest.raises(ValueError, match="sha512-"):
        pin(b"", integrity)
