"""`argusic pool add` with an image, as a person runs it: what it lacks is said, and what is written is valid."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import cast

import pytest

from argusic.database.database import Database
from argusic.records.sources.container_image import Source
from tests.image_registry import MANIFEST, ImageRegistry, an_image, layer
from tests.program import argusic

ROOT = Path(__file__).parents[4]
LABELS = {
    "org.opencontainers.image.description": "Tells of birds. Run it with docker run --rm birds",
    "org.opencontainers.image.licenses": "MIT",
}


@pytest.fixture
def base(tmp_path: Path) -> Database:
    folder = tmp_path / "referee"
    for name in ("pool", "rules", "docs"):
        shutil.copytree(ROOT / name, folder / name)
    return Database(folder, cache_folder=tmp_path / "cache")


def test_an_image_that_says_how_it_is_run_is_added_with_what_its_labels_say(
    base: Database, registry: ImageRegistry
) -> None:
    registry.put("lab/birds", "1", an_image(layer(("birds", b"#!")), settings={"Labels": LABELS}), MANIFEST)
    done = argusic(base, "pool", "add", f"docker://{registry.host}/lab/birds:1", "--language", "C", "--yes")
    assert done.returncode == 0, done.stderr
    subject = base.subject("container-image/lab--birds")
    source = cast(Source, subject.source)
    assert (source.registry, source.repository, source.tag) == (registry.host, "lab/birds", "1")
    assert (subject.licence, subject.languages, subject.summary) == ("MIT", ("C",), "Tells of birds.")


def test_an_image_that_says_nothing_is_refused_until_its_description_is_written_down(
    base: Database, registry: ImageRegistry, tmp_path: Path
) -> None:
    registry.put("lab/birds", "1", an_image(layer(("birds", b"#!"))), MANIFEST)
    done = argusic(base, "pool", "add", f"docker://{registry.host}/lab/birds:1", "--licence", "MIT", "--yes")
    assert done.returncode == 2 and "image:FILE" in done.stderr and "no README, card or description" in done.stderr
    file = tmp_path / "birds.yaml"
    file.write_text(
        f"schema: 1\nsource:\n  kind: container-image\n  registry: {registry.host}\n  repository: lab/birds\n"
        '  tag: "1"\n  description: |\n    Tells of birds.\n\n        docker run --rm birds\n'
    )
    done = argusic(base, "pool", "add", f"image:{file}", "--licence", "MIT", "--yes")
    assert done.returncode == 0, done.stderr
    assert "docker run --rm birds" in str(cast(Source, base.subject("container-image/lab--birds").source).description)
