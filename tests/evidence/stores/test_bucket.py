"""A bucket: its layout, its versions, and what its server refuses."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.evidence.stores.elsewhere import Here
from tests.evidence.stores.between import Fault
from tests.evidence.stores.places import Place, digest, fetched, here


@pytest.fixture
def file(tmp_path: Path) -> Here:
    return here(tmp_path / "first", b"a log")[0]


@pytest.fixture
def guarded(moto: str) -> Iterator[None]:
    """Let the server look at credentials; it knows nobody."""
    requests.post(f"{moto}/moto-api/reset-auth", data=b"0", timeout=30).raise_for_status()
    yield
    requests.post(f"{moto}/moto-api/reset-auth", data=b"inf", timeout=30).raise_for_status()


def test_a_bucket_is_laid_out_as_the_folder_is(bucket: Place, file: Here) -> None:
    bucket.make().send("small", [file], lambda one: None)
    name = bucket.home["bucket"]["name"]
    listed = bucket.s3.list_objects_v2(Bucket=name)["Contents"]
    assert [one["Key"] for one in listed] == [f"a/b/{file.sha256[:2]}/{file.sha256}"]


def test_credentials_that_the_server_does_not_know_are_said(bucket: Place, file: Here, guarded: None) -> None:
    store = bucket.make()
    for ask in (
        lambda: store.holds([file.sha256]),
        lambda: fetched(store, file.sha256),
        lambda: store.send("small", [file], lambda one: None),
    ):
        with pytest.raises(
            EnvironmentLack, match=r"refuses these credentials \(403 InvalidAccessKeyId\)\. It takes AWS"
        ):
            ask()


def test_no_credentials_are_said(bucket: Place, file: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(EnvironmentLack, match=r"there are no credentials for the bucket evidence-\d+ at http"):
        bucket.make().holds([file.sha256])


def test_a_bucket_that_is_not_there_is_said(bucket: Place, file: Here) -> None:
    bucket.home["bucket"]["name"] = "no-such-bucket"
    for ask in (
        lambda: bucket.make().holds([file.sha256]),
        lambda: bucket.make().send("small", [file], lambda one: None),
        lambda: fetched(bucket.make(), file.sha256),
    ):
        with pytest.raises(InputError, match=r"the bucket no-such-bucket at .* is not there"):
            ask()


def test_the_server_is_told_the_digest_and_to_replace_nothing(bucket: Place, file: Here) -> None:
    bucket.make().send("small", [file], lambda one: None)
    headers = next(headers for method, _, headers in bucket.between.seen if method == "PUT")
    assert base64.b64decode(headers["x-amz-checksum-sha256"]).hex() == file.sha256
    assert headers["if-none-match"] == "*"


def test_older_versions_go_with_what_is_removed(bucket: Place, file: Here) -> None:
    name, key = bucket.home["bucket"]["name"], f"a/b/{file.sha256[:2]}/{file.sha256}"
    bucket.s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    for _ in range(2):
        bucket.s3.put_object(Bucket=name, Key=key, Body=b"a log")
    bucket.s3.delete_object(Bucket=name, Key=key)
    bucket.make().remove(file.sha256)
    left = bucket.s3.list_object_versions(Bucket=name)
    assert left.get("Versions", []) == left.get("DeleteMarkers", []) == []


def test_a_server_that_keeps_no_versions_removes_the_one(bucket: Place, file: Here) -> None:
    bucket.make().send("small", [file], lambda one: None)
    bucket.between.faults = [Fault("answer", "GET", "versions", times=9, status=501)]
    bucket.make().remove(file.sha256)
    assert bucket.raw() == []


def test_what_is_locked_is_for_a_person_to_remove(bucket: Place, file: Here) -> None:
    bucket.make().send("small", [file], lambda one: None)
    bucket.between.faults = [Fault("answer", "DELETE", status=204)]
    with pytest.raises(CheckFailed, match=r"still has a/b/.*: it may be locked\. Remove it there by hand"):
        bucket.make().remove(file.sha256)
    bucket.between.faults = [Fault("answer", "DELETE", status=403)]
    with pytest.raises(EnvironmentLack, match=r"refuses these credentials \(403"):
        bucket.make().remove(file.sha256)


def test_many_files_are_listed_over_several_pages(bucket: Place) -> None:
    name = bucket.home["bucket"]["name"]
    wanted = {digest(bytes([number])) for number in range(12)}
    for sha256 in wanted:
        bucket.s3.put_object(Bucket=name, Key=f"a/b/{sha256[:2]}/{sha256}", Body=b"")
    store = bucket.make()
    assert store.holds(wanted | {digest(b"nowhere")}) == wanted


def test_a_file_too_large_for_one_request_is_named(bucket: Place, file: Here) -> None:
    large = file._replace(size=6 * 1024**3)
    with pytest.raises(InputError, match=r"has 6,442,450,944 bytes, and the bucket .* takes 5 GiB"):
        bucket.make().send("small", [large], lambda one: None)
