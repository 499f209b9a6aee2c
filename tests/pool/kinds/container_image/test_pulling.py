"""An image is pulled by digest from a registry over a real socket; what does not fit its pin ends before it runs."""

from __future__ import annotations

import gzip
import json
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from argusic.errors import EnvironmentLack, InputError
from argusic.pool.images import layers
from argusic.pool.kinds.container_image import ContainerImageKind
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable, Workshop
from argusic.records.image import PinnedLayer
from argusic.records.sources.container_image import Pin, Source
from argusic.records.subject import Subject
from argusic.runs.happened import ending_of
from tests.image_registry import (
    INDEX,
    LAYER,
    MANIFEST,
    AnImage,
    ImageRegistry,
    Wrong,
    an_image,
    an_index,
    digest,
    entry,
    layer,
)
from tests.pool.kinds.container_image.conftest import a_workshop

DESCRIBED = {"Labels": {"org.opencontainers.image.description": "Tells of birds: docker run --rm birds"}}
BIRDS = layer(("bin/birds", b"#!/bin/sh\necho albatross\n"), ("etc/birds", b"351\n"))
DOCKER = "application/vnd.docker"


def birds(**options: Any) -> AnImage:
    return an_image(BIRDS, settings={"Cmd": ["birds"], **DESCRIBED}, **options)


def added(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tag: str = "1"
) -> tuple[Subject, Pin]:
    """Add the image as a user does, and return it with its pin."""
    found = images.resolve(f"docker://{registry.host}/lab/birds:{tag}", workshop)
    return Subject(kind="container-image", slug="birds", name=found.name, source=found.source), cast(Pin, found.pin)


def test_an_image_is_pinned_by_every_digest_and_comes_out_of_another_cache_the_same(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tmp_path: Path
) -> None:
    image, other = birds(), birds(architecture="arm64")
    registry.put("lab/birds", "x", image)
    registry.put("lab/birds", "y", other)
    index = registry.name("lab/birds", "1", an_index(arm64=other, amd64=image), INDEX)
    subject, pin = added(images, registry, workshop)
    assert pin == Pin(
        manifest=digest(image.manifest),
        index=index,
        platform="linux/amd64",
        config=digest(image.config),
        layers=(PinnedLayer(digest=digest(image.layers[0]), size=len(image.layers[0]), content=digest(BIRDS)[7:]),),
        description=pin.description,
    )
    cached = images.fetch(subject, pin, a_workshop(tmp_path / "another"))
    folder = tmp_path / "subject"
    folder.mkdir()
    images.hand_in(subject, pin, cached, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["DESCRIPTION.md", "docker", "image", "machine"]
    assert "docker run --rm birds" in (folder / "DESCRIPTION.md").read_text()
    entry_ = json.loads((folder / "image/index.json").read_bytes())["manifests"][0]
    assert entry_["digest"] == pin.manifest
    assert entry_["annotations"]["io.containerd.image.name"] == f"{registry.host}/lab/birds"
    task = images.task(subject, pin)
    assert pin.manifest in task and "DESCRIPTION.md" in task and "no container engine" in task


def test_what_is_in_the_cache_is_proved_again_and_fetched_anew_where_it_is_damaged(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop
) -> None:
    registry.put("lab/birds", "1", birds())
    subject, pin = added(images, registry, workshop)
    registry.held.asked.clear()
    cached = images.fetch(subject, pin, workshop)
    assert registry.held.asked == []
    blob = cached / "blobs/sha256" / pin.layers[0].digest[7:]
    blob.write_bytes(blob.read_bytes()[:-1])
    cached = images.fetch(subject, pin, workshop)
    assert digest((cached / "blobs/sha256" / pin.layers[0].digest[7:]).read_bytes()) == pin.layers[0].digest


def test_the_shape_that_docker_writes_is_read_as_well(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop
) -> None:
    manifest = f"{DOCKER}.distribution.manifest.v2+json"
    kinds = (manifest, f"{DOCKER}.container.image.v1+json", f"{DOCKER}.image.rootfs.diff.tar.gzip")
    registry.put("lab/birds", "1", birds(kinds=kinds), manifest)
    subject, pin = added(images, registry, workshop)
    assert images.fetch(subject, pin, workshop).is_dir()


@pytest.mark.parametrize("part", ["index", "manifest", "config", "layer"])
def test_a_part_with_other_bytes_than_its_digest_says_stops_it_and_nothing_is_kept(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tmp_path: Path, part: str
) -> None:
    image = birds()
    registry.put("lab/birds", "x", image)
    index = registry.name("lab/birds", "1", an_index(amd64=image), INDEX)
    subject, pin = added(images, registry, workshop)
    ends = {"index": index, "manifest": pin.manifest, "config": pin.config, "layer": pin.layers[0].digest}
    registry.held.wrong = Wrong(ends[part], instead=lambda body: body[:-1] + b" ")
    with pytest.raises(PinMismatch, match="has the digest"):
        images.fetch(subject, pin, a_workshop(tmp_path / "another"))
    assert not [path for path in (tmp_path / "another/images").iterdir() if not path.name.startswith(".")]


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ("config", "names the configuration"),
        ("layers", "names other layers"),
        ("index", "the pinned image is not there"),
        ("platform", "its configuration is for"),
    ],
)
def test_a_pin_of_other_parts_than_the_manifest_names_stops_it(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tmp_path: Path, field: str, says: str
) -> None:
    registry.put("lab/birds", "1", birds())
    subject, pin = added(images, registry, workshop)
    other: dict[str, Any] = {
        "config": digest(b""),
        "layers": (pin.layers[0].model_copy(update={"size": 1}),),
        "index": digest(b"no list"),
        "platform": "linux/amd64/v3",
    }
    wrong = pin.model_copy(update={field: other[field]})
    with pytest.raises((PinMismatch, SubjectUnavailable), match=says):
        images.fetch(subject, wrong, a_workshop(tmp_path / "another"))


def test_a_description_that_is_not_the_pinned_one_is_not_handed_in(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tmp_path: Path
) -> None:
    registry.put("lab/birds", "1", birds())
    subject, pin = added(images, registry, workshop)
    cached = images.fetch(subject, pin, workshop)
    changed = subject.model_copy(
        update={"source": cast(Source, subject.source).model_copy(update={"description": "docker run it"})}
    )
    with pytest.raises(PinMismatch, match="its description"):
        images.hand_in(changed, pin, cached, tmp_path)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (Wrong("", status=503), "answers 503"),
        (Wrong("", status=429), "answers 429"),
        (Wrong("", stall=2), "could not be asked"),
        (Wrong("", cut=20), "could not be asked"),
        (Wrong("", status=404), "shows nobody"),
        (Wrong("", leads="http://127.0.0.1:PORTPATH"), "onwards more than"),
        (Wrong("", leads="http://10.0.0.1/x"), "an address that is not followed"),
        (Wrong("", leads="https://10.0.0.1/x"), "a private address"),
        (Wrong("", leads="https://169.254.169.254/x"), "169.254.169.254"),
        (Wrong("", leads="file:///etc/passwd"), "an address that is not followed"),
        (Wrong("", leads="https://["), "an address that is not followed"),
        (Wrong("", leads="//[x/y"), "an address that is not followed"),
        (Wrong("", leads="https://user:word@registry.invalid/x"), "an address that is not followed"),
    ],
)
def test_a_registry_that_is_down_in_the_middle_of_a_pull_makes_the_subject_unavailable(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tmp_path: Path, wrong: Wrong, says: str
) -> None:
    registry.put("lab/birds", "1", birds())
    subject, pin = added(images, registry, workshop)
    leads = wrong.leads.replace("PORT", str(registry.port)) if wrong.leads else None
    registry.held.wrong = Wrong(pin.layers[0].digest, wrong.status, None, wrong.cut, wrong.stall, leads)
    with pytest.raises(SubjectUnavailable, match=says) as raised:
        images.fetch(subject, pin, a_workshop(tmp_path / "another"))
    assert ending_of(raised.value).how == "subject_unavailable"
    assert not [path for path in (tmp_path / "another/images").iterdir() if not path.name.startswith(".")]


def test_a_registry_that_is_gone_makes_the_subject_unavailable(images: ContainerImageKind, tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        target = f"docker://127.0.0.1:{held.getsockname()[1]}/lab/birds:1"
        with pytest.raises(SubjectUnavailable, match="could not be asked"):
            images.resolve(target, a_workshop(tmp_path))


def test_more_bytes_than_were_pinned_are_not_waited_for(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tmp_path: Path
) -> None:
    registry.put("lab/birds", "1", birds())
    subject, pin = added(images, registry, workshop)
    registry.held.wrong = Wrong(pin.layers[0].digest, instead=lambda body: body + bytes(5_000_000))
    with pytest.raises(PinMismatch, match="more than its"):
        images.fetch(subject, pin, a_workshop(tmp_path / "another"))


def test_a_private_address_is_refused_before_anything_is_sent(images: ContainerImageKind, workshop: Workshop) -> None:
    with pytest.raises(SubjectUnavailable, match="a private address"):
        images.resolve("docker://10.1.2.3:5000/lab/birds:1", workshop)


def test_a_registry_that_wants_a_token_gets_one_and_no_other_host_gets_to_see_it(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop
) -> None:
    image = birds()
    registry.put("lab/birds", "1", image)
    registry.held.token = "for-birds"
    with ImageRegistry() as other:
        other.held.found[f"/v2/lab/birds/blobs/{digest(image.layers[0])}"] = (image.layers[0], "")
        registry.held.wrong = Wrong(digest(image.layers[0]), leads=f"http://{other.host}PATH")
        added(images, registry, workshop)
        assert [token for _, token in other.held.asked] == [None]
    assert registry.held.asked[-1][1] == "Bearer for-birds"


@pytest.mark.parametrize(
    ("service", "challenge", "says"),
    [
        (b"<html>sorry</html>", None, "gives no token"),
        (b"[" * 100_000, None, "gives no token"),
        (b'{"token": 7}', None, "gives no token"),
        (json.dumps({"token": "a\nHost: b"}).encode(), None, "gives no token"),
        (bytes(2_000_000), None, "sends more than"),
        (None, "Bearer service=images", "does not say from where"),
        (None, 'Bearer realm="file:///etc/passwd"', "does not say from where"),
        (None, 'Bearer realm="http://10.0.0.1/token"', "not followed"),
        (None, 'Bearer realm="https://["', "not followed"),
        (None, "nonsense", "does not say from where"),
    ],
)
def test_a_token_service_that_answers_nonsense_makes_the_subject_unavailable(
    images: ContainerImageKind,
    registry: ImageRegistry,
    workshop: Workshop,
    service: bytes | None,
    challenge: str | None,
    says: str,
) -> None:
    registry.put("lab/birds", "1", birds())
    registry.held.token, registry.held.service, registry.held.challenge = "t", service, challenge
    with pytest.raises(SubjectUnavailable, match=says):
        added(images, registry, workshop)


def test_an_image_for_which_one_has_to_log_in_is_none_that_can_be_added(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop
) -> None:
    registry.put("lab/birds", "1", birds())
    registry.held.token, registry.held.challenge = "t", 'Basic realm="images"'
    with pytest.raises(InputError, match="only to those who log in"):
        added(images, registry, workshop)


def set_layer(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest["layers"][0].update(values)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (set_layer(urls=["https://elsewhere.invalid/layer"]), "fetched from elsewhere"),
        (set_layer(mediaType=f"{DOCKER}.image.rootfs.foreign.diff.tar.gzip"), "which is not read here"),
        (set_layer(mediaType="application/vnd.oci.image.layer.v1.tar+zstd"), "which is not read here"),
        (set_layer(size=10**12), "is the most"),
        (set_layer(size=-1), "is the most"),
        (set_layer(digest="sha512:00"), "sha256 digest"),
        (set_layer(digest="sha256:../../x"), "sha256 digest"),
        (lambda manifest: manifest.update(layers=[{}] * 300), "no list of at most"),
        (lambda manifest: manifest["config"].update(mediaType="application/vnd.cncf.helm.config.v1+json"), "no image"),
        (lambda manifest: manifest.pop("config"), "has no config"),
        (lambda manifest: manifest.update(mediaType="application/vnd.unknown"), "which is not read here"),
    ],
)
def test_a_manifest_that_no_honest_image_has_is_refused(
    images: ContainerImageKind,
    registry: ImageRegistry,
    workshop: Workshop,
    change: Callable[[dict[str, Any]], None],
    says: str,
) -> None:
    registry.put("lab/birds", "1", birds(change=change))
    with pytest.raises(InputError, match=says):
        added(images, registry, workshop)


def test_an_image_for_no_platform_of_this_machine_is_refused(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop
) -> None:
    registry.name("lab/birds", "1", an_index(s390x=birds(architecture="s390x")), INDEX)
    with pytest.raises(InputError, match="there is none for linux/amd64, only for linux/s390x"):
        added(images, registry, workshop)


@pytest.mark.parametrize(
    ("held", "says"),
    [
        (("../etc/passwd", b"x"), "not within the image"),
        (("a/../../x", b"x"), "not within the image"),
        (("a/.wh...", b""), "not within the image"),
        ((".wh..", b""), "not within the image"),
        (entry("dev/sda", tarfile.BLKTYPE), "a device"),
        (entry("dev/null", tarfile.CHRTYPE), "a device"),
        (entry("pipe", tarfile.FIFOTYPE), "a device"),
        (entry("here", tarfile.LNKTYPE, "../../etc/shadow"), "a link to a file that is not within"),
    ],
)
def test_a_layer_that_holds_what_must_not_be_unpacked_is_refused_before_anything_is(
    images: ContainerImageKind,
    registry: ImageRegistry,
    workshop: Workshop,
    tmp_path: Path,
    held: tuple[str, bytes] | tarfile.TarInfo,
    says: str,
) -> None:
    registry.put("lab/birds", "1", an_image(layer(held)))
    with pytest.raises(InputError, match=says):
        added(images, registry, workshop)


def test_a_layer_that_unpacks_to_more_than_there_is_room_for_is_refused(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layers.Room.__init__, "__defaults__", (2_000_000, 500))
    registry.put("lab/birds", "1", an_image(layer(("zeros", bytes(4_000_000)))))
    with pytest.raises(InputError, match="bytes unpacked, the most"):
        added(images, registry, workshop)
    registry.put("lab/birds", "1", an_image(layer(*((f"f{number}", b"") for number in range(600)))))
    with pytest.raises(InputError, match="files"):
        added(images, registry, workshop)


def test_a_file_is_not_described_at_any_length(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop
) -> None:
    long = tarfile.TarInfo("x")
    long.pax_headers = {"comment": "y" * 3_000_000}
    registry.put("lab/birds", "1", an_image(layer(long)))
    with pytest.raises(InputError, match="describes a file at a length"):
        added(images, registry, workshop)


@pytest.mark.parametrize("content", [b"no archive", gzip.compress(BIRDS)[:-30], b""])
def test_a_layer_that_is_damaged_is_refused(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, content: bytes
) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["layers"] = [{"mediaType": LAYER, "digest": digest(content), "size": len(content)}]

    image = birds(change=change)
    registry.put("lab/birds", "1", AnImage(image.manifest, image.config, (content,)))
    with pytest.raises(InputError, match="cannot be read"):
        added(images, registry, workshop)


def test_a_layer_that_holds_something_else_than_the_configuration_lists_is_refused(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop
) -> None:
    registry.put("lab/birds", "1", birds(contents=[digest(b"other")]))
    with pytest.raises(InputError, match=r"holds sha256:.* where its configuration lists"):
        added(images, registry, workshop)


def test_where_no_sandbox_could_run_it_the_machine_is_named_and_no_agent_is_blamed(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tmp_path: Path
) -> None:
    registry.put("lab/birds", "1", birds())
    subject, pin = added(images, registry, workshop)
    with pytest.raises(EnvironmentLack, match="has no PRoot"):
        images.fetch(subject, pin, a_workshop(tmp_path / "another", status=1))
    with pytest.raises(EnvironmentLack, match="for linux/s390x, and this machine"):
        images.fetch(subject, pin.model_copy(update={"platform": "linux/s390x"}), workshop)


def test_an_image_that_says_no_command_is_added_with_a_note_that_says_what_to_do(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop
) -> None:
    registry.put("lab/birds", "1", an_image(BIRDS), MANIFEST)
    found = images.resolve(f"docker://{registry.host}/lab/birds:1", workshop)
    assert found.readme is False and "image:FILE" in found.notes[0]
    assert cast(Pin, found.pin).description is None


def test_labels_that_say_halves_of_characters(
    images: ContainerImageKind, registry: ImageRegistry, workshop: Workshop, tmp_path: Path
) -> None:
    labels = {"org.opencontainers.image.description": "Tells of \ud800: docker run birds", "\udfff": "x"}
    registry.put("lab/birds", "1", an_image(BIRDS, settings={"Cmd": ["birds"], "Labels": labels}))
    subject, pin = added(images, registry, workshop)
    images.hand_in(subject, pin, images.fetch(subject, pin, workshop), tmp_path)
    assert "Tells of ?: docker run birds" in (tmp_path / "DESCRIPTION.md").read_text()


@pytest.mark.parametrize("file", ["", "~nobody-of-this-name/x", "\0", "/dev/zero", "/nowhere/x"])
def test_a_recipe_that_cannot_be_read(images: ContainerImageKind, workshop: Workshop, file: str) -> None:
    with pytest.raises(InputError, match=r"^The recipe "):
        images.resolve(f"image:{file}", workshop)
