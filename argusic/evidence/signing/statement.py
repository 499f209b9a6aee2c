"""The in-toto statement inside a signature: its subjects, and the predicate of ours that it carries."""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from argusic.records.base import Items, Part, Sha256
from argusic.records.signature import BATCH_TYPE, CLOSE_TYPE, Batch, CycleClose, Purpose

#: The payload type of every envelope that holds an in-toto statement.
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
#: The largest bundle that is read.
MOST_BYTES: Final = 64 * 1024 * 1024


class Digest(Part):
    """The digest of a subject."""

    sha256: Sha256
    """Its SHA-256."""


class Subject(Part):
    """One file that is vouched for."""

    name: Annotated[str, Field(min_length=1)]
    """Its path from the top of the database, whether it lies there or in the evidence store."""
    digest: Digest
    """Its digest."""


class Statement(Part):
    """An in-toto statement with a predicate of ours."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    """Its type."""
    subject: Annotated[Items[Subject], Field(min_length=1)]
    """What is vouched for."""
    predicate_type: Literal["urn:argusic:statement:evidence-batch:1", "urn:argusic:statement:cycle-close:1"] = Field(
        alias="predicateType"
    )
    """Which predicate it carries."""
    predicate: dict[str, Any]
    """The predicate."""

    @property
    def purpose(self) -> Purpose:
        """What it vouches for."""
        return "batch" if self.predicate_type == BATCH_TYPE else "close"

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of every subject by name."""
        return {subject.name: subject.digest.sha256 for subject in self.subject}

    def batch(self) -> Batch:
        """Return the predicate of a batch. Raises ValueError where it is none."""
        return Batch.model_validate(self.predicate)

    def close(self) -> CycleClose:
        """Return the predicate of a cycle's close. Raises ValueError where it is none."""
        return CycleClose.model_validate(self.predicate)


def read_statement(payload: bytes) -> Statement:
    """Return the statement that a payload is.

    Raises:
        ValueError: It is none of ours, or names a subject twice.
    """
    try:
        statement = Statement.model_validate_json(payload)
        statement.batch() if statement.purpose == "batch" else statement.close()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"it holds no statement of Argusic: {where}: {first['msg']}") from None
    twice = [name for name, count in Counter(subject.name for subject in statement.subject).items() if count > 1]
    if twice:
        raise ValueError(f"it names {twice[0]} twice")
    return statement


def unverified_statement(bundle: bytes) -> Statement:
    """Return the statement in a bundle without asking who signed it: to find one, never to believe it.

    Raises:
        ValueError: The bundle holds no statement of ours.
    """
    try:
        payload = base64.b64decode(json.loads(bundle)["dsseEnvelope"]["payload"], validate=True)
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
        raise ValueError("it is no bundle with a statement in it") from None
    return read_statement(payload)


def make_statement(subjects: Mapping[str, str], predicate: Batch | CycleClose) -> bytes:
    """Return a statement as the JSON that is signed.

    Args:
        subjects: The SHA-256 of every file by name.
        predicate: What is said of them.
    """
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": subjects[name]}} for name in sorted(subjects)],
        "predicateType": BATCH_TYPE if isinstance(predicate, Batch) else CLOSE_TYPE,
        "predicate": predicate.model_dump(mode="json", by_alias=True),
    }
    return json.dumps(statement, separators=(",", ":"), ensure_ascii=False).encode()
