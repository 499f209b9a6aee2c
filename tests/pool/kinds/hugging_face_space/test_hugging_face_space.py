"""Spaces: pinned by revision and digests from a hub, or by the commit of a published archive, and laid out as files."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool.hub.client import Bounds
from argusic.pool.kinds.hugging_face_space import KIND, HuggingFaceSpaceKind
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable, Workshop
from argusic.pool.kinds.registry import recognise
from argusic.records.hub import HubFile
from argusic.records.sources.hugging_face_space import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER
from tests.hub_server import Fault, HubServer
from tests.pool.conftest import node_package

README = b"---\ntitle: Greeter\nsdk: gradio\nsdk_version: 5.50.0\nshort_description: Says hello\nlicense: mit\n---\n"
FILES = {"README.md": README, "app.py": b"print(1)\n", "assets/bird.png": b"\x89PNG"}
PUBLISHED = {"ecosystem": "npm", "name": "b", "version": "1", "file": "b-1.tgz", "sha256": "0" * 64}
KINDLY = HuggingFaceSpaceKind(pauses=(), bounds=Bounds(stall=1, look=20, fetch=20))


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture
def shop(workshop: Any, hub: HubServer) -> Workshop:
    made: Workshop = workshop.workshop
    return dataclasses.replace(made, environment={"HF_ENDPOINT": hub.url})


def subject(found: Resolved) -> Subject:
    return Subject(kind=KIND.kind, slug="space", name=found.name, source=found.source)


def handed(found: Resolved, pin: Pin, shop: Workshop, folder: Path) -> dict[str, bytes]:
    """Hand a Space in, and return its files."""
    folder.mkdir(exist_ok=True)
    KINDLY.hand_in(subject(found), pin, KINDLY.fetch(subject(found), pin, shop), folder)
    assert not any(path.is_symlink() for path in folder.rglob("*"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def pinned(hub: HubServer) -> tuple[Resolved, Pin]:
    """Return a Space of the hub as a cycle has it pinned."""
    revision = hub.add("space", "ada/greeter", FILES)
    files = tuple(
        HubFile(path=path, size=len(data), sha256=hashlib.sha256(data).hexdigest())
        for path, data in sorted(FILES.items())
    )
    pin = Pin(revision=revision, files=files)
    return Resolved("ada/greeter", Source(name="ada/greeter"), pin, None), pin


def resolved(hub: HubServer, shop: Workshop, files: dict[str, bytes] = FILES) -> tuple[Resolved, Pin]:
    hub.add("space", "ada/greeter", files)
    found = KINDLY.resolve("space:ada/greeter", shop)
    assert isinstance(found.pin, Pin)
    return found, found.pin


@pytest.mark.parametrize(
    "target",
    ["space:ada/greeter", "space:ada/greeter@main", "space:gradio_bird==1.0//demo", "space:npm:@a/b@1.0.0", "space:x"],
)
def test_what_names_a_space_is_recognised(target: str) -> None:
    assert recognise(target).kind == KIND.kind


@pytest.mark.parametrize("target", ["ada/greeter", "space:", "space:a/b/c", "space:../x", "space://x", "space:a b"])
def test_what_names_none_is_not(target: str) -> None:
    assert not KIND.recognises(target)
    with pytest.raises(InputError, match="no Space's name"):
        KIND.resolve(target, Workshop(Path(), lambda: pytest.fail("nothing is opened"), lambda doing: None))


def test_a_space_of_a_hub_is_pinned_with_all_its_files_and_stays_as_it_was(
    hub: HubServer, shop: Workshop, tmp_path: Path
) -> None:
    found, pin = resolved(hub, shop)
    assert (found.name, found.licence, found.summary, found.languages) == (
        *("ada/greeter", "mit", "Says hello"),
        ("Python",),
    )
    assert pin.files is not None and [file.path for file in pin.files] == sorted(FILES)
    hub.add("space", "ada/greeter", {**FILES, "app.py": b"print(2)\n"})
    assert handed(found, pin, shop, tmp_path / "subject") == FILES
    task = KINDLY.task(subject(found), pin)
    assert str(pin.revision) in task and f"{SUBJECT_FOLDER}." in task and "front matter" in task
    assert KINDLY.variables(subject(found), pin) == {}


def test_a_space_without_a_definition_is_no_subject(hub: HubServer, shop: Workshop) -> None:
    with pytest.raises(InputError, match=r"ada/greeter is no Space that can be built: .* leads out of the Space"):
        resolved(hub, shop, {"README.md": b"---\nsdk: static\napp_file: ../../secret\n---\n"})
    with pytest.raises(InputError, match=r"has no README\.md that can be read"):
        resolved(hub, shop, {"app.py": b""})


def test_what_its_definition_says_in_vain_is_told(hub: HubServer, shop: Workshop) -> None:
    found, _ = resolved(hub, shop, {"README.md": b"---\nsdk: gradio\nsdk_version: newest\n---\n"})
    assert found.notes == ("its sdk_version is 'newest', which is no version: it is left aside",)


def test_a_wrong_digest_or_revision_stops_before_anything_is_handed_in(hub: HubServer, shop: Workshop) -> None:
    found, pin = pinned(hub)
    assert pin.files is not None
    wrong = pin.files[0].model_copy(update={"sha256": "0" * 64})
    with pytest.raises(PinMismatch, match="sha256"):
        KINDLY.fetch(subject(found), Pin(revision=pin.revision, files=(wrong, *pin.files[1:])), shop)
    with pytest.raises(SubjectUnavailable, match="no ada/greeter at"):
        KINDLY.fetch(subject(found), Pin(revision="b" * 40, files=(wrong,)), shop)
    with pytest.raises(PinMismatch, match="lacks the revision"):
        KINDLY.fetch(subject(found), Pin(commit="c" * 40), shop)


def test_a_copy_that_was_changed_in_the_cache_is_never_handed_in(
    hub: HubServer, shop: Workshop, tmp_path: Path
) -> None:
    found, pin = pinned(hub)
    cached = KINDLY.fetch(subject(found), pin, shop)
    (cached / "app.py").write_bytes(b"print(9)\n")
    with pytest.raises(PinMismatch, match=r"app\.py has sha256"):
        KINDLY.hand_in(subject(found), pin, cached, tmp_path)


@pytest.mark.parametrize(
    ("fault", "ends"),
    [
        (Fault("resolve", "status"), SubjectUnavailable),
        (Fault("resolve", "stall"), SubjectUnavailable),
        (Fault("resolve", "cut"), SubjectUnavailable),
        (Fault("resolve", "wrong"), PinMismatch),
    ],
    ids=lambda it: it.does if isinstance(it, Fault) else "",
)
def test_a_hub_that_is_down_stalls_breaks_off_or_sends_other_bytes_ends_in_its_class(
    hub: HubServer, shop: Workshop, fault: Fault, ends: type[Exception]
) -> None:
    found, pin = pinned(hub)
    hub.faults.append(fault)
    with pytest.raises(ends):
        KINDLY.fetch(subject(found), pin, shop)
    assert not list(shop.cache.glob("hub/[0-9a-f]*"))


def test_a_hub_that_refuses_connections_makes_a_space_unavailable(workshop: Any) -> None:
    shop = dataclasses.replace(workshop.workshop, environment={"HF_ENDPOINT": "http://127.0.0.1:9"})
    with pytest.raises(SubjectUnavailable, match="hub cannot"):
        KINDLY.resolve("space:ada/greeter", shop)


def test_a_space_that_an_archive_carries_is_laid_out_as_its_owner_uploads_it(
    index: Any, shop: Workshop, tmp_path: Path
) -> None:
    demo = {"demo/app.py": "print(1)\n", "demo/requirements.txt": "bird\n"}
    inside = {"README.md": README.decode(), "index.js": "", **demo}
    index.publish("bird", "1.0.0", node_package("bird", "1.0.0", inside, license="Apache-2.0"))
    found = KINDLY.resolve("space:npm:bird@1.0.0//demo", shop)
    source, pin = found.source, found.pin
    assert isinstance(source, Source) and isinstance(pin, Pin) and source.published is not None
    assert (found.name, source.folder, found.licence) == ("bird/demo", "demo", "mit")
    assert pin.commit is not None and pin.revision is None
    files = handed(found, pin, shop, tmp_path / "subject")
    assert files == {"README.md": README, "app.py": b"print(1)\n", "requirements.txt": b"bird\n"}
    task = " ".join(KINDLY.task(subject(found), pin).split())
    assert f"from demo of the published archive {source.published.file}" in task and "it says nothing" in task

    with pytest.raises(PinMismatch, match=r"but d{40} was pinned"):
        KINDLY.fetch(subject(found), Pin(commit="d" * 40), shop)
    with pytest.raises(PinMismatch, match="lacks the commit"):
        KINDLY.fetch(subject(found), Pin(revision="e" * 40, files=_a_file()), shop)
    elsewhere = subject(found).model_copy(update={"source": source.model_copy(update={"folder": "docs"})})
    with pytest.raises(PinMismatch, match="has no folder docs"):
        KINDLY.hand_in(elsewhere, pin, KINDLY.fetch(elsewhere, pin, shop), tmp_path / "subject")


def _a_file() -> tuple[HubFile, ...]:
    return (HubFile(path="README.md", size=1, sha256="0" * 64),)


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (Source, {}),
        (Source, {"name": "ada/greeter", "folder": "demo"}),
        (Source, {"name": "../x"}),
        (Source, {"published": PUBLISHED, "folder": "../x"}),
        (Source, {"published": PUBLISHED, "name": "ada/greeter"}),
        (Pin, {}),
        (Pin, {"revision": "a" * 40}),
        (Pin, {"commit": "a" * 40, "revision": "a" * 40, "files": [{"path": "a", "size": 1, "sha256": "0" * 64}]}),
        (Pin, {"revision": "a" * 40, "files": [{"path": "../a", "size": 1, "sha256": "0" * 64}]}),
        (Pin, {"commit": "short"}),
    ],
)
def test_a_record_that_names_no_place_or_too_many_is_refused(model: Any, given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(given)
