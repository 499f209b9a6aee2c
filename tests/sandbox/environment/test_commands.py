"""`argusic environment` as a person types it, where nothing is built: what it says, and with which exit status."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import ENVIRONMENT_PATH, PACKAGES_PATH, RECIPE_PATH
from argusic.errors import CheckFailed
from argusic.records.environment import Environment, Image, Packages
from argusic.referee.check import check
from argusic.referee.probes.environment import builder, published_environment
from argusic.sandbox.environment.build import Keep, differing, hold_to_record, record
from argusic.sandbox.environment.planning import planned
from tests.program import Done, argusic
from tests.sandbox.environment.made import SHA, packages, recipe


def image(content: str, digest: str = SHA, **fields: object) -> Image:
    facts: dict[str, object] = {
        "name": "published",
        "content": content,
        "image": f"sha256:{digest}",
        "manifest": f"sha256:{digest}",
        "layer": digest,
        "layer_bytes": 1_000_000_000,
        "packages": 3,
        "built_with": "mmdebstrap 1.3.5",
    }
    return Image.model_validate({**facts, **fields})


@pytest.fixture
def base(tmp_path: Path) -> Database:
    """Return a database that holds nothing but an environment, of which no image was built."""
    root = tmp_path / "referee"
    (root / "pool").mkdir(parents=True)
    made = Database(root, cache_folder=tmp_path / "cache")
    made.write(RECIPE_PATH, recipe())
    made.write(PACKAGES_PATH, packages())
    record(made, [image(planned(made, "published").content), image(planned(made, "small").content, name="small")])
    return made


@pytest.fixture
def no_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take every program away."""
    monkeypatch.setenv("PATH", str(tmp_path))


def run(base: Database, *words: str, path: str | None = None) -> Done:
    return argusic(base, "environment", *words, PATH=path or os.environ["PATH"])


def test_show_says_what_is_published_and_how_to_get_it(base: Database, tmp_path: Path) -> None:
    done = run(base, "show", path=str(tmp_path))
    assert done.returncode == 0
    assert f"published: sha256:{SHA}, 1,000 MB, 3 packages." in done.stdout
    assert "environment build" in done.stdout
    shown = json.loads(run(base, "show", "--json", path=str(tmp_path)).stdout)
    assert [(one["name"], one["loaded"], one["folder"]) for one in shown["images"]] == [
        ("published", False, None),
        ("small", False, None),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check",), "Docker does not have the published image."),
        (("unpack", "x"), "No build of the published image is kept here, which is what is unpacked."),
    ],
    ids=["check", "unpack"],
)
def test_an_image_that_is_not_here_is_named_with_the_command_that_builds_it(
    base: Database, words: tuple[str, ...], said: str
) -> None:
    done = run(base, *words)
    assert done.returncode == 3
    assert f"{said} Build it with:" in done.stderr


def test_nothing_is_checked_where_nothing_is_published(base: Database) -> None:
    base.remove(ENVIRONMENT_PATH)
    done = run(base, "check")
    assert done.returncode == 1
    assert "names no published image" in done.stderr


def test_recording_goes_with_the_pinned_images_alone(base: Database) -> None:
    done = run(base, "build", "--record", "--newest")
    assert done.returncode == 2
    assert "--record builds both images" in done.stderr


def test_a_machine_without_apt_is_told_so(base: Database, tmp_path: Path) -> None:
    done = run(base, "build", path=str(tmp_path))
    assert done.returncode == 3
    assert "knows no Debian mirror" in done.stderr or "Debian's signing keys are not here" in done.stderr


def test_an_image_that_is_not_the_recorded_one_is_an_error_that_names_both(base: Database) -> None:
    content = planned(base, "published").content
    hold_to_record(base, image(content))
    with pytest.raises(CheckFailed, match=rf"sha256:{SHA}; here the same packages came to sha256:{'1' * 64}"):
        hold_to_record(base, image(content, "1" * 64))


def test_an_image_of_another_list_says_that_the_list_changed() -> None:
    said = differing(Environment(images=(image(SHA),)), image("1" * 64))
    assert said is not None
    assert "the recipe or the package list changed since" in said
    assert differing(None, image(SHA)) == "names no published image."


def findings(base: Database) -> list[str]:
    return [str(finding) for finding in check(base) if "environment" in str(finding.place)]


def test_check_is_content_where_recipe_list_and_record_agree(base: Database) -> None:
    assert findings(base) == []


def test_check_finds_a_list_that_changed_since_the_image_was_built(base: Database) -> None:
    base.write(PACKAGES_PATH, packages(release="Debian 13.9", wheels=()), replace=True)
    assert findings(base) == [
        f"{PACKAGES_PATH}: lacks what the recipe asks for: node==24.0. `argusic environment renew` writes it anew."
    ]
    base.write(PACKAGES_PATH, packages(packages=(f"jq 1.8 {SHA}", f"libjq1 1.8 {SHA}")), replace=True)
    assert [finding.partition(": images")[0] for finding in findings(base)] == [str(ENVIRONMENT_PATH)] * 2


def test_check_finds_a_recipe_without_a_list(base: Database) -> None:
    base.remove(PACKAGES_PATH)
    assert any("packages.yaml is missing" in finding for finding in findings(base))


@pytest.mark.usefixtures("no_programs")
def test_doctor_says_that_the_image_is_not_here_and_what_builds_it(base: Database) -> None:
    probe = published_environment(base)
    assert not probe.ok
    assert not probe.needed
    assert probe.found == f"sha256:{SHA[:12]} (1,000 MB) is not here."
    assert probe.mend is not None
    assert probe.mend.endswith("apt-get install -y mmdebstrap debian-archive-keyring && argusic environment build")


@pytest.mark.usefixtures("no_programs")
def test_doctor_says_that_the_image_is_built_and_in_no_engine(base: Database) -> None:
    content = planned(base, "published").content
    folder = base.cache_folder / "environment/images" / content
    folder.mkdir(parents=True)
    (folder / "image.json").write_text(image(content).model_dump_json())
    probe = published_environment(base)
    assert probe.found.endswith("is built, and no engine has it.")
    assert probe.mend == "argusic environment build"


def test_doctor_reads_a_database_without_an_environment(base: Database) -> None:
    base.remove(ENVIRONMENT_PATH)
    assert published_environment(base).found == "None is published yet."


@pytest.mark.usefixtures("no_programs")
def test_doctor_says_what_an_image_is_built_with() -> None:
    probe = builder()
    assert not probe.ok
    assert probe.mend is not None
    assert "mmdebstrap debian-archive-keyring" in probe.mend


def test_the_records_are_written_as_they_are_read(base: Database) -> None:
    assert dump(base.read(PACKAGES_PATH, Packages)) == base.read_bytes(PACKAGES_PATH)
    assert dump(base.read(ENVIRONMENT_PATH, Environment)) == base.read_bytes(ENVIRONMENT_PATH)


def test_recording_forgets_images_and_files_of_other_contents(base: Database) -> None:
    keep, said = Keep(base), [planned(base, "published").content, "0" * 64]
    for content in said:
        (keep.folder / "images" / content).mkdir(parents=True)
    for digest in (SHA, "1" * 64):
        keep.files.path(digest).touch()
    record(base, [image(said[0])])
    assert [path.name for path in (keep.folder / "images").iterdir()] == said[:1]
    assert [path.name for path in keep.files.folder.iterdir()] == [SHA]


def test_an_unfinished_build_is_no_image(base: Database) -> None:
    unfinished = base.cache_folder / f"environment/images/unfinished-{planned(base, 'small').content}"
    unfinished.mkdir(parents=True)
    shown = json.loads(run(base, "show", "--json").stdout)
    assert [one["folder"] for one in shown["images"]] == [None, None]
    shutil.rmtree(unfinished)
