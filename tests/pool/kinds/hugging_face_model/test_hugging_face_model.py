"""Models: pinned by revision and digests, from a hub or from an archive, laid out as the hub's client wants it."""

from __future__ import annotations

import array
import dataclasses
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from argusic.errors import InputError
from argusic.pool.archives import ArchiveUnusable
from argusic.pool.hub import cards
from argusic.pool.hub.answers import Listed
from argusic.pool.hub.carried import listed_in, repository_in, take_out
from argusic.pool.hub.choosing import counting
from argusic.pool.hub.client import Bounds
from argusic.pool.kinds.hugging_face_model import KIND, HuggingFaceModelKind
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable, Workshop
from argusic.pool.kinds.registry import recognise
from argusic.records.hub import HubFile
from argusic.records.sources.hugging_face_model import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER
from tests.hub_server import HubServer

CARD = """---
license: apache-2.0
---
# tiny

It [adds](https://example.org) **two** numbers. And more.

```python
from tiny import add
print(add(1, 2))
```
"""
KINDLY = HuggingFaceModelKind(pauses=(), bounds=Bounds(stall=1, look=20, fetch=20))


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture
def shop(workshop: Any, hub: HubServer) -> Workshop:
    made: Workshop = workshop.workshop
    return dataclasses.replace(made, environment={"HF_ENDPOINT": hub.url})


def subject(found: Resolved) -> Subject:
    return Subject(kind=KIND.kind, slug="tiny", name=found.name, source=found.source)


def tree(folder: Path) -> dict[str, bytes]:
    assert not any(path.is_symlink() for path in folder.rglob("*"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def archive(folder: Path, name: str, files: Mapping[str, bytes]) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as out:
        for inside, content in files.items():
            out.writestr(inside, content)
    return path


#: What a snippet's library does with a hub that it must not reach: it finds the model by name, and its numbers in it.
OFFLINE = """
import array, json, os, sys
from huggingface_hub import hf_hub_download, snapshot_download
folder = snapshot_download("ada/tiny")
assert snapshot_download("ada/tiny", revision=sys.argv[1]) == folder
data = open(hf_hub_download("ada/tiny", "weights/model.safetensors"), "rb").read()
size = int.from_bytes(data[:8], "little")
begin, end = json.loads(data[8 : 8 + size])["scale"]["data_offsets"]
print(array.array("f", data[8 + size + begin : 8 + size + end]).tolist(), sorted(os.listdir(folder)))
"""


def test_a_model_of_a_hub_is_pinned_and_found_offline_by_the_hubs_own_client(
    hub: HubServer, shop: Workshop, tmp_path: Path
) -> None:
    files = {"README.md": CARD.encode(), "weights/model.safetensors": weights(2.5, -1.0), ".gitattributes": b"*.bin\n"}
    revision = hub.add("model", "ada/tiny", files, card={"license": "apache-2.0"})
    found = KINDLY.resolve("hf:ada/tiny", shop)
    assert (found.name, found.licence, found.readme, found.summary) == (
        "ada/tiny", "apache-2.0", True, "It adds two numbers."
    )  # fmt: skip
    assert isinstance(found.pin, Pin) and found.pin.revision == revision
    assert [file.path for file in found.pin.files] == ["README.md", "weights/model.safetensors"]

    hub.add("model", "ada/tiny", {**files, "README.md": b"# newer\n"})
    folder = tmp_path / "subject"
    folder.mkdir()
    KINDLY.hand_in(subject(found), found.pin, KINDLY.fetch(subject(found), found.pin, shop), folder)
    assert (folder / "README.md").read_text(encoding="utf-8") == CARD
    variables = {key: value.replace(SUBJECT_FOLDER, str(folder)) for key, value in variables_of(found).items()}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, revision],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "HF_ENDPOINT": "http://127.0.0.1:9", **variables},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[2.5, -1.0] ['README.md', 'weights']", done.stderr
    task = KINDLY.task(subject(found), found.pin)
    assert revision in task and "ada/tiny" in task and '"the documented snippet produced output"' in task


def variables_of(found: Resolved) -> Mapping[str, str]:
    return KINDLY.variables(subject(found), found.pin)


def weights(*scale: float) -> bytes:
    """Return a model of one tensor, in the format that most weights have."""
    data = array.array("f", scale).tobytes()
    head = json.dumps({"scale": {"dtype": "F32", "shape": [len(scale)], "data_offsets": [0, len(data)]}}).encode()
    return len(head).to_bytes(8, "little") + head + data


def test_a_wrong_digest_or_revision_stops_before_anything_is_handed_in(hub: HubServer, shop: Workshop) -> None:
    revision = hub.add("model", "ada/tiny", {"a": b"as pinned"})
    right = HubFile(path="a", size=9, sha256="0" * 64)
    found = Resolved("ada/tiny", Source(name="ada/tiny"), Pin(revision=revision, files=(right,)), None)
    with pytest.raises(PinMismatch, match="sha256"):
        KINDLY.fetch(subject(found), found.pin, shop)
    with pytest.raises(SubjectUnavailable, match=f"no ada/tiny at {'b' * 40}"):
        KINDLY.fetch(subject(found), Pin(revision="b" * 40, files=(right,)), shop)
    with pytest.raises(PinMismatch, match="lacks the revision"):
        KINDLY.fetch(subject(found), Pin(files=(right,)), shop)


def test_a_model_that_is_not_there_not_open_or_too_much_is_refused(hub: HubServer, shop: Workshop) -> None:
    hub.add("model", "ada/closed", {"a": b""})
    hub.repositories["model", "ada/closed"].gated = True
    with pytest.raises(InputError, match="no such model"):
        KINDLY.resolve("hf:ada/none", shop)
    with pytest.raises(InputError, match="not open") as refused:
        KINDLY.resolve("hf:ada/closed", shop)
    assert "HF_TOKEN" in str(refused.value.advice)


def test_a_model_that_an_archive_carries_is_taken_from_there(index: Any, shop: Workshop, tmp_path: Path) -> None:
    inside = {"README.md": CARD.encode(), "1_Pool/config.json": b"{}", "model.safetensors": weights(1.0)}
    metadata = b"Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\nLicense-Expression: MIT\n\nA carrier.\n"
    files = {
        **{f"carrier/model/{path}": content for path, content in inside.items()},
        "carrier-1.0.dist-info/METADATA": metadata,
        "carrier-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "carrier-1.0.dist-info/RECORD": b"",
    }
    made = archive(tmp_path, "carrier-1.0-py3-none-any.whl", files)
    index.add("carrier", made.name, made.read_bytes())
    found = KINDLY.resolve("hf:ada/tiny+pypi:carrier==1.0", shop)
    source, pin = found.source, found.pin
    assert isinstance(source, Source) and isinstance(pin, Pin) and source.published is not None
    assert (source.name, source.folder, source.published.file) == ("ada/tiny", "carrier/model", made.name)
    assert pin.revision is None and [file.path for file in pin.files] == sorted(inside)
    assert found.licence == "apache-2.0"
    folder = tmp_path / "subject"
    folder.mkdir()
    KINDLY.hand_in(subject(found), pin, KINDLY.fetch(subject(found), pin, shop), folder)
    model = "hub/models--ada--tiny"
    laid = {f"{model}/snapshots/as-published/{path}": content for path, content in inside.items()}
    refs = {f"{model}/refs/{branch}": b"as-published" for branch in ("main", "as-published")}
    assert tree(folder) == {**laid, **refs, "README.md": CARD.encode()}
    # What libraries find `main` to be, they ask the files for.
    code = "from huggingface_hub import hf_hub_download as get; get('ada/tiny', 'README.md', revision='as-published')"
    offline = {key: value.replace(SUBJECT_FOLDER, str(folder)) for key, value in variables_of(found).items()}
    subprocess.run([sys.executable, "-c", code], env={"HOME": str(tmp_path), **offline}, check=True)
    assert "nothing is known" in " ".join(KINDLY.task(subject(found), pin).split())
    # A revision that nobody confirmed is not claimed.
    with pytest.raises(PinMismatch, match="says nothing of one"):
        KINDLY.fetch(subject(found), Pin(revision="a" * 40, files=pin.files), shop)
    with pytest.raises(PinMismatch, match="sha256"):
        wrong = (pin.files[0].model_copy(update={"sha256": "0" * 64}), *pin.files[1:])
        KINDLY.fetch(subject(found), Pin(files=wrong), shop)


def test_an_archive_without_a_repository_is_the_model_itself(index: Any, shop: Workshop, tmp_path: Path) -> None:
    metadata = f"Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\nSummary: Adds.\n\n{CARD}".encode()
    made = archive(
        tmp_path,
        "tiny-1.0-py3-none-any.whl",
        {
            "tiny/weights.onnx": b"\0",
            "tiny-1.0.dist-info/METADATA": metadata,
            "tiny-1.0.dist-info/WHEEL": b"Tag: py3\n",
        },
    )
    index.add("tiny", made.name, made.read_bytes())
    found = KINDLY.resolve("hf:ada/tiny+pypi:tiny==1.0", shop)
    folder = tmp_path / "subject"
    folder.mkdir()
    KINDLY.hand_in(subject(found), found.pin, KINDLY.fetch(subject(found), found.pin, shop), folder)
    assert tree(folder) == {made.name: made.read_bytes(), "README.md": CARD.encode()}
    assert "HF_HUB_CACHE" not in variables_of(found) and variables_of(found)["HF_HUB_OFFLINE"] == "1"
    assert f"{SUBJECT_FOLDER}/{made.name}" in KINDLY.task(subject(found), found.pin)
    other = HubFile(path="other.whl", size=1, sha256="0" * 64)
    with pytest.raises(PinMismatch, match=f"not {made.name}"):
        KINDLY.fetch(subject(found), Pin(files=(other,)), shop)


def test_nothing_of_an_archive_is_unpacked_by_the_name_that_it_gives(tmp_path: Path) -> None:
    hostile = archive(
        tmp_path,
        "hostile.zip",
        {"m/README.md": b"#", "m/w.bin": b"12345", "m/../../out": b"x", "/etc/out": b"x", "m/x/../y": b"x"},
    )
    assert repository_in(hostile) == "m"
    with pytest.raises(ArchiveUnusable, match=r"'m/\.\./\.\./out'"):
        listed_in(hostile, "m")
    into = tmp_path / "into"
    into.mkdir()
    take_out(hostile, "m", (HubFile(path="README.md", size=1, sha256="0" * 64),), into)
    assert tree(into) == {"README.md": b"#"}
    with pytest.raises(PinMismatch, match="longer than the 4 bytes pinned"):
        take_out(hostile, "m", (HubFile(path="w.bin", size=4, sha256="0" * 64),), into)
    twice = archive(tmp_path, "two.zip", {"a/README.md": b"", "a/w.bin": b"", "b/README.md": b"", "b/w.onnx": b""})
    with pytest.raises(ArchiveUnusable, match="several models: a, b"):
        repository_in(twice)


@pytest.mark.parametrize(
    "paths",
    [["../x"], ["/x"], ["a", "A"], ["a", "a/b"], ["b", "a"], [".git/config"], ["a\\b"], ["x" * 501], []],
    ids=repr,
)
def test_files_that_cannot_be_laid_out_everywhere_cannot_be_pinned(paths: list[str]) -> None:
    with pytest.raises(ValidationError):
        Pin.model_validate({"files": [{"path": path, "size": 1, "sha256": "0" * 64} for path in paths]})


def test_more_than_is_tested_cannot_be_pinned() -> None:
    half = {"size": 4_500_000_000, "sha256": "0" * 64}
    with pytest.raises(ValidationError, match="the most that is tested"):
        Pin.model_validate({"files": [{"path": "a", **half}, {"path": "b", **half}]})
    with pytest.raises(ValidationError):
        Source(name="ada/tiny", folder="a")


@pytest.mark.parametrize(
    ("target", "is_one"),
    [
        ("hf:ada/tiny", True),
        ("hf:ada/tiny@v1.0", True),
        ("hf:ada/tiny+pypi:carrier==1.0", True),
        ("hf:ada/tiny+npm:carrier@1.0.0", True),
        ("ada/tiny", False),
        ("hf:tiny", False),
        ("hf:../tiny", False),
        ("hf:ada/tiny@../x", False),
        ("hf:ada/ti--ny", False),
        ("hf:ada/tiny+", False),
        ("hf:ada/tiny+pypi:a b", False),
    ],
)
def test_a_model_is_named_by_the_hub_it_is_of(target: str, is_one: bool) -> None:
    assert KIND.recognises(target) is is_one
    if is_one:
        assert recognise(target).kind == KIND.kind


def test_weights_of_frameworks_that_the_card_does_not_use_do_not_count() -> None:
    names = "README.md model.safetensors onnx/model.onnx openvino/m.bin pytorch_model.bin tf_model.h5 vocab.txt"
    files = [Listed(name, 1, None) for name in names.split()]
    assert [file.path for file in counting(files, "AutoModel")] == ["README.md", "model.safetensors", "vocab.txt"]
    assert "tf_model.h5" in [file.path for file in counting(files, "TFAutoModel.from_pretrained(...)")]
    alone = [file for file in files if "safetensors" not in file.path]
    assert list(counting(alone, "")) == alone


def test_a_card_says_its_licence_and_its_first_sentence() -> None:
    assert cards.header(CARD) == {"license": "apache-2.0"}
    assert cards.summary(CARD) == "It adds two numbers."
    assert cards.header("---\na: &x [*x, *x]\n---\n") == {}
    assert cards.header("---\n{[\n---\n") == {} == cards.header("no header")
    assert cards.summary("# only a heading\n") is None
