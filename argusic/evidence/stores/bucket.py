"""A private bucket with the interface of S3: one object for each file, `<prefix><first two digits>/<digest>`.

It is the layout of the folder, so that any tool that copies folders to buckets makes a store. An object appears whole
or not at all, by the interface's own rules; the server is told the digest and refuses content that has another.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cached_property, partial
from typing import Any, Final, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    PartialCredentialsError,
)

from argusic.errors import ArgusicError, CheckFailed, EnvironmentLack, InputError, Place
from argusic.evidence.stores.elsewhere import PIECE, Here, Keep
from argusic.evidence.stores.patience import AskAgain, Patience, seconds_to_wait
from argusic.records.evidence_home import BucketHome

T = TypeVar("T")

#: The most bytes that one request may send. Sending a file in parts would make its appearing whole our own business.
MOST_BYTES: Final = 5 * 1024**3
#: Requests at a time.
_THREADS: Final = 8
_FULL: Final = frozenset(
    ["QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientCapacity", "EntityTooLarge"]
)
_PASSING: Final = frozenset(["SlowDown", "RequestTimeout", "ConditionalRequestConflict", "OperationAborted"])
_MEND: Final = (
    "It takes AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or whatever else boto3 finds credentials by, from the "
    "environment."
)


class Bucket:
    """A bucket.

    Args:
        home: Which.
        patience: How often a request is made again.
    """

    def __init__(self, home: BucketHome, patience: Patience | None = None) -> None:
        self._home = home
        self._patience = patience or Patience()

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return f"the bucket {self._home.name}" + (f" at {self._home.endpoint}" if self._home.endpoint else "")

    def is_private(self) -> bool:
        """Return true: it is read with credentials alone, which is for its owner to see to."""
        return True

    def holds(self, wanted: Collection[str]) -> set[str]:
        """Return which of some digests it has."""
        return self._ask(lambda: self._listed(self._home.prefix)) & set(wanted) if wanted else set()

    def send(self, cycle: str, files: Sequence[Here], sent: Callable[[Here], None]) -> None:
        """Put files that it does not have, some at a time."""
        for file in files:
            if file.size > MOST_BYTES:
                raise InputError(f"has {file.size:,} bytes, and {self.name} takes 5 GiB.", place=Place(file.path))
        self._each(files, self._put, sent)

    def _put(self, file: Here) -> None:
        digest = base64.b64encode(bytes.fromhex(file.sha256)).decode()
        with file.path.open("rb") as reading:
            try:
                self._client.put_object(
                    Bucket=self._home.name,
                    Key=self._key(file.sha256),
                    Body=reading,
                    ContentLength=file.size,
                    ContentType="application/octet-stream",
                    ChecksumSHA256=digest,
                    IfNoneMatch="*",
                )
            except ClientError as error:
                if _status(error) != 412:  # Somebody else put it meanwhile: it is there, and is never replaced.
                    raise

    def fetch(self, wanted: Collection[str], keep: Keep) -> None:
        """Hand over the content of files, some at a time."""
        self._each(sorted(wanted), lambda sha256: self._get(sha256, keep), lambda sha256: None)

    def _each(self, items: Sequence[T], do: Callable[[T], None], done: Callable[[T], None]) -> None:
        """Do something for each of several, side by side. After the first failure no further one is begun."""
        _ = self._client  # Made once, before threads need it.
        with ThreadPoolExecutor(_THREADS) as pool:
            waiting = {pool.submit(self._ask, partial(do, item)): item for item in items}
            try:
                for one in as_completed(waiting):
                    one.result()
                    done(waiting[one])
            except BaseException:
                for one in waiting:
                    one.cancel()
                raise

    def _get(self, sha256: str, keep: Keep) -> None:
        try:
            body = self._client.get_object(Bucket=self._home.name, Key=self._key(sha256))["Body"]
        except ClientError as error:
            if _code(error) in ("NoSuchKey", "404"):
                return
            raise
        with body:
            keep(sha256, body.iter_chunks(PIECE))

    def remove(self, sha256: str) -> None:
        """Remove an object with all its versions."""
        key = self._key(sha256)
        for version in self._ask(lambda: self._versions(key)):
            self._ask(lambda version=version: self._client.delete_object(**self._own(key), **version))  # type: ignore[misc]
        if self._ask(lambda: self._versions(key)):
            raise CheckFailed(
                f"{self.name} still has {key} after it was removed: it may be locked.",
                advice="Remove it there by hand, then repeat the command.",
            )

    def _versions(self, key: str) -> list[dict[str, str]]:
        """Return what names each version of an object; one that names none where the server keeps no versions."""
        try:
            pages = self._client.get_paginator("list_object_versions").paginate(Bucket=self._home.name, Prefix=key)
            found = [one for page in pages for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ()))]
        except ClientError as error:
            if _status(error) != 501:
                raise
            return [{}] if key.rpartition("/")[2] in self._listed(key) else []
        return [{"VersionId": one["VersionId"]} for one in found]

    def _listed(self, prefix: str) -> set[str]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._home.name, Prefix=prefix)
        return {one["Key"].rpartition("/")[2] for page in pages for one in page.get("Contents", ())}

    def _key(self, sha256: str) -> str:
        return f"{self._home.prefix}{sha256[:2]}/{sha256}"

    def _own(self, key: str) -> dict[str, str]:
        return {"Bucket": self._home.name, "Key": key}

    @cached_property
    def _client(self) -> Any:
        return boto3.session.Session().client(
            "s3",
            endpoint_url=self._home.endpoint,
            region_name=self._home.region,
            config=Config(
                connect_timeout=10,
                read_timeout=60,
                max_pool_connections=16,
                retries={"total_max_attempts": 1},  # `Patience` asks again.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    def _ask(self, question: Callable[[], T]) -> T:
        def once() -> T:
            try:
                return question()
            except ClientError as error:
                raise self._refused(error) from None
            except (NoCredentialsError, PartialCredentialsError):
                raise EnvironmentLack(f"there are no credentials for {self.name}.", advice=_MEND) from None
            except (ConnectionError, HTTPClientError, IncompleteReadError) as error:
                raise AskAgain(f"{self.name} cannot be reached or was cut off ({_reason(error)})") from None
            except BotoCoreError as error:
                raise EnvironmentLack(f"{self.name} cannot be asked: {_reason(error)}.", advice=_MEND) from None

        return self._patience.ask(once)

    def _refused(self, error: ClientError) -> ArgusicError | AskAgain:
        """Return what an answer of the server that is no success comes to."""
        status, code = _status(error), _code(error)
        said = f"{status} {code}".strip()
        headers: Mapping[str, str] = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
        if code == "NoSuchBucket":
            return InputError(f"{self.name} is not there (rules/evidence.yaml names it).")
        if status == 507 or code in _FULL:
            return EnvironmentLack(f"{self.name} is full ({said}); the file was not kept there.")
        if status in (429, 408) or status >= 500 or code in _PASSING:
            return AskAgain(f"{self.name} answers {said}", seconds_to_wait(headers))
        if status in (401, 403):
            return EnvironmentLack(f"{self.name} refuses these credentials ({said}).", advice=_MEND)
        return EnvironmentLack(f"{self.name} answers {said}: {error.response.get('Error', {}).get('Message', '')}.")


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _reason(error: Exception) -> str:
    """Return an error's own words on one line."""
    return " ".join(str(error).split()).rstrip(".")[:300]
