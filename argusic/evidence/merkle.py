"""Merkle trees as RFC 6962 (Certificate Transparency, section 2.1) defines them, over SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath


def leaf(data: bytes) -> bytes:
    """Return the hash of one entry."""
    return hashlib.sha256(b"\0" + data).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the hash of the tree over the hashes of its entries, in their order."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = _split(len(leaves))
    return _node(root(leaves[:split]), root(leaves[split:]))


def inclusion(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return the hashes that prove that the entry `index` is in the tree, from the bottom up."""
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*inclusion(index, leaves[:split]), root(leaves[split:])]
    return [*inclusion(index - split, leaves[split:]), root(leaves[:split])]


def manifests_root(manifests: Iterable[tuple[PurePosixPath, str]]) -> str:
    """Return the root over the manifests of a cycle, each by its path and SHA-256, in whatever order they come."""
    lines = sorted((str(path), sha256) for path, sha256 in manifests)
    return root([leaf(f"{sha256}  {path}\n".encode()) for path, sha256 in lines]).hex()


def _split(size: int) -> int:
    """Return the largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()
