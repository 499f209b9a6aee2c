"""An image that is made from published builds is the same whoever makes it, and a reader sees that it is made."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import ValidationError

from argusic.database.codec import dump, parse_record
from argusic.errors import InputError
from argusic.pool.kinds.container_image import KIND, ContainerImageKind
from argusic.pool.kinds.protocol import PinMismatch, Workshop
from argusic.records.image import ImageLayer, ImageLink, ImageText
from argusic.records.sources.container_image import Pin, Source
from argusic.records.subject import Subject

TOP = Path(__file__).parents[4]
RECIPE = """\
schema: 1
source:
  kind: container-image
  repository: birds
  made:
    layers:
      - published: {ecosystem: pypi, name: birds-bin, version: "1.0", file: birds_bin-1.0-py3-none-any.whl, sha256: SHA}
        files:
          - {take: birds_bin-1.0.data/scripts/birds, to: usr/bin/birds, executable: true}
          - {take: birds/songs/, to: usr/share/songs}
      - texts:
          - {to: etc/passwd, text: "root:x:0:0::/root:/bin/sh\\n"}
        links:
          - {at: bin, leads: usr/bin}
        folders: [tmp]
    settings:
      entrypoint: [birds]
      command: [sing]
      environment: [LANG=C]
      folder: /srv
      user: root
      ports: [8080/tcp]
      volumes: [/data]
      labels: {org.opencontainers.image.licenses: MIT}
  description: |
    Birds sing.

        docker run --rm birds
"""
#: Whoever changes how images are made changes this, and every pin of one.
DIGEST = "sha256:a551c4c43ee1a09f5eb00c5fbbe15186d5e45596f66d1e5aca798d536792cd08"


MADE = {"layers": [{"folders": ["tmp"]}], "settings": {}}


def published(cache: Path) -> str:
    """Put a wheel where published files are cached, and return its digest."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in {
            "birds_bin-1.0.data/scripts/birds": "#!/bin/sh\necho song\n",
            "birds/songs/albatross": "low\n",
            "birds/songs/terns/little": "high\n",
            "birds/__init__.py": "",
        }.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text)
    sha256 = hashlib.sha256(data.getvalue()).hexdigest()
    folder = cache / "packages" / sha256
    folder.mkdir(parents=True)
    (folder / "birds_bin-1.0-py3-none-any.whl").write_bytes(data.getvalue())
    return sha256


@pytest.fixture
def recipe(workshop: Workshop, tmp_path: Path) -> Path:
    file = tmp_path / "birds.yaml"
    file.write_text(RECIPE.replace("SHA", published(workshop.cache)))
    return file


def test_a_recipe_makes_the_same_image_byte_for_byte(
    images: ContainerImageKind, workshop: Workshop, recipe: Path, tmp_path: Path
) -> None:
    found = images.resolve(f"image:{recipe}", workshop)
    pin = cast(Pin, found.pin)
    assert pin.manifest == DIGEST
    assert (found.name, found.licence, found.readme, found.summary) == ("birds", "MIT", True, "Birds sing.")
    subject = Subject(kind="container-image", slug="birds", name="birds", source=found.source)
    images_folder = workshop.cache / "images"
    (images_folder / pin.manifest[7:]).rename(tmp_path / "first")
    cached = images.fetch(subject, pin, workshop)
    for part in (tmp_path / "first").rglob("sha256/*"):
        assert (cached / "blobs/sha256" / part.name).read_bytes() == part.read_bytes()
    with tarfile.open(cached / "blobs/sha256" / pin.layers[0].digest[7:]) as archive:
        held = {entry.name: (entry.mode, entry.uid, entry.mtime) for entry in archive if entry.isfile()}
    assert held == {
        "usr/bin/birds": (0o755, 0, 946684800),
        "usr/share/songs/albatross": (0o644, 0, 946684800),
        "usr/share/songs/terns/little": (0o644, 0, 946684800),
    }
    assert "made from published builds" in images.task(subject, pin)


def test_a_recipe_that_makes_another_image_than_was_pinned_stops_it(
    images: ContainerImageKind, workshop: Workshop, recipe: Path
) -> None:
    found = images.resolve(f"image:{recipe}", workshop)
    recipe.write_text(recipe.read_text().replace("sing]", "shout]"))
    other = images.resolve(f"image:{recipe}", workshop)
    subject = Subject(kind="container-image", slug="birds", name="birds", source=other.source)
    with pytest.raises(PinMismatch, match=r"makes the image sha256:.* was pinned"):
        images.fetch(subject, cast(Pin, found.pin).model_copy(update={"manifest": f"sha256:{'0' * 64}"}), workshop)


def test_a_build_without_what_a_recipe_takes_of_it_makes_no_image(
    images: ContainerImageKind, workshop: Workshop, recipe: Path
) -> None:
    found = images.resolve(f"image:{recipe}", workshop)
    recipe.write_text(recipe.read_text().replace("scripts/birds,", "scripts/fish,"))
    with pytest.raises(InputError, match=r"birds_bin-1.0-py3-none-any.whl has no birds_bin-1.0.data/scripts/fish"):
        images.resolve(f"image:{recipe}", workshop)
    source = cast(Source, found.source).model_dump()
    source["made"]["layers"][0]["files"][0]["take"] = "nothing"
    subject = Subject(kind="container-image", slug="birds", name="birds", source=Source.model_validate(source))
    with pytest.raises(PinMismatch, match="its recipe makes no image"):
        images.fetch(subject, cast(Pin, found.pin).model_copy(update={"manifest": f"sha256:{'0' * 64}"}), workshop)


@pytest.mark.parametrize("name", ["a/../b", "/etc/passwd", "..", "a//b", "a\\b", "a\nb", ""])
def test_no_path_of_a_recipe_leads_out_of_the_image(name: str) -> None:
    with pytest.raises(ValidationError, match=r"path within the image|Input should"):
        ImageText(to=name, text="x")
    with pytest.raises(ValidationError):
        ImageLink(at=name, leads="x")


@pytest.mark.parametrize(
    "wrong",
    [
        {"repository": "birds"},
        {
            "repository": "birds",
            "registry": "registry.invalid",
            "made": {"layers": [{"folders": ["tmp"]}], "settings": {}},
        },
        {"repository": "Birds", "registry": "registry.invalid"},
        {"repository": "birds", "registry": "registry"},
        {"repository": "birds", "registry": "user@registry.invalid"},
        {"repository": "../birds", "registry": "registry.invalid"},
        {"repository": "birds", "registry": "registry.invalid", "tag": "../x"},
        {"repository": "birds", "tag": "1", "made": MADE},
        {"repository": "birds", "made": {"layers": [], "settings": {}}},
        {"repository": "birds", "made": {"layers": [{}], "settings": {}}},
    ],
)
def test_a_source_is_an_image_of_a_registry_or_one_that_is_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Source.model_validate(wrong)


def test_a_layer_takes_files_of_a_build_or_writes_its_own() -> None:
    with pytest.raises(ValidationError, match="what is taken of it"):
        ImageLayer.model_validate({"files": [{"take": "x", "to": "y"}]})


@pytest.mark.parametrize(
    "content", ["source: [", "source: {kind: package}", "x: 1", "source: {repository: a, registry: b.c, x: 1}"]
)
def test_a_file_that_holds_no_recipe_is_refused_with_its_place(
    images: ContainerImageKind, workshop: Workshop, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(content)
    with pytest.raises(InputError) as raised:
        images.resolve(f"image:{file}", workshop)
    assert "recipe.yaml" in str(raised.value)
    with pytest.raises(InputError, match="cannot be read"):
        images.resolve(f"image:{tmp_path / 'none.yaml'}", workshop)


def test_the_subjects_of_the_pool_are_made_and_say_so() -> None:
    files = sorted((TOP / "pool/subjects/container-image").rglob("*.yaml"))
    assert len(files) >= 3
    for file in files:
        subject = parse_record(file.read_bytes(), Subject, file=file)
        source = cast(Source, subject.source)
        assert source.made is not None and source.registry is None
        assert "made by a recipe" in " ".join((source.description or "").split())
        assert subject.control is not None and subject.licence
        assert KIND.kind == subject.kind and dump(subject)
