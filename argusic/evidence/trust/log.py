"""The log of a local authority: an append-only Merkle tree of the signatures made, as Sigstore's Rekor (v1) keeps one.

It is kept as the hashes of its entries, one after the other in a file. The entries themselves are in the bundles.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from argusic.evidence import merkle
from argusic.evidence.trust.certificates import key_id

#: The name that the log signs its state under.
ORIGIN: Final = "log.argusic.invalid"
_HASH: Final = hashlib.sha256().digest_size


class SignatureLog:
    """A log of signatures.

    Args:
        path: The file of hashes. It is made with the first entry.
        key: The key that signs the log's state and its promises.
    """

    def __init__(self, path: Path, key: ec.EllipticCurvePrivateKey) -> None:
        self._path = path
        self._key = key

    def append(self, entry: dict[str, Any], at: datetime) -> dict[str, Any]:
        """Add an entry and return what Rekor would answer: its place, the proof that it is there, and the promise."""
        body = canonical(entry)
        with self._leaves() as (file, leaves):
            leaves.append(merkle.leaf(body))
            file.write(leaves[-1])
            file.flush()
            os.fsync(file.fileno())
        index, tree = len(leaves) - 1, merkle.root(leaves)
        stated = {
            "body": base64.b64encode(body).decode(),
            "integratedTime": int(at.timestamp()),
            "logID": key_id(self._key.public_key()).hex(),
            "logIndex": index,
        }
        proof = {
            "logIndex": index,
            "treeSize": len(leaves),
            "rootHash": tree.hex(),
            "hashes": [sibling.hex() for sibling in merkle.inclusion(index, leaves)],
            "checkpoint": self._checkpoint(len(leaves), tree),
        }
        promise = base64.b64encode(self._sign(canonical(stated))).decode()
        verification = {"signedEntryTimestamp": promise, "inclusionProof": proof}
        return {leaves[-1].hex(): {**stated, "verification": verification}}

    @contextmanager
    def _leaves(self) -> Iterator[tuple[Any, list[bytes]]]:
        """Give the file, locked against other writers, and the hashes in it."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            data = file.read()
            whole = len(data) - len(data) % _HASH
            if whole != len(data):
                file.truncate(whole)  # A writer died in the middle of a hash; nobody was answered about it.
            yield file, [data[at : at + _HASH] for at in range(0, whole, _HASH)]

    def _checkpoint(self, size: int, tree: bytes) -> str:
        note = f"{ORIGIN}\n{size}\n{base64.b64encode(tree).decode()}\n"
        signed = key_id(self._key.public_key())[:4] + self._sign(note.encode())
        return f"{note}\n\u2014 {ORIGIN} {base64.b64encode(signed).decode()}\n"

    def _sign(self, data: bytes) -> bytes:
        return self._key.sign(data, ec.ECDSA(hashes.SHA256()))


def canonical(value: Any) -> bytes:
    """Return canonical JSON (RFC 8785) of what holds ASCII text and integers alone."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
