"""What a commit's tree may hold: pointers of git LFS, one folder of many, names that collide, links that lead away."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest
from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool.cache import Shelf
from argusic.pool.files import keep
from argusic.pool.kinds.protocol import PinMismatch, Resolved
from argusic.pool.kinds.repository import RepositoryKind
from argusic.records.sources.repository import Pin, Source
from argusic.records.subject import Subject
from tests.pool.conftest import Said, sdist
from tests.pool.kinds.repository.conftest import Git

KIND = RepositoryKind(pauses=())
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4' * 64}\nsize 132735\n"


def subject(found: Resolved) -> Subject:
    return Subject(kind="repository", slug="project", name=found.name, source=found.source)


def handed(found: Resolved, said: Said, folder: Path) -> Path:
    cached = KIND.fetch(subject(found), found.pin, said.workshop)
    folder.mkdir()
    KIND.hand_in(subject(found), found.pin, cached, folder)
    return folder


def commit(project: Path, git: Git) -> None:
    git(project, "add", "--all", ".")
    git(project, "commit", "--quiet", "-m", "more")


def test_files_that_hold_only_a_pointer_are_counted_and_said(
    project: Path, workshop: Said, git: Git, tmp_path: Path
) -> None:
    (project / "weights.bin").write_text(POINTER)
    (project / "more" / "same.bin").write_text(POINTER)
    (project / "about.md").write_text(f"A pointer looks like this:\n{POINTER}")
    (project / "large").write_text(POINTER + "x" * 2000)
    (project / "halved").write_text(POINTER.replace("size", "sise"))
    commit(project, git)
    found = KIND.resolve(str(project), workshop.workshop)
    assert isinstance(found.pin, Pin) and found.pin.pointers == 2
    said = "2 of its files hold only a pointer to what git LFS keeps elsewhere"
    assert [note for note in found.notes if note.startswith(said) and "content is missing" in note]
    assert f"{said}.\nThat content is missing" in KIND.task(subject(found), found.pin)
    assert (handed(found, workshop, tmp_path / "handed") / "weights.bin").read_text() == POINTER


@pytest.mark.parametrize("stated", [None, 3])
def test_a_pin_that_says_another_number_of_pointers_is_refused(
    project: Path, workshop: Said, git: Git, stated: int | None
) -> None:
    for name in ("a", "b"):
        (project / name).write_text(POINTER)
    commit(project, git)
    found = KIND.resolve(str(project), workshop.workshop)
    with pytest.raises(PinMismatch, match=f"2 files of project hold only a pointer .* its pin says {stated or 0}"):
        KIND.fetch(subject(found), found.pin.model_copy(update={"pointers": stated}), workshop.workshop)


def test_a_commit_without_pointers_says_nothing_of_them(project: Path, workshop: Said) -> None:
    found = KIND.resolve(str(project), workshop.workshop)
    assert found.pin.model_dump(exclude_none=True).keys() == {"kind", "commit"}
    assert "LFS" not in KIND.task(subject(found), found.pin) and found.notes == ()


def test_pointers_in_a_published_archive_are_counted_too(workshop: Said) -> None:
    file, content = sdist("thing", "1.0", {"weights.bin": POINTER.encode(), "a.bin": POINTER.encode()})
    sha256 = hashlib.sha256(content).hexdigest()
    # Fetched already: how a registry's file comes here is not what this is about.
    keep(Shelf(workshop.workshop.cache, "packages"), sha256, file, content)
    published = {"ecosystem": "pypi", "name": "thing", "version": "1.0", "file": file, "sha256": sha256}
    source = Source.model_validate({"published": published})
    with pytest.raises(PinMismatch) as refused:
        KIND.fetch(
            subject(Resolved("thing", source, Pin(commit="0" * 40), None)), Pin(commit="0" * 40), workshop.workshop
        )
    made = str(refused.value).split("makes the commit ")[1].split(",")[0]
    with pytest.raises(PinMismatch, match="2 files of thing"):
        KIND.fetch(subject(Resolved("thing", source, Pin(commit=made), None)), Pin(commit=made), workshop.workshop)
    assert KIND.fetch(
        subject(Resolved("thing", source, Pin(commit=made), None)), Pin(commit=made, pointers=2), workshop.workshop
    )


def test_one_folder_of_a_repository_is_the_subject_and_all_of_it_is_handed_in(
    project: Path, workshop: Said, git: Git, tmp_path: Path
) -> None:
    (project / "packages" / "tool").mkdir(parents=True)
    (project / "packages" / "tool" / "README.rst").write_text("tool\n")
    commit(project, git)
    found = KIND.resolve(f"{project}//packages/tool/", workshop.workshop)
    assert found.source == Source(url=str(project), folder="packages/tool")
    assert (found.name, found.readme) == ("project/packages/tool", True)
    assert "this folder of it: /root/subject/packages/tool\n" in KIND.task(subject(found), found.pin)
    folder = handed(found, workshop, tmp_path / "handed")
    assert (folder / "README.md").exists() and (folder / "packages/tool/README.rst").exists()
    assert KIND.resolve(f"{project}//more", workshop.workshop).readme is False


@pytest.mark.parametrize("folder", ["nowhere", "link"])
def test_a_folder_that_the_commit_lacks_is_refused(project: Path, workshop: Said, folder: str) -> None:
    with pytest.raises(InputError, match=f"has no folder {folder}"):
        KIND.resolve(f"{project}//{folder}", workshop.workshop)
    found = KIND.resolve(str(project), workshop.workshop)
    lacking = found._replace(source=Source(url=str(project), folder=folder))
    with pytest.raises(PinMismatch, match=f"has no folder {folder} at the commit"):
        KIND.fetch(subject(lacking), lacking.pin, workshop.workshop)


@pytest.mark.parametrize(
    "folder", ["/etc", "../x", "a/../../x", "a//b", "a/", ".", "", ".git", "a/.GIT/x", "a\\b", "a\nb", "x" * 1001]
)
def test_a_folder_that_leads_elsewhere_is_no_folder_of_a_repository(folder: str) -> None:
    with pytest.raises(ValidationError):
        Source(url="https://host.example/o/n", folder=folder)


def test_a_hostile_folder_is_the_users_mistake(project: Path, workshop: Said) -> None:
    with pytest.raises(InputError, match="must be a folder's path"):
        KIND.resolve(f"{project}//../x", workshop.workshop)


def test_names_that_differ_by_case_alone_are_all_there(project: Path, workshop: Said, git: Git, tmp_path: Path) -> None:
    (project / "A").mkdir()
    (project / "A" / "x").write_text("upper\n")
    (project / "a").symlink_to("/etc")
    (project / "readme.MD").write_text("other\n")
    commit(project, git)
    folder = handed(KIND.resolve(str(project), workshop.workshop), workshop, tmp_path / "handed")
    assert (folder / "A" / "x").read_text() == "upper\n" and not (folder / "A").is_symlink()
    assert (folder / "a").readlink() == Path("/etc")
    assert (folder / "README.md").read_text() != (folder / "readme.MD").read_text()


def test_links_that_lead_away_are_laid_out_as_links_and_never_followed(
    project: Path, workshop: Said, git: Git, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    links = {"abroad": str(outside), "up": "../../..", "config": ".git/config", "hooks": ".git/hooks", "self": "self"}
    for name, target in links.items():
        (project / name).symlink_to(target)
    shutil.move(project / "README.md", project / "real.md")
    (project / "README.md").symlink_to("/etc/hostname")
    commit(project, git)
    folder = handed(KIND.resolve(str(project), workshop.workshop), workshop, tmp_path / "handed")
    assert {name: os.readlink(folder / name) for name in links} == links  # noqa: PTH115
    assert (folder / "README.md").readlink() == Path("/etc/hostname")
    assert not list(outside.iterdir())
    assert git(folder, "status", "--porcelain") == ""
    assert "hooksPath" not in (folder / ".git" / "config").read_text()
